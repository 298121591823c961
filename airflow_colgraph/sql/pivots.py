"""PIVOT, UNPIVOT and MATCH_RECOGNIZE: columns that are named by their clause. Pure."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

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
    used = {column.name.casefold() for column in pivot.find_all(exp.Column)}
    aggregates = [through(AGGREGATION, [inputs_of(one, inside)]) for one in pivot.expressions]
    keys = [inputs_of(one.this, inside) for one in pivot.args.get("fields") or ()]
    values = [union(one, through(CONDITIONAL, keys)) for one in aggregates] or [NONE]
    kept = [(name, inputs) for name, inputs in below.columns if name.casefold() not in used]
    grouped = [*keys, *(inputs for _, inputs in kept)]
    rows = union(below.rows, through(GROUP_BY, grouped))
    names = [name.name for name in pivot.args.get("columns") or ()]
    if not names or below.is_open:
        scope.environment.findings.unknown("Pivot")
    made = tuple((name, values[at % len(values)]) for at, name in enumerate(names))
    behind = (below,) if below.is_open else ()
    every = None if names else union(*values)
    found = Relation((*kept, *made), rows, behind=behind, everything=every)
    return found.renamed(_alias_columns(pivot))


def _unpivoted(pivot: exp.Pivot, below: Relation, scope: Scope) -> Relation:
    """Each value column has what stands at its place in the lists; rows without a value are out."""
    names = [
        [name.name for name in (one.expressions if isinstance(one, exp.Tuple) else [one])]
        for one in pivot.expressions
    ]
    width = max(map(len, names), default=1)
    turned: list[list[Inputs]] = [[] for _ in range(width)]
    used: set[str] = set()
    made: list[tuple[str, Inputs]] = []
    for one in pivot.args.get("fields") or ():
        for item in one.args.get("expressions") or ():
            columns = list(item.find_all(exp.Column))
            used.update(column.name.casefold() for column in columns)
            for at, column in enumerate(columns):
                turned[at % width].append(inputs_of(column, scope))
        made.append((one.this.name, NONE))
    values = [
        (name, union(*turned[at % width])) for group in names for at, name in enumerate(group)
    ]
    kept = [(name, inputs) for name, inputs in below.columns if name.casefold() not in used]
    behind = (below,) if below.is_open else ()
    rows = below.rows
    if not pivot.args.get("include_nulls"):
        rows = union(rows, through(FILTER, (inputs for place in turned for inputs in place)))
    found = Relation((*kept, *made, *values), rows, behind=behind)
    return found.renamed(_alias_columns(pivot))


def _alias_columns(node: exp.Expression) -> list[str]:
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
