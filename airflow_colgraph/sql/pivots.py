"""PIVOT, UNPIVOT and MATCH_RECOGNIZE: columns that are named by their clause. Pure."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import (
    AGGREGATION,
    CONDITIONAL,
    FILTER,
    GROUP_BY,
    NONE,
    SORT,
    Inputs,
    through,
    union,
)


def pivoted(pivot: exp.Pivot, below: Relation, scope: Scope) -> Relation:
    """PIVOT and UNPIVOT; the new columns are made of what is aggregated or turned."""
    inside = replace(scope, sources={"": below}, using={})
    if pivot.args.get("unpivot"):
        return _unpivoted(pivot, below, inside)
    used = {folded for each in _own_columns(pivot) for folded in [each.name.casefold()]}
    aggregates = [through(AGGREGATION, [inputs_of(one, inside)]) for one in pivot.expressions]
    fields = pivot.args.get("fields") or ()
    keys = [inputs_of(one.this, inside) for one in fields]
    keys += [inputs_of(one, scope) for field in fields for one in _queries(field)]
    names = [name.name for name in pivot.args.get("columns") or ()]
    if any(_is_computed(field) for field in fields):
        names = []
    for one in (part for field in fields for part in field.args.get("expressions") or ()):
        if not isinstance(one, exp.Query):  # a value, which T-SQL writes as a name
            mark_all(one, scope.environment.findings)
    group = pivot.args.get("group")
    kept = [(one.name, inputs_of(one, inside)) for one in (group.expressions if group else ())]
    if group is None:
        kept = [(name, inputs) for name, inputs in below.columns if name.casefold() not in used]
    return _crossed(pivot, below, kept, aggregates, keys, names, scope)


def _crossed(
    pivot: exp.Pivot,
    below: Relation,
    kept: list[tuple[str, Inputs]],
    aggregates: list[Inputs],
    keys: list[Inputs],
    names: list[str],
    scope: Scope,
) -> Relation:
    """What is grouped by, and a column of each aggregate for each value of the keys."""
    values = [union(one, through(CONDITIONAL, keys)) for one in aggregates] or [NONE]
    rows = union(below.rows, through(GROUP_BY, [*keys, *(inputs for _, inputs in kept)]))
    if not names or below.is_open:
        scope.environment.findings.unknown("Pivot")
    made = tuple((name, values[at % len(values)]) for at, name in enumerate(names))
    behind = (below,) if below.is_open else ()
    every = None if names else union(*values)
    relation = Relation((*kept, *made), rows, behind=behind, everything=every)
    return relation.renamed(_alias_columns(pivot))


def _own_columns(pivot: exp.Pivot) -> list[exp.Column]:
    """The columns that a PIVOT names, without those of a query in it."""
    return [
        one
        for one in pivot.find_all(exp.Column)
        if not one.find_ancestor(exp.Query) or one.find_ancestor(exp.Query, exp.Pivot) is pivot
    ]


def _queries(field: exp.Expr) -> list[exp.Expr]:
    parts = (*field.args.get("expressions", ()), field.args.get("query"))
    return [one for one in parts if isinstance(one, (exp.Query, exp.Subquery))]


def _is_computed(field: exp.Expr) -> bool:
    """Whether the values, and so the columns' names, are those that the database finds."""
    parts = field.args.get("expressions") or ()
    return not parts or bool(_queries(field)) or any(isinstance(one, exp.PivotAny) for one in parts)


def stated(pivot: exp.Pivot, below: Relation, scope: Scope) -> Relation:
    """DuckDB's statements `PIVOT t ON k USING f(v)` and `UNPIVOT t ON a, b INTO NAME n VALUE v`."""
    inside = replace(scope, sources={"": below}, using={})
    if pivot.args.get("unpivot"):
        into = pivot.args.get("into")
        names = [into.this.name, *(one.name for one in into.expressions)] if into else []
        return _turned(
            list(pivot.expressions), below, names[1:] or ["value"], names[:1] or ["name"], inside
        )
    on = [one.this if isinstance(one, exp.In) else one for one in pivot.expressions]
    using = pivot.args.get("using") or []
    group = pivot.args.get("group")
    grouped = [(one.name, inputs_of(one, inside)) for one in (group.expressions if group else ())]
    used = {column.name.casefold() for one in (*on, *using) for column in one.find_all(exp.Column)}
    others = [(name, inputs) for name, inputs in below.columns if name.casefold() not in used]
    aggregates = [through(AGGREGATION, [inputs_of(one, inside)]) for one in using]
    keys = [inputs_of(one, inside) for one in on]
    names = _stated_names(pivot.expressions, using)
    return _crossed(pivot, below, grouped or others, aggregates, keys, names, scope)


def _stated_names(on: list[exp.Expr], using: list[exp.Expr]) -> list[str]:
    """The names where all values are listed: `a`, or `a_s` for `USING sum(v) AS s`."""
    values = on[0].expressions if len(on) == 1 and isinstance(on[0], exp.In) else []
    if not all(isinstance(one, exp.Literal) for one in values):
        return []
    ends = [f"_{one.alias}" if one.alias else "" for one in using] or [""]
    if len(ends) > 1 and not all(ends):
        return []
    return [f"{value.name}{end}" for value in values for end in ends]


def _unpivoted(pivot: exp.Pivot, below: Relation, scope: Scope) -> Relation:
    """Each value column has what stands at its place in the lists; rows without a value are out."""
    groups = [one.expressions if isinstance(one, exp.Tuple) else [one] for one in pivot.expressions]
    names = [name.unnest().name for group in groups for name in group]
    for one in pivot.expressions:
        mark_all(one, scope.environment.findings)
    fields = pivot.args.get("fields") or ()
    items = [item for field in fields for item in field.args.get("expressions") or ()]
    relation = _turned(
        items,
        below,
        names,
        [field.this.name for field in fields],
        scope,
        has_nulls=bool(pivot.args.get("include_nulls")),
    )
    return relation.renamed(_alias_columns(pivot))


def _turned(
    items: list[exp.Expr],
    below: Relation,
    names: list[str],
    labels: list[str],
    scope: Scope,
    *,
    has_nulls: bool = False,
) -> Relation:
    """Columns turned into rows: their names in the labels, their values in the others."""
    values: list[list[Inputs]] = [[] for _ in names]
    used: set[str] = set()
    for item in items:
        columns = _columns_of(item, below, scope)
        used.update(name.casefold() for name, _ in columns)
        is_group = isinstance(item.unalias(), exp.Tuple)
        for at, (_, inputs) in enumerate(columns):
            values[at % len(values) if is_group else 0].append(inputs)
    kept = [(name, inputs) for name, inputs in below.columns if name.casefold() not in used]
    turned = [(name, union(*parts)) for name, parts in zip(names, values, strict=True)]
    rows = below.rows
    if not has_nulls:
        rows = union(rows, through(FILTER, (inputs for _, inputs in turned)))
    named = [(label, NONE) for label in labels]
    return Relation((*kept, *named, *turned), rows, behind=(below,) if below.is_open else ())


def _columns_of(item: exp.Expr, below: Relation, scope: Scope) -> list[tuple[str, Inputs]]:
    """The columns that are turned: one, a group of them, `COLUMNS(* EXCLUDE (a))`, or `*`."""
    star = item.this if isinstance(item, exp.Columns) else item
    if isinstance(star, exp.Star):
        excluded = star.args.get("except_") or star.args.get("except") or ()
        left_out = {one.name.casefold() for one in excluded}
        if below.is_open:
            scope.environment.findings.unknown("Star", item.sql())
        return [pair for pair in below.columns if pair[0].casefold() not in left_out]
    if isinstance(item, exp.Columns):  # by a pattern
        scope.environment.findings.unknown("Columns", item.sql())
    return [(one.name, inputs_of(one, scope)) for one in item.find_all(exp.Column)]


def _alias_columns(node: exp.Expr) -> list[str]:
    alias = node.args.get("alias")
    columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return [column.name for column in columns or ()]


def matched(node: exp.MatchRecognize, below: Relation, scope: Scope) -> Relation:
    """MATCH_RECOGNIZE: its measures, and what it partitions by or all columns."""
    variables = {one.table for one in node.find_all(exp.Column) if one.table}
    names = [name for name in variables if scope.source(name) is None]
    inside = replace(scope, sources={"": below, **dict.fromkeys(names, below)}, using={})
    if len(names) > 0:  # an unqualified column is one of the table, not of each variable
        inside = replace(inside, unqualified=frozenset(names))
    partition = node.args.get("partition_by") or []
    keys = [(key.name, inputs_of(key, inside)) for key in partition]
    measures = [
        (one.this.alias, through(AGGREGATION, [inputs_of(one.this, inside)]))
        for one in node.args.get("measures") or ()
    ]
    order = node.args.get("order")
    decided = [
        *(through(GROUP_BY, [inputs]) for _, inputs in keys),
        *(through(SORT, [inputs_of(key, inside)]) for key in (order.expressions if order else ())),
        *(through(FILTER, [inputs_of(o.this, inside)]) for o in node.args.get("define") or ()),
    ]
    is_all = "ALL ROWS" in str(node.args.get("rows") or "").upper()
    columns = (*(below.columns if is_all else keys), *measures)
    behind = (below,) if is_all and below.is_open else ()
    return Relation(tuple(columns), union(below.rows, *decided), behind=behind)
