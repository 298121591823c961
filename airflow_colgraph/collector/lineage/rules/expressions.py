"""What a Spark expression comes from: the table EXPRESSIONS. Pure.

A rule gets the expression's row, the scope (the attributes it can see) and the values of its
children. An expression without a rule comes from all its children, which is right for almost all
of Spark's functions: a rule is needed where a child only decides, or where nothing is used.
"""

from __future__ import annotations

from airflow_colgraph.collector.lineage.evaluation import EXPRESSIONS, evaluate
from airflow_colgraph.collector.lineage.resolution import Scope
from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    CONDITIONAL,
    CONSTANT,
    FILTER,
    MASKING,
    NONE,
    SORT,
    TRANSFORMATION,
    WINDOW,
    fields_of,
    union,
)
from airflow_colgraph.collector.lineage.unknown import inner_rows, is_plan
from airflow_colgraph.collector.lineage.values import (
    NOTHING,
    SOURCELESS,
    Value,
    indirect,
    joined,
    made_of,
    stepped,
    with_indirect,
)
from airflow_colgraph.collector.plan import OUTER, Row, Rows, as_rows, kind
from airflow_colgraph.collector.registry import ANY, register


@register(EXPRESSIONS, ANY)
def any_expression(row: Row, scope: Scope, children: list[Value]) -> Value:
    """A function that has no rule: computed from all arguments, or what Spark takes instead."""
    if "replacement" in row and len(children) == 1:
        return stepped(children[0], TRANSFORMATION)
    inner = [*inner_rows(row)] if has_more(row) else []
    if children and not inner:
        return made_of(children)
    if "exprId" in row and not children:
        return scope.attribute(row)
    counted = scope.query.opaque if inner else scope.query.unresolved
    counted[kind(row)] += 1
    return made_of([*children, *(inner_value(rows, scope) for rows in inner)])


def has_more(row: Row) -> bool:
    """Whether an expression without a rule may come from more than its children."""
    return not row["num-children"] or any(name in row for name in ("plan", "e"))


def inner_value(rows: Rows, scope: Scope) -> Value:
    """What is inside an expression, but no child of it: another expression, or a whole query."""
    if not is_plan(rows):
        return evaluate(rows, scope)
    frame = scope.subquery(rows)
    return Value(union((*(value.inputs for value in frame.in_order()), frame.rows)))


@register(EXPRESSIONS, "AttributeReference", "NamedLambdaVariable")
def _attribute(row: Row, scope: Scope, children: list[Value]) -> Value:
    return scope.attribute(row)


@register(EXPRESSIONS, *OUTER)
def _outer(row: Row, scope: Scope, children: list[Value]) -> Value:
    if children:
        return children[0]
    return evaluate(as_rows(row["e"]), scope.outer or scope)


@register(EXPRESSIONS, "BoundReference")
def _bound(row: Row, scope: Scope, children: list[Value]) -> Value:
    return joined(scope.values.values())


@register(EXPRESSIONS, "Literal")
def _literal(row: Row, scope: Scope, children: list[Value]) -> Value:
    if "value" not in row:  # the names of a struct's members are literals, too
        scope.query.unresolved[kind(row)] += 1
    if not scope.query.sources.notes.arguments:
        return Value(CONSTANT, None, row.get("value"))
    arguments = stepped(scope.query.arguments(), TRANSFORMATION)
    return Value(arguments.inputs or CONSTANT, None, row.get("value"))


@register(EXPRESSIONS, "Alias")
def _alias(row: Row, scope: Scope, children: list[Value]) -> Value:
    return children[0]


@register(EXPRESSIONS, "StaticInvoke")
def _static_invoke(row: Row, scope: Scope, children: list[Value]) -> Value:
    if row.get("functionName") in OF_CHARS:
        return children[0]
    return any_expression(row, scope, children)


OF_CHARS = {  # padding and length checks of CHAR and VARCHAR, which Spark puts around a column
    "charTypeWriteSideCheck",
    "readSidePadding",
    "varcharTypeWriteSideCheck",
}


@register(EXPRESSIONS, "PreciseTimestampConversion")
def _of_a_time_window(row: Row, scope: Scope, children: list[Value]) -> Value:
    """The bounds of a time window: Spark's own conditions in them affect nothing."""
    (value,) = children
    return Value({TRANSFORMATION: fields_of(value.inputs)} if value.inputs else NONE)


# Values chosen by a condition -----------------------------------------------------------------


def chosen(conditions: list[Value], values: list[Value]) -> Value:
    """One of `values`, as `conditions` decide."""
    picked = stepped(joined(values), TRANSFORMATION)
    return with_indirect(picked, indirect(CONDITIONAL, *conditions))


@register(EXPRESSIONS, "If", "NullIfResult")
def _if(row: Row, scope: Scope, children: list[Value]) -> Value:
    return chosen(children[:1], children[1:])


@register(EXPRESSIONS, "CaseWhen")
def _case_when(row: Row, scope: Scope, children: list[Value]) -> Value:
    pairs = len(children) // 2 * 2  # when, then, when, then, ... and perhaps an else
    return chosen(children[0:pairs:2], children[1:pairs:2] + children[pairs:])


@register(EXPRESSIONS, "Coalesce", "NaNvl")
def _coalesce(row: Row, scope: Scope, children: list[Value]) -> Value:
    return chosen(children, children)


# Aggregates and windows -----------------------------------------------------------------------


@register(EXPRESSIONS, "AggregateExpression")
def _aggregate(row: Row, scope: Scope, children: list[Value]) -> Value:
    function, *filters = children
    return with_indirect(stepped(function, AGGREGATION), indirect(FILTER, *filters))


@register(EXPRESSIONS, "Count", "CountIf")
def _count(row: Row, scope: Scope, children: list[Value]) -> Value:
    if not children:  # `count()`, which a setting of Spark's allows
        return SOURCELESS
    return made_of(children, TRANSFORMATION + MASKING)


@register(
    EXPRESSIONS, "Crc32", "HiveHash", "Md5", "Murmur3Hash", "Sha1", "Sha2", "XxHash64", "Mask"
)
def _masked(row: Row, scope: Scope, children: list[Value]) -> Value:
    return made_of(children, TRANSFORMATION + MASKING)


@register(EXPRESSIONS, "MaxBy", "MinBy")
def _by(row: Row, scope: Scope, children: list[Value]) -> Value:
    value, *ordering = children
    return with_indirect(stepped(value, TRANSFORMATION), indirect(CONDITIONAL, *ordering))


@register(EXPRESSIONS, "PivotFirst")
def _pivot_first(row: Row, scope: Scope, children: list[Value]) -> Value:
    pivot, *values = children
    return chosen([pivot], values)


@register(EXPRESSIONS, "First", "Last", "CollectList")
def _some_of(row: Row, scope: Scope, children: list[Value]) -> Value:
    return stepped(children[0], TRANSFORMATION)


@register(EXPRESSIONS, "Lag", "Lead")
def _neighbour(row: Row, scope: Scope, children: list[Value]) -> Value:
    value, offset, default = children
    return with_indirect(
        stepped(joined([value, default]), TRANSFORMATION), made_of([offset]).inputs
    )


@register(EXPRESSIONS, "ListAgg")
def _list_agg(row: Row, scope: Scope, children: list[Value]) -> Value:
    value, *rest = children
    return Value(union((made_of([value]).inputs, indirect(SORT, *rest))))


@register(EXPRESSIONS, "Rank", "DenseRank", "PercentRank", "RowNumber", "CumeDist", "NTile")
def _rank(row: Row, scope: Scope, children: list[Value]) -> Value:
    return SOURCELESS  # the window alone decides


@register(EXPRESSIONS, "WindowExpression")
def _window(row: Row, scope: Scope, children: list[Value]) -> Value:
    function, specification = children
    return with_indirect(function, indirect(WINDOW, specification))


# Subqueries -----------------------------------------------------------------------------------


@register(EXPRESSIONS, "ScalarSubquery")
def _scalar_subquery(row: Row, scope: Scope, children: list[Value]) -> Value:
    frame = scope.subquery(row["plan"])
    return with_indirect(frame.value(0), frame.rows)


@register(EXPRESSIONS, "Exists")
def _exists(row: Row, scope: Scope, children: list[Value]) -> Value:
    return Value(union((CONSTANT, scope.subquery(row["plan"]).rows)))  # rows are counted


@register(EXPRESSIONS, "ListQuery")
def _list_query(row: Row, scope: Scope, children: list[Value]) -> Value:
    frame = scope.subquery(row["plan"])
    return Value(union((*(value.inputs for value in frame.in_order()), frame.rows)))


# Definitions inside one expression ------------------------------------------------------------
#
# `With(child, definitions)` stands for `between` and `nullif`. Rows are read from the last to the
# first, so the definitions are met before the references, and inner ones are gone before outer
# references are met: a stack is all it takes. Spark does not print the definitions' ids.


@register(EXPRESSIONS, "CommonExpressionDef")
def _common_definition(row: Row, scope: Scope, children: list[Value]) -> Value:
    scope.query.common.append(children[0])
    return NOTHING


@register(EXPRESSIONS, "CommonExpressionRef")
def _common_reference(row: Row, scope: Scope, children: list[Value]) -> Value:
    return scope.query.common[-1]


@register(EXPRESSIONS, "With")
def _with(row: Row, scope: Scope, children: list[Value]) -> Value:
    definitions = len(children) - 1
    if definitions:
        del scope.query.common[-definitions:]
    return children[0]


@register(EXPRESSIONS, "TypedNullLiteral", "TypeOf")
def _of_the_type(row: Row, scope: Scope, children: list[Value]) -> Value:
    return SOURCELESS  # its child only gives the type
