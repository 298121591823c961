"""The members of a struct that an expression builds or passes on, as a relation of them. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.expressions import function_name, inputs_of, rule
from airflow_colgraph.sql.methods import is_method, of_method
from airflow_colgraph.sql.relation import Findings, Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import (
    AGGREGATION,
    IDENTITY,
    TRANSFORMATION,
    Inputs,
    Step,
    through,
    union,
)
from airflow_colgraph.sql.trees import CALLS, column_named

WRAPPERS = (exp.Alias, exp.Paren, exp.Order, exp.Limit, exp.IgnoreNulls, exp.RespectNulls,
            exp.Distinct, exp.HavingMax)  # fmt: skip
PICKED = (exp.ArrayAgg, exp.AnyValue, exp.First, exp.Last, exp.FirstValue, exp.LastValue)


def members_of(node: exp.Expr | None, scope: Scope) -> Relation | None:
    """The members of a struct, or of the structs in an array; None where they are not known."""
    while isinstance(node, WRAPPERS):
        node = next(node.iter_expressions(), exp.null())
    rules = (members for kinds, members in MEMBERS.items() if isinstance(node, kinds))
    members = next(rules, None)
    return None if members is None else members(node, scope)


def _column(node: exp.Column, scope: Scope) -> Relation | None:
    return scope.struct(tuple(part.name for part in node.parts))


def _row(node: exp.Expr, scope: Scope) -> Relation | None:
    """`ROW(a, b)`: members without names."""
    if function_name(node) != "ROW":
        return None
    return Relation(tuple(("", inputs_of(item, scope)) for item in node.expressions))


def _array(node: exp.Array, scope: Scope) -> Relation | None:
    return _element([members_of(item, scope) for item in node.expressions])


def _bracket(node: exp.Bracket, scope: Scope) -> Relation | None:
    members = members_of(node.this, scope)
    return None if members is None else members.through(TRANSFORMATION)


def _aggregate(node: exp.Expr, scope: Scope) -> Relation | None:
    return _picked(members_of(node.this, scope), node, AGGREGATION, scope)


def _windowed(node: exp.Expr, scope: Scope) -> Relation | None:
    return _picked(members_of(node.this, scope), node, IDENTITY, scope)


def _member(node: exp.Dot, scope: Scope) -> Relation | None:
    """A struct in a member of one."""
    outer = members_of(node.this, scope)
    if outer is None or not isinstance(node.expression, (exp.Identifier, exp.Literal)):
        return None
    name = node.expression.name
    if isinstance(node.expression, exp.Literal):
        name = dict(enumerate(outer.columns, 1)).get(int(name), ("",))[0]
    return outer.structs.get(name.casefold())


@rule("Dot")
def _dot(node: exp.Dot, scope: Scope) -> Inputs:
    """A member of a struct, a method, or a function that has a schema: `dbo.f(x)`."""
    if is_method(node, scope):
        return of_method(node, scope)
    if isinstance(node.expression, CALLS):
        return inputs_of(node.expression, scope)
    column = column_named(node)
    if column is not None:
        return inputs_of(column, scope)
    is_bound = isinstance(node.this, exp.Placeholder)  # Snowflake's :r.a
    owner = node.this.name if is_bound else function_name(node.this)  # Oracle's x(i).a
    field = f"{owner}.{node.expression.name}".casefold()
    if field in scope.environment.variables:
        mark_all(node.this, scope.environment.findings)
        return scope.environment.variables[field]
    whole = through(TRANSFORMATION, [inputs_of(node.this, scope)])
    members = quietly(node.this, scope)
    if members and isinstance(node.expression, exp.Literal):  # ClickHouse: tuple(a, b).2
        at = int(node.expression.name) - 1
        return members.columns[at][1] if 0 <= at < len(members.columns) else whole
    member = members.column(node.expression.name) if members else None
    return whole if member is None else member


@rule("Bracket", "StructExtract")
def _named_member(node: exp.Expr, scope: Scope) -> Inputs:
    """`s['a']` is a member of a struct; of an array or a map its own value and the index."""
    parts = node.expressions or [node.expression]
    index = parts[0] if len(parts) == 1 else None
    members = quietly(node.this, scope) if isinstance(index, exp.Literal) else None
    member = None
    if members and index:
        is_text = index.is_string
        member = members.column(index.name) if is_text else _numbered(node, index.name, members)
    if member is not None:
        inputs_of(node.this, scope)
        return member
    return through(
        TRANSFORMATION,
        [inputs_of(node.this, scope), *(inputs_of(each, scope) for each in parts)],
    )


def _numbered(node: exp.Expr, index: str, members: Relation) -> Inputs | None:
    """`ROW(a, b)[1]`: sqlglot counts from 0 where it does not know that the value is a row."""
    row = node.this.unnest()
    is_row = isinstance(row, (exp.Struct, exp.Cast)) or function_name(row) == "ROW"
    is_counted = isinstance(node, exp.Bracket) and not isinstance(row, exp.Cast)
    place = int(index) + is_counted if is_row and index.isdigit() else 0
    return dict(enumerate((inputs for _, inputs in members.columns), 1)).get(place)


def quietly(node: exp.Expr, scope: Scope) -> Relation | None:
    """The members of an expression that is read elsewhere as well, which reports what it lacks."""
    return members_of(
        node, replace(scope, environment=replace(scope.environment, findings=Findings()))
    )


def _picked(members: Relation | None, node: exp.Expr, step: Step, scope: Scope) -> Relation | None:
    """Members of a struct that an order, a window or a condition has picked."""
    if members is None:
        return None
    decided = frozenset(pair for pair in inputs_of(node, scope) if pair[1].type == "INDIRECT")
    picked = members.through(step)
    return picked._replace(columns=tuple((name, of | decided) for name, of in picked.columns))


def _built(node: exp.Struct | exp.Tuple, scope: Scope) -> Relation:
    """`STRUCT(a AS x, b)`, `named_struct('x', a)`, `{'x': a}`, ClickHouse's `(a, b)`."""
    is_numbered = scope.environment.dialect == "clickhouse"
    pairs = [
        (item.name, item.expression)
        if isinstance(item, exp.PropertyEQ)
        else (item.alias_or_name or str(at) * is_numbered, item.unalias())
        for at, item in enumerate(node.expressions, 1)
    ]
    structs = {name.casefold(): members_of(value, scope) for name, value in pairs}
    return Relation(
        tuple((name, inputs_of(value, scope)) for name, value in pairs),
        structs={name: members for name, members in structs.items() if members is not None},
    )


def _cast(node: exp.Cast, scope: Scope) -> Relation | None:
    """`CAST(ROW(a, b) AS ROW(x INT, y TEXT))`, with the names of the type."""
    members = members_of(node.this, scope)
    kind = node.to if node.to.this == exp.DType.STRUCT else None
    fields = [field.name for field in kind.expressions] if kind else []
    if members is None or len(fields) != len(members.columns):
        return None
    return members.renamed(fields).through(TRANSFORMATION)


def _element(items: list[Relation | None]) -> Relation | None:
    """Any one of several structs: their members by position, under the first one's names."""
    structs = [item for item in items if item is not None]
    first = structs[0] if structs else None
    if first is None or len(structs) < len(items):
        return None
    if any(each.is_open or len(each.columns) != len(first.columns) for each in structs):
        return None
    columns = zip(*(each.columns for each in structs), strict=True)
    merged = (union(*(inputs for _, inputs in cells)) for cells in columns)
    names = [name for name, _ in first.columns]
    inner = {key: _element([each.structs.get(key) for each in structs]) for key in first.structs}
    members = {name: struct for name, struct in inner.items() if struct}
    columns_of_all = tuple(zip(names, merged, strict=True))
    return Relation(columns_of_all, structs=members).through(TRANSFORMATION)


def _selected(node: exp.Subquery, scope: Scope) -> Relation | None:
    """A subquery of one row: a struct, or `(SELECT AS STRUCT a, b)`."""
    query = node.unnest()
    if not isinstance(query, exp.Select) or query.args.get("kind"):
        return _as_struct(query, scope)
    relation = scope.query(query, scope.inner())
    return relation.structs.get(relation.columns[0][0].casefold()) if relation.columns else None


def _as_struct(node: exp.Expr, scope: Scope) -> Relation | None:
    """`SELECT AS STRUCT a, b`: each member with what affects the row."""
    if not isinstance(node, exp.Select) or not node.args.get("kind"):
        return None
    relation = scope.query(node, scope.inner())
    columns = ((name, union(inputs, relation.rows)) for name, inputs in relation.columns)
    return relation._replace(columns=tuple(columns))


MEMBERS: dict[Any, Callable[[Any, Scope], Relation | None]] = {
    (exp.Struct, exp.Tuple): _built,
    exp.Column: _column,
    exp.Cast: _cast,
    exp.Array: _array,
    exp.Subquery: _selected,
    exp.Select: _as_struct,
    exp.Bracket: _bracket,
    PICKED: _aggregate,
    (exp.Window, exp.Filter): _windowed,
    exp.Dot: _member,
    exp.Anonymous: _row,
}
