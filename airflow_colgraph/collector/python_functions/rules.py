"""The rules for Python functions whose source is known: over rows, and scalar ones. Pure.

Each other function keeps the rule that makes its columns depend on all its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from airflow_colgraph.collector.lineage.evaluation import EXPRESSIONS, evaluate
from airflow_colgraph.collector.lineage.frame import Frame, attribute_ids
from airflow_colgraph.collector.lineage.resolution import NODES, Resolution, Scope, scope_of
from airflow_colgraph.collector.lineage.rules.expressions import any_expression
from airflow_colgraph.collector.lineage.rules.relational import partition_keys
from airflow_colgraph.collector.lineage.rules.udfs import function_over_rows, group_keys
from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    CONSTANT,
    IDENTITY,
    NONE,
    TRANSFORMATION,
    Inputs,
    bits,
    fields_of,
    through,
    union,
)
from airflow_colgraph.collector.lineage.values import Value, members_of
from airflow_colgraph.collector.plan import Node, Row, expr_id, kind, name_of
from airflow_colgraph.collector.python_functions.remembered import key_of
from airflow_colgraph.collector.python_functions.values import joined_inputs
from airflow_colgraph.collector.registry import register

if TYPE_CHECKING:  # it is loaded when a plan has such a function
    from airflow_colgraph.collector.python_functions.interpretation import Outcome

SCALAR, ARROW_SCALAR, PANDAS_SCALAR = 100, 101, 200  # PySpark's PythonEvalType
PANDAS_ITERATOR, PANDAS_AGGREGATE, ARROW_COLUMNS = 204, 202, 250
ARROW_ITERATOR, ARROW_AGGREGATE = 251, 252
GROUPS_ITERATED = (215, 216)  # their batches, one after the other
BATCHES = {"MapInPandas", "MapInArrow", "PythonMapInArrow"}
GROUPS = {"FlatMapGroupsInPandas", "FlatMapGroupsInArrow"}
TABLES = {*GROUPS, "FlatMapCoGroupsInPandas", "FlatMapCoGroupsInArrow"}


class Input(NamedTuple):
    """A column that goes into a function."""

    name: str
    data_type: object
    value: Value


@register(NODES, *BATCHES, *TABLES)
def _function_over_rows(node: Node, children: list[Frame], query: Resolution) -> Frame:
    result = followed(node, children, query)
    keys = partition_keys(node, query) if node.kind in BATCHES else NONE
    if result is None:
        return function_over_rows(node, children, query).with_row_filters(keys)
    own = group_keys(node, children, scope_of(node, children, query))
    return result.with_row_filters(*own, keys)


def followed(node: Node, children: list[Frame], query: Resolution) -> Frame | None:
    """What a function over rows makes of them; None if it is not known."""
    rows = node.expression("functionExpr") or node.expression("func") or []
    functions = query.options.functions.of(_key(rows[0])) if rows and _has(query) else ()
    if not functions:
        return None
    tables = _tables(node, rows[1:], children, query)
    if tables is None:
        return None
    inputs = [each for table in tables for each in table]
    keys = _keys(node, children, query) if node.kind in GROUPS else []
    is_iterated = node.kind in BATCHES or _key(rows[0])[1] in GROUPS_ITERATED
    outcome = _outcome(functions, node, tables, len(keys), query, is_iterated)
    output = node.output() or node.output("outputAttrs")
    every = [each.value for each in inputs] + keys
    if outcome.opaque:
        query.opaque.update([node.kind, *outcome.opaque])
    columns = _columns(output, outcome)
    values = {
        expr_id(row): _value(row, result, inputs, every) for row, result in zip(output, columns)
    }
    frame_rows = union((*(child.rows for child in children), substituted(outcome.rows, every)))
    return Frame(attribute_ids(output), values, frame_rows)


def _has(query: Resolution) -> bool:
    """Whether functions are followed."""
    return query.options.functions is not None


def _key(row: Row) -> tuple[str, int, str]:
    of_aggregate = PANDAS_AGGREGATE if kind(row) == "PythonUDAF" else -1  # until Spark 3.5
    number = int(row.get("evalType") or of_aggregate)
    return key_of(str(row.get("name")), number, row.get("dataType"))


def _tables(
    node: Node, arguments: list[Row], children: list[Frame], query: Resolution
) -> list[list[Input]] | None:
    """The columns of each table that goes in; None if they have no names of their own."""
    scope = scope_of(node, children, query)
    tables: list[list[Input]] = [[] for _ in children]
    for row in arguments:
        if kind(row) != "AttributeReference":
            return None
        owners = [place for place, child in enumerate(children) if expr_id(row) in child.values]
        if len(owners) != 1 or _is_users(row.get("dataType")):
            return None
        tables[owners[0]].append(Input(name_of(row), row.get("dataType"), scope.attribute(row)))
    for table in tables:
        if not table or len({each.name for each in table}) < len(table):
            return None
    return tables


def _is_users(data_type: object) -> bool:
    """Whether a type is of the user's own classes: their methods may do anything."""
    if isinstance(data_type, dict) and data_type.get("type") == "udt":
        return True
    return any(_is_users(part["type"]) for part in members_of(data_type))


def _keys(node: Node, children: list[Frame], query: Resolution) -> list[Value]:
    scope = scope_of(node, children, query)
    return [evaluate(rows, scope) for rows in node.expressions("groupingAttributes")]


def _outcome(
    functions: Sequence[object],
    node: Node,
    tables: list[list[Input]],
    keys: int,
    query: Resolution,
    is_iterated: bool,
) -> Outcome:
    """What any of the functions makes of the tables."""
    from airflow_colgraph.collector.python_functions.interpretation import of_batches, of_tables

    numbered: list[list[tuple[str, Inputs]]] = []
    place = 0
    for table in tables:
        named = [(each.name, {IDENTITY: 1 << n}) for n, each in enumerate(table, place)]
        numbered.append(named)
        place += len(table)
    own_keys = [{IDENTITY: 1 << n} for n in range(place, place + keys)]

    def of(function: object) -> Callable[[], Outcome]:
        is_arrow = "Arrow" in node.kind
        if is_iterated:
            return lambda: of_batches(function, numbered[0], is_arrow, own_keys)
        return lambda: of_tables(function, numbered, own_keys, is_arrow)

    inputs = (node.kind, numbered, keys, is_iterated)
    certain = query.options.functions
    return either(certain.outcome(function, inputs, of(function)) for function in functions)


def either(outcomes: Iterable[Outcome]) -> Outcome:
    """What one of several functions makes: one that cannot be called so is not the plan's."""
    from airflow_colgraph.collector.python_functions.interpretation import Outcome

    every = [*outcomes]
    first, *others = [each for each in every if each.fits] or every
    for other in others:
        rows = union((first.rows, other.rows))
        opaque = tuple(dict.fromkeys((*first.opaque, *other.opaque)))
        if first.rest is None and other.rest is None and list(first.columns) == list(other.columns):
            columns = {
                name: joined_inputs(inputs, other.columns[name])
                for name, inputs in first.columns.items()
            }
            first = Outcome(columns, rows, None, opaque)
        else:
            first = Outcome({}, rows, union((_every(first), _every(other))), opaque)
    return first


def _every(outcome: Outcome) -> Inputs:
    return through(TRANSFORMATION, (*outcome.columns.values(), outcome.rest or {}))


def _columns(output: list[Row], outcome: Outcome) -> list[Inputs]:
    """What each output column comes from: by name, and by place where Spark may take that."""
    names = [str(row["name"]) for row in output]
    result = list(outcome.columns)
    if outcome.rest is not None or not set(names) <= set(result):
        return [_every(outcome)] * len(names)
    by_name = [outcome.columns[name] for name in names]
    if result[: len(names)] == names:
        return by_name
    by_place = [outcome.columns[name] for name in result[: len(names)]]
    return [joined_inputs(first, second) for first, second in zip(by_name, by_place)]


def _value(row: Row, result: Inputs, inputs: list[Input], every: list[Value]) -> Value:
    """The value of an output column: a column that is passed on keeps its members."""
    passed = result.get(IDENTITY, 0)
    sources = [each for place, each in enumerate(inputs) if passed >> place & 1]
    if any(each.data_type != row.get("dataType") for each in sources) or passed >> len(inputs):
        result = through(TRANSFORMATION, (result,))
    elif len(sources) == 1 and not any(
        fields for step, fields in result.items() if step != IDENTITY
    ):
        return sources[0].value
    return Value(substituted(result, every) or CONSTANT)


def substituted(result: Inputs, values: Sequence[Value]) -> Inputs:
    """The inputs with what each of them comes from itself."""
    return union(
        through(step, (values[place].inputs,))
        for step, fields in result.items()
        for place in bits(fields)
    )


# Scalar functions -----------------------------------------------------------------------------

SCALARS: dict[int, tuple[str, int]] = {  # what a kind of function gets, and how it uses that
    SCALAR: ("values", TRANSFORMATION),
    ARROW_SCALAR: ("values", TRANSFORMATION),
    PANDAS_SCALAR: ("columns", TRANSFORMATION),
    ARROW_COLUMNS: ("columns", TRANSFORMATION),
    PANDAS_ITERATOR: ("batches", TRANSFORMATION),
    ARROW_ITERATOR: ("batches", TRANSFORMATION),
    PANDAS_AGGREGATE: ("columns", AGGREGATION),
    ARROW_AGGREGATE: ("columns", AGGREGATION),
}


class NamedArgument(str):
    """The name by which a function gets an argument."""


@register(EXPRESSIONS, "NamedArgumentExpression")
def _named_argument(row: Row, scope: Scope, children: list[Value]) -> Value:
    name = NamedArgument(row.get("key") or "")
    return any_expression(row, scope, children)._replace(literal=name)


@register(EXPRESSIONS, "PythonUDF", "PythonUDAF")
def _udf(row: Row, scope: Scope, children: list[Value]) -> Value:
    """A scalar function: an argument that it does not use is no input, a test only decides."""
    key = _key(row)
    certain = scope.query.options.functions
    functions = certain.of(key) if _has(scope.query) and key[1] in SCALARS and children else ()
    names = [str(c.literal) for c in children if isinstance(c.literal, NamedArgument)]
    first = len(children) - len(names)
    is_last = not any(isinstance(child.literal, NamedArgument) for child in children[:first])
    handed, step = SCALARS.get(key[1], ("", TRANSFORMATION))
    if not functions or not all(names) or not is_last or (names and handed == "batches"):
        return any_expression(row, scope, children)
    arguments = [{IDENTITY: 1 << place} for place in range(len(children))]
    inputs = ("scalar", *key, len(children), names)
    outcome = either(
        certain.outcome(each, inputs, _scalar(each, arguments, handed, names)) for each in functions
    )
    if outcome.rest is not None:
        return any_expression(row, scope, children)
    result = through(step, (through(TRANSFORMATION, (outcome.columns[""],)),))
    return Value(substituted(result, children) if fields_of(result) else CONSTANT)


def _scalar(
    function: object, arguments: list[Inputs], handed: str, names: list[str]
) -> Callable[[], Outcome]:
    from airflow_colgraph.collector.python_functions.interpretation import (
        of_column_batches,
        of_scalars,
    )

    if handed == "batches":
        return lambda: of_column_batches(function, arguments)
    return lambda: of_scalars(function, arguments, handed == "columns", names)
