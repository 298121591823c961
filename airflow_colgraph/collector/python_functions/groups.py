"""Groups of a table, and windows over rows."""

from __future__ import annotations

import ast

from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    GROUP_BY,
    NONE,
    TRANSFORMATION,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.calls import Arguments
from airflow_colgraph.collector.python_functions.run import Run, literal_of, names_of
from airflow_colgraph.collector.python_functions.tables import closed_over, column
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    Shape,
    Table,
    Value,
    decided,
)
from airflow_colgraph.collector.python_functions.vocabulary import AGGREGATES

AGGREGATED = AGGREGATES | {"size", "agg", "aggregate", "transform", "apply", "head", "cumcount"}


def grouped(run: Run, node: ast.AST, table: Value, arguments: Arguments) -> Value:
    """`table.groupby(keys)`."""
    result, by = run.table(table), arguments.get(0, "by")
    names = names_of(run, by) if by is not None else None
    is_plain = arguments.only("by", "as_index", "sort", "dropna", "observed", "group_keys")
    if result is None or names is None or not is_plain or not set(names) <= set(result.columns):
        return closed_over(run, node, table, *arguments.every())
    keys = Value(
        union(run.inputs(column(run, result, name)) for name in names), literal=tuple(names)
    )
    as_index = arguments.options.get("as_index")
    if as_index is not None and as_index.literal not in (True, False):
        return closed_over(run, node, table, *arguments.every())
    is_index = as_index is None or bool(as_index.literal)
    return Value(callee=Callee("grouped", "" if is_index else "flat", (table, keys)))


def group_method(
    run: Run, node: ast.AST, callee: Callee, name: str, arguments: Arguments
) -> Value | None:
    """A method of groups; None if it is not known."""
    table, keys, *chosen = callee.parts
    result = run.table(table)
    if result is None or result.rest is not None:
        return None
    by_keys = through(GROUP_BY, (keys.inputs,))
    every = [each for each in result.columns if each not in keys.literal]
    names = list(chosen[0]) if chosen else every
    is_one = bool(chosen and chosen[1])
    if not set(names) <= set(result.columns):
        return None
    options = {each: (each, name) for each in names}
    if name == "size" and not arguments.every():
        shape = _shape(run, node, result, by_keys)
        if callee.name:
            return None
        return Value(shape.rows, shape)
    if name in ("agg", "aggregate"):
        parsed = _aggregations(run, names, is_one, arguments)
        if parsed is None:
            return None
        options, is_one = parsed
    elif name == "transform":
        what = arguments.get(0, "func")
        if what is None or what.literal not in AGGREGATES or not is_one:
            return None
        inputs = _aggregate(run, result, names[0], by_keys)
        return Value(inputs, result.shape)
    elif name not in AGGREGATES:
        return None
    labels = tuple((key, run.inputs(column(run, result, key))) for key in keys.literal)
    shape = _shape(run, node, result, by_keys)._replace(labels=labels)
    columns = {
        label: Value(_aggregate(run, result, source, NONE), shape)
        for label, (source, _) in options.items()
    }
    if is_one and not callee.name:
        (value,) = columns.values()
        return value
    if callee.name:  # as_index=False
        if set(columns) & set(keys.literal):
            return None
        columns = {**_key_columns(run, result, keys, shape), **columns}
        return run.new(node, Table(columns, shape._replace(index_by=NONE, labels=())))
    return run.new(node, Table(columns, shape))


def _key_columns(run: Run, result: Table, keys: Value, shape: Shape) -> dict[str, Value]:
    return {name: Value(run.inputs(column(run, result, name)), shape) for name in keys.literal}


def _shape(run: Run, node: ast.AST, result: Table, by: Inputs) -> Shape:
    rows = union((result.shape.rows, by))
    return Shape(run.rows(node, "#grouped"), rows, union((by, rows)))


def _aggregate(run: Run, result: Table, name: str, by: Inputs) -> Inputs:
    inputs = through(AGGREGATION, (run.inputs(column(run, result, name)),))
    return union((inputs, by, result.shape.rows, result.shape.index_by if by else NONE))


def _aggregations(
    run: Run, names: list[str], is_one: bool, arguments: Arguments
) -> tuple[dict[str, tuple[str, str]], bool] | None:
    """The columns that `agg` makes: of which column, by which function."""
    what = arguments.get(0, "func")
    if what is not None and not arguments.options.keys() - {"func"}:
        literal = literal_of(run, what)
        if isinstance(literal, str) and literal in AGGREGATES:
            return {name: (name, literal) for name in names}, is_one
        if isinstance(literal, dict) and not is_one:
            certain = all(
                name in names and isinstance(function, str) and function in AGGREGATES
                for name, function in literal.items()
            )
            return ({n: (n, f) for n, f in literal.items()}, False) if certain else None
        return None
    pairs = {label: literal_of(run, value) for label, value in arguments.options.items()}
    if what is not None or not pairs:
        return None
    if is_one:
        certain = all(isinstance(f, str) and f in AGGREGATES for f in pairs.values())
        return ({label: (names[0], f) for label, f in pairs.items()}, False) if certain else None
    certain = all(
        isinstance(pair, tuple) and len(pair) == 2 and pair[0] in names and pair[1] in AGGREGATES
        for pair in pairs.values()
    )
    return (pairs, False) if certain else None


def over_rows(run: Run, value: Value, arguments: Arguments, by_index: bool = False) -> Value:
    """Values each of which depends on the rows around it, by their labels perhaps."""
    assert value.shape is not None
    by = [decided(value.shape.rows), *map(run.content, arguments.every())]
    if by_index or "freq" in arguments.options:
        by.append(decided(value.shape.index_by))
    return Value(
        union((through(TRANSFORMATION, (run.inputs(value),)), *by)),
        value.shape,
        buffers=value.buffers,
    )
