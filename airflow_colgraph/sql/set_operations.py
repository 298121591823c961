"""UNION, INTERSECT and EXCEPT, by position or BY NAME. Pure."""

from __future__ import annotations

from sqlglot import exp

from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import GROUP_BY, JOIN, NONE, Inputs, through, union


def set_operation(node: exp.SetOperation, scope: Scope) -> Relation:
    """UNION, INTERSECT and EXCEPT; a long chain is gone through without recursion."""
    operators: list[exp.SetOperation] = []
    left: exp.Expr = node
    while isinstance(left, exp.SetOperation) and not (operators and _has_own_clauses(left)):
        operators.append(left)
        left = left.this
    relation = scope.query(left, scope)
    for operator in reversed(operators):
        relation = _combined(operator, relation, scope.query(operator.expression, scope))
    return relation


def _has_own_clauses(node: exp.Expr) -> bool:
    return any(node.args.get(name) for name in ("order", "limit", "with", "with_"))


def _combined(node: exp.SetOperation, left: Relation, right: Relation) -> Relation:
    """The relation of one operator, by position or by name."""
    rows = union(left.rows, right.rows)
    if node.args.get("by_name"):
        left, right = _by_name(node, left, right)
    distinct = node.args.get("distinct")
    if not isinstance(node, exp.Union):  # rows of the left side, as both sides' columns decide
        sides = through(JOIN, [left.of_all(), right.of_all()])
        grouped = through(GROUP_BY, (left.of_all(),)) if distinct else NONE
        return left._replace(rows=union(rows, sides, grouped))
    if distinct:
        rows = union(rows, through(GROUP_BY, [left.of_all(), right.of_all()]))
    if left.is_open or right.is_open:
        return _of_unknown_width(left, right, rows)
    pairs = zip(left.columns, right.columns, strict=False)
    return Relation(tuple((name, union(ours, of)) for (name, ours), (_, of) in pairs), rows)


def _by_name(node: exp.SetOperation, left: Relation, right: Relation) -> tuple[Relation, Relation]:
    """Both sides with the same columns: those of one side, of both or of all, or those of ON."""
    names = {name.casefold(): name for side in (right, left) for name, _ in side.columns}
    kept = [names.get(name, name) for name in dict.fromkeys(_kept_names(node, left, right))]

    def aligned(side: Relation) -> Relation:
        return side._replace(columns=tuple((name, side.column(name) or NONE) for name in kept))

    return aligned(left), aligned(right)


def _kept_names(node: exp.SetOperation, left: Relation, right: Relation) -> list[str]:
    """The folded names of the columns that an operator BY NAME keeps, in their order."""
    if on := node.args.get("on"):
        return [column.name.casefold() for column in on]
    ours, theirs = ([name.casefold() for name, _ in side.columns] for side in (left, right))
    side, kind = (str(node.args.get(name) or "").upper() for name in ("side", "kind"))
    kept = {"LEFT": {*ours}, "RIGHT": {*theirs}}.get(side, {*ours, *theirs})
    if kind == "INNER":
        kept = {*ours} & {*theirs}
    return [name for name in [*ours, *theirs] if name in kept]


def _of_unknown_width(left: Relation, right: Relation, rows: Inputs) -> Relation:
    """Both sides' columns by their names: their positions are unknown."""
    names = dict.fromkeys(name for side in (left, right) for name, _ in side.columns)
    merged = tuple(
        (name, union(left.column(name) or NONE, right.column(name) or NONE)) for name in names
    )
    return Relation(merged, rows, behind=(left, right))
