"""Tables whose column names are values: pivots, indicators, counts; and joins of nearest keys."""

from __future__ import annotations

import ast
from typing import Any

from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    GROUP_BY,
    TRANSFORMATION,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.calls import Arguments, callee_name
from airflow_colgraph.collector.python_functions.columns import method as column_method
from airflow_colgraph.collector.python_functions.library import function
from airflow_colgraph.collector.python_functions.reshaping import merged
from airflow_colgraph.collector.python_functions.run import Run, names_of
from airflow_colgraph.collector.python_functions.table_methods import method
from airflow_colgraph.collector.python_functions.tables import column
from airflow_colgraph.collector.python_functions.values import (
    Shape,
    Table,
    Value,
    decided,
    deciding_on_rows,
)
from airflow_colgraph.collector.python_functions.vocabulary import AGGREGATES

OF_PIVOTS = ("fill_value", "dropna", "observed", "sort")


@method("pivot", "pivot_table")
def _pivot(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    """A row for each of some keys, and a column for each value of another one."""
    options = dict(arguments.options)
    names = [options.pop(name, None) for name in ("index", "columns", "values")]
    is_pivot = callee_name(node) == "pivot"
    how = options.pop("aggfunc", Value(literal="mean")) if not is_pivot else Value()
    keys, spread, cells = (names_of(run, each) if each is not None else None for each in names)
    if keys is None or spread is None or cells is None or len(cells) != 1 or len(spread) != 1:
        return None
    is_list = names[2] is not None and names[2].literal != cells[0]  # columns of two levels
    if is_list or arguments.values or not {*keys, *spread, *cells} <= set(table.columns):
        return None
    if not (is_pivot or how.literal in AGGREGATES) or not set(options) <= {*OF_PIVOTS}:
        return None
    if any(map(run.content, options.values())) or table.rest is not None:
        return None
    labels = tuple((name, run.inputs(column(run, table, name))) for name in keys)
    by = union((*(inputs for _, inputs in labels), run.inputs(column(run, table, spread[0]))))
    shape = _grouped(run, node, table.shape, by)._replace(labels=labels)
    step = TRANSFORMATION if is_pivot else AGGREGATION
    cell = through(step, (run.inputs(column(run, table, cells[0])),))
    if not is_pivot:  # rows without any value are left out
        shape = shape._replace(rows=union((shape.rows, deciding_on_rows(cell))))
    return Table({}, shape, Value(union((cell, decided(by), table.shape.rows)), shape))


def _grouped(run: Run, node: ast.AST, shape: Shape, by: Inputs) -> Shape:
    """Rows that are one for each value of some inputs."""
    rows = union((shape.rows, through(GROUP_BY, (by,))))
    return Shape(run.rows(node, "#pivoted"), rows, union((by, rows)), None)


@function("pandas.crosstab")
def _crosstab(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    """How often pairs of values occur: a row for each first, a column for each second one."""
    columns = arguments.every()
    if len(columns) != 2 or not arguments.only("index", "columns"):
        return None
    if any(each.shape is None or each.refs or each.callee is not None for each in columns):
        return None
    by = union(
        (*map(run.inputs, columns), *(each.shape.index_by for each in columns if each.shape))
    )
    rows = union(each.shape.rows for each in columns if each.shape is not None)
    shape = _grouped(run, node, Shape(frozenset(), rows), by)
    return run.new(node, Table({}, shape, Value(union((through(AGGREGATION, (by,)), rows)), shape)))


@function("pandas.get_dummies")
def _indicators(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    """A column for each value of a column, of the same rows."""
    data = arguments.get(0, "data")
    if data is None or data.shape is None or data.refs or data.callee is not None:
        return None
    if len(arguments.values) > 1 or not arguments.only("data", "prefix", "prefix_sep", "dtype"):
        return None
    indicator = Value(through(TRANSFORMATION, (run.inputs(data),)), data.shape)
    return run.new(node, Table({}, data.shape, indicator))


@column_method("value_counts")
def _value_counts(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    """How often each value occurs. What its index is called differs between versions of pandas."""
    if value.shape is None or arguments.values:
        return None
    if not arguments.only("normalize", "sort", "ascending", "dropna"):
        return None
    by = run.inputs(value)
    shape = _grouped(run, node, value.shape, by)
    return Value(union((through(AGGREGATION, (by,)), value.shape.rows)), shape)


OF_NEAREST = ("left", "right", "on", "by", "direction", "tolerance", "allow_exact_matches")


@function("pandas.merge_asof")
def _nearest(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    """Each row of a table, and the row of another one with the nearest key."""
    left, right = arguments.get(0, "left"), arguments.get(1, "right")
    on, by = arguments.options.get("on"), arguments.options.get("by", Value(literal=()))
    table = run.table(left) if left is not None else None
    if left is None or right is None or on is None or table is None or len(arguments.values) > 2:
        return None
    keys = [names_of(run, on), names_of(run, by)]
    others = [arguments.options.get(name, Value()) for name in OF_NEAREST[4:]]
    if None in keys or not arguments.only(*OF_NEAREST) or any(map(run.content, others)):
        return None
    names = tuple(name for each in keys for name in each or ())
    how = {"on": Value(literal=names), "how": Value(literal="left")}
    result = merged(run, node, table, right, Arguments([], how), run.inputs(left))
    if result is None:
        return None
    matched = deciding_on_rows(union(run.inputs(column(run, table, name)) for name in names))
    rows = union((result.shape.rows, matched))
    shape = result.shape._replace(rows=rows)
    return run.new(
        node,
        Table({n: column(run, result, n)._replace(shape=shape) for n in result.columns}, shape),
    )
