"""PIVOT, UNPIVOT and MATCH_RECOGNIZE: columns that are named by their clause. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from math import prod

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

NAMES_LAST = ("bigquery", "tsql", "fabric")  # where UNPIVOT has them behind the values


def pivoted(pivot: exp.Pivot, below: Relation, scope: Scope) -> Relation:
    """PIVOT and UNPIVOT; the new columns come from what is aggregated or turned."""
    inside = replace(scope, sources={"": below}, using={})
    if pivot.args.get("unpivot"):
        return _unpivoted(pivot, below, inside)
    used = {column.name.casefold() for column in _own_columns(pivot)}
    aggregates = [through(AGGREGATION, [inputs_of(item, inside)]) for item in pivot.expressions]
    fields = pivot.args.get("fields") or ()
    keys = [inputs_of(field.this, inside) for field in fields]
    keys += [inputs_of(query, scope) for field in fields for query in _queries(field)]
    names = [] if any(map(_is_computed, fields)) else _pivot_names(pivot, scope.environment.dialect)
    _mark_values(fields, scope)
    kept = _others(below, used) if pivot.args.get("group") is None else _grouped(pivot, inside)
    return _crossed(pivot, below, kept, aggregates, keys, names, scope)


def _pivot_names(pivot: exp.Pivot, dialect: str) -> list[str]:
    """The new columns: for each value one of each aggregate; none if they are not all known."""
    names = [name.name for name in pivot.args.get("columns") or ()]
    fields, aggregates = list(pivot.args.get("fields") or ()), pivot.expressions
    sizes = [len(field.args.get("expressions") or ()) for field in fields]
    if len(names) != prod(sizes) * max(len(aggregates), 1):
        return []
    ends = [f"_{item.alias}" if item.alias else "" for item in aggregates]
    if dialect not in OWN_NAMES or len(fields) != 1 or (dialect == "bigquery" and any(ends)):
        return names
    values = [OWN_NAMES[dialect](value) for value in fields[0].expressions]
    return [f"{value}{end}" for value in values for end in ends]


def _oracle_name(value: exp.Expr) -> str:
    """Oracle names a column by the value as it is written: `'a'`."""
    return value.alias or value.sql("oracle")


def _bigquery_name(value: exp.Expr) -> str:
    """BigQuery names a column by a value; `_1`, `_minus_1` and `_1_point_5` by numbers."""
    text = value.alias or value.name
    is_number = not value.alias and not (isinstance(value, exp.Literal) and value.is_string)
    sign = "_minus" if isinstance(value, exp.Neg) else ""
    return f"{sign}_{text.replace('.', '_point_')}" if is_number else text


OWN_NAMES: dict[str, Callable[[exp.Expr], str]] = {
    "oracle": _oracle_name,
    "bigquery": _bigquery_name,
}


def _mark_values(fields: Iterable[exp.Expr], scope: Scope) -> None:
    """The values that FOR .. IN lists, which T-SQL writes as names."""
    for value in (value for field in fields for value in field.args.get("expressions") or ()):
        if not isinstance(value, exp.Query):
            mark_all(value, scope.environment.findings)


def _grouped(pivot: exp.Pivot, scope: Scope) -> list[tuple[str, Inputs]]:
    """The columns of a PIVOT's own GROUP BY."""
    group = pivot.args.get("group")
    return [(key.name, inputs_of(key, scope)) for key in (group.expressions if group else ())]


def _others(below: Relation, used: Set[str]) -> list[tuple[str, Inputs]]:
    """The columns that a clause does not name."""
    return [pair for pair in below.columns if pair[0].casefold() not in used]


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
    values = [union(inputs, through(CONDITIONAL, keys)) for inputs in aggregates] or [NONE]
    rows = union(below.rows, through(GROUP_BY, [*keys, *(inputs for _, inputs in kept)]))
    if not names or below.is_open:
        scope.environment.findings.unknown("Pivot")
    crossed = tuple((name, values[at % len(values)]) for at, name in enumerate(names))
    behind = (below,) if below.is_open else ()
    every = None if names else union(*values)
    relation = Relation((*kept, *crossed), rows, behind=behind, everything=every)
    return relation.renamed(_alias_columns(pivot))


def _own_columns(pivot: exp.Pivot) -> list[exp.Column]:
    """The columns that a PIVOT names, without those of a query in it."""
    return [
        column
        for column in pivot.find_all(exp.Column)
        if not column.find_ancestor(exp.Query)
        or column.find_ancestor(exp.Query, exp.Pivot) is pivot
    ]


def _queries(field: exp.Expr) -> list[exp.Expr]:
    parts = (*field.args.get("expressions", ()), field.args.get("query"))
    return [part for part in parts if isinstance(part, (exp.Query, exp.Subquery))]


def _is_computed(field: exp.Expr) -> bool:
    """Whether the values, and so the columns' names, are those that the database finds."""
    values = field.args.get("expressions") or ()
    is_any = any(isinstance(value, exp.PivotAny) for value in values)
    return not values or bool(_queries(field)) or is_any


def stated(pivot: exp.Pivot, below: Relation, scope: Scope) -> Relation:
    """DuckDB's statements `PIVOT t ON k USING f(v)` and `UNPIVOT t ON a, b INTO NAME n VALUE v`."""
    inside = replace(scope, sources={"": below}, using={})
    if pivot.args.get("unpivot"):
        return _stated_unpivot(pivot, below, inside)
    on = [key.this if isinstance(key, exp.In) else key for key in pivot.expressions]
    using = pivot.args.get("using") or []
    grouped = _grouped(pivot, inside)
    used = {
        column.name.casefold() for part in (*on, *using) for column in part.find_all(exp.Column)
    }
    aggregates = [through(AGGREGATION, [inputs_of(item, inside)]) for item in using]
    keys = [inputs_of(key, inside) for key in on]
    names = _stated_names(pivot.expressions, using)
    return _crossed(pivot, below, grouped or _others(below, used), aggregates, keys, names, scope)


def _stated_unpivot(pivot: exp.Pivot, below: Relation, scope: Scope) -> Relation:
    into = pivot.args.get("into")
    names = [into.this.name, *(value.name for value in into.expressions)] if into else []
    labels, values = names[:1] or ["name"], names[1:] or ["value"]
    if below.is_open:
        scope.environment.findings.unknown("Star", "*")
    return _turned(list(pivot.expressions), below, values, labels, scope)


def _stated_names(on: list[exp.Expr], using: list[exp.Expr]) -> list[str]:
    """The names where all values are listed: `a`, or `a_s` for `USING sum(v) AS s`."""
    values = on[0].expressions if len(on) == 1 and isinstance(on[0], exp.In) else []
    if not all(isinstance(value, exp.Literal) for value in values):
        return []
    ends = [f"_{item.alias}" if item.alias else "" for item in using] or [""]
    if len(ends) > 1 and not all(ends):
        return []
    return [f"{value.name}{end}" for value in values for end in ends]


def _unpivoted(pivot: exp.Pivot, below: Relation, scope: Scope) -> Relation:
    """Each value column has what stands at its place in the lists; rows without a value are out."""
    groups = [
        item.expressions if isinstance(item, exp.Tuple) else [item] for item in pivot.expressions
    ]
    names = [name.unnest().name for group in groups for name in group]
    for item in pivot.expressions:
        mark_all(item, scope.environment.findings)
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
    turned = [(name, union(*parts)) for name, parts in zip(names, values, strict=True)]
    rows = below.rows
    if not has_nulls:
        rows = union(rows, through(FILTER, (inputs for _, inputs in turned)))
    named = [(label, NONE) for label in labels]
    is_last = scope.environment.dialect in NAMES_LAST
    pairs = (*_others(below, used), *((*turned, *named) if is_last else (*named, *turned)))
    return Relation(pairs, rows, behind=(below,) if below.is_open else ())


def _columns_of(item: exp.Expr, below: Relation, scope: Scope) -> list[tuple[str, Inputs]]:
    """The columns that are turned: one, a group of them, `COLUMNS(* EXCLUDE (a))`, or `*`."""
    star = item.this if isinstance(item, exp.Columns) else item
    if isinstance(star, exp.Star):
        excluded = star.args.get("except_") or star.args.get("except") or ()
        if below.is_open:
            scope.environment.findings.unknown("Star", item.sql())
        return _others(below, {column.name.casefold() for column in excluded})
    if isinstance(item, exp.Columns):  # by a pattern
        scope.environment.findings.unknown("Columns", item.sql())
    return [(column.name, inputs_of(column, scope)) for column in item.find_all(exp.Column)]


def _alias_columns(node: exp.Expr) -> list[str]:
    alias = node.args.get("alias")
    columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return [column.name for column in columns or ()]


def matched(node: exp.MatchRecognize, below: Relation, scope: Scope) -> Relation:
    """MATCH_RECOGNIZE: its measures, and what it partitions by or all columns."""
    inside = _with_variables(node, below, scope)
    keys = [(key.name, inputs_of(key, inside)) for key in node.args.get("partition_by") or []]
    measures = [
        (measure.this.alias, through(AGGREGATION, [inputs_of(measure.this, inside)]))
        for measure in node.args.get("measures") or ()
    ]
    order = node.args.get("order")
    ordered = (inputs_of(key, inside) for key in (order.expressions if order else ()))
    defined = (inputs_of(variable.this, inside) for variable in node.args.get("define") or ())
    decided = [
        through(GROUP_BY, [inputs for _, inputs in keys]),
        through(SORT, ordered),
        through(FILTER, defined),
    ]
    is_all = "ALL ROWS" in str(node.args.get("rows") or "").upper()
    columns = (*(below.columns if is_all else keys), *measures)
    behind = (below,) if is_all and below.is_open else ()
    return Relation(tuple(columns), union(below.rows, *decided), behind=behind)


def _with_variables(node: exp.MatchRecognize, below: Relation, scope: Scope) -> Scope:
    """The scope of MATCH_RECOGNIZE: each variable of its pattern is rows of the table.

    An unqualified column is one of the table, not of each variable.
    """
    variables = {column.table for column in node.find_all(exp.Column) if column.table}
    names = [name for name in variables if scope.source(name) is None]
    sources = {"": below, **dict.fromkeys(names, below)}
    inside = replace(scope, sources=sources, using={})
    return replace(inside, unqualified=frozenset(names)) if names else inside
