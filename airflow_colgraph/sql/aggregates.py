"""What aggregates and windows come from: rules by sqlglot's class. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp

from airflow_colgraph.sql.expressions import (
    aggregates,
    children_of,
    classes,
    function_name,
    inputs_of,
    rule,
)
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import (
    AGGREGATION,
    CONDITIONAL,
    FILTER,
    SORT,
    TRANSFORMATION,
    WINDOW,
    Inputs,
    through,
    union,
)


def is_aggregated(column: exp.Expr, dialect: str) -> bool:
    """Whether a column is inside an aggregate of its query."""
    around = column.parent
    while around is not None and not isinstance(around, exp.Query):
        if aggregates(around, dialect) or isinstance(around, exp.Filter):
            return True
        around = around.parent
    return False


@rule("Filter")
def _filter(node: exp.Filter, scope: Scope) -> Inputs:
    where = through(FILTER, [inputs_of(node.expression.this, scope)])
    return union(inputs_of(node.this, scope), where)


@rule("CombinedAggFunc", "CombinedParameterizedAgg")
def _combined(node: exp.Expr, scope: Scope) -> Inputs:
    """ClickHouse's aggregates with combinators: `sumIf(x, y)` is of the rows where y."""
    arguments = list(node.args.get("params") or node.expressions)
    values, conditions = arguments, []
    if re.search(r"If(?=$|Or|Array|State|Merge|Distinct|Resample)", str(node.this)):
        values, conditions = arguments[:-1], arguments[-1:]
    is_by = re.match(r"argM(ax|in)(?!Merge)", str(node.this)) is not None
    values, keys = (values[:1], values[1:]) if is_by else (values, [])
    steps = ((AGGREGATION, values), (CONDITIONAL, keys), (FILTER, conditions))
    return union(*(through(step, [inputs_of(n, scope) for n in nodes]) for step, nodes in steps))


@rule("WithinGroup")
def _within_group(node: exp.WithinGroup, scope: Scope) -> Inputs:
    """`listagg(x) WITHIN GROUP (ORDER BY y)`; a percentile is one of the values it orders by."""
    order = inputs_of(node.expression, scope)
    percentiles = classes("PercentileCont", "PercentileDisc", "Mode", "Quantile")
    is_named = function_name(node.this) in {"MODE", "PERCENTILE_CONT", "PERCENTILE_DISC"}
    if isinstance(node.this, percentiles) or is_named:
        return through(AGGREGATION, [order, inputs_of(node.this, scope)])
    return union(inputs_of(node.this, scope), through(SORT, [order]))


@rule("ArrayAgg", "GroupConcat", "JSONArrayAgg")
def _collected(node: exp.Expr, scope: Scope) -> Inputs:
    """`array_agg(x ORDER BY y)`."""
    value = node.this
    order = children_of(node, scope, "order")
    while isinstance(value, (exp.Limit, exp.Order, exp.IgnoreNulls, exp.RespectNulls)):
        if isinstance(value, exp.Order):
            order += children_of(value, scope, "expressions")
        value = value.this
    if isinstance(value, exp.Distinct):
        value = value.expressions[0] if value.expressions else value
    inputs = through(AGGREGATION, [inputs_of(value, scope), *children_of(node, scope, "separator")])
    return union(inputs, through(SORT, order))


@rule("ArgMax", "ArgMin", "HavingMax")
def _by(node: exp.Expr, scope: Scope) -> Inputs:
    value = through(AGGREGATION, [inputs_of(node.this, scope)])
    return union(value, through(CONDITIONAL, [inputs_of(node.expression, scope)]))


@rule("Comprehension")
def _comprehension(node: exp.Comprehension, scope: Scope) -> Inputs:
    """`[f(x) for x in items if g(x)]`."""
    items = inputs_of(node.args.get("iterator"), scope)
    inner = scope.with_parameters([node.expression.name], items)
    parts = [inputs_of(part, inner) for part in (node.this, node.args.get("condition"))]
    return through(TRANSFORMATION, [items, *parts])


@rule("Lag", "Lead", "NthValue")
def _neighbour(node: exp.Expr, scope: Scope) -> Inputs:
    return through(TRANSFORMATION, children_of(node, scope, "this", "default", "offset"))


@rule("RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile")
def _rank(node: exp.Expr, scope: Scope) -> Inputs:
    return through(WINDOW, children_of(node, scope))  # mostly the window alone decides


@rule("Window")
def _window(node: exp.Window, scope: Scope) -> Inputs:
    keys = list(window_keys(node, scope))
    return union(
        inputs_of(node.this, scope), through(WINDOW, (inputs_of(key, scope) for key in keys))
    )


def window_keys(node: exp.Expr, scope: Scope) -> Iterable[exp.Expr]:
    """What a window is partitioned and ordered by, here and in the named window it uses."""
    yield from node.args.get("partition_by") or ()
    order = node.args.get("order")
    yield from order.expressions if order else ()
    for name in (node.args.get("alias"), node.args.get("over")):
        named = scope.windows.get(getattr(name, "name", "").casefold())
        if named is not None and named is not node:
            yield from window_keys(named, scope)
