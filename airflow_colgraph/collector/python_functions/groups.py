"""Groups of a table, and windows over rows."""

from __future__ import annotations

import ast
from typing import Any

from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    GROUP_BY,
    NONE,
    TRANSFORMATION,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.calls import Arguments, applied
from airflow_colgraph.collector.python_functions.run import Run, names_of
from airflow_colgraph.collector.python_functions.tables import (
    closed_over,
    column,
    picked,
    with_rows,
)
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    Ref,
    Shape,
    Table,
    Value,
    decided,
    deciding_on_rows,
)
from airflow_colgraph.collector.python_functions.vocabulary import AGGREGATES, IN_ORDER

AGGREGATED = (AGGREGATES | IN_ORDER) | {
    *("size", "agg", "aggregate", "transform", "apply", "head", "tail", "sample", "cumcount"),
}


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
    options: dict[str, tuple[str, Any]] = {each: (each, name) for each in names}
    labels = tuple((key, run.inputs(column(run, result, key))) for key in keys.literal)
    if name == "size" and not arguments.every():
        shape = _shape(run, node, result, by_keys)._replace(labels=labels)
        if callee.name:
            return None
        return Value(shape.rows, shape)
    if name in ("agg", "aggregate"):
        parsed = _aggregations(run, names, is_one, arguments)
        if parsed is None:
            return None
        options, is_one = parsed
    elif name in IN_ORDER or name == "cumcount":
        if not is_one and name != "cumcount":
            return None
        over = column(run, result, names[0]) if is_one else Value(shape=result.shape)
        answer = over_rows(run, over, arguments)
        return answer._replace(inputs=union((answer.inputs, by_keys)))
    elif name == "transform":
        what = arguments.get(0, "func")
        if what is None or not is_one or len(arguments.every()) > 1:
            return None
        inputs = _aggregate(run, result, names[0], by_keys)
        if what.callee is not None:
            inputs = union((_of_group(run, node, what, result, names[0], by_keys), by_keys))
        elif what.literal not in AGGREGATES:
            return None
        return Value(inputs, result.shape, buffers=frozenset({Ref(run.site(node))}))
    elif name in ("head", "tail", "sample"):
        if chosen and is_one:
            return None
        rows = deciding_on_rows(union((by_keys, *map(run.content, arguments.every()))))
        return run.new(
            node, with_rows(run, node, picked(run, result, every_of(names, keys, chosen)), rows)
        )
    elif name == "apply":
        return _applied(run, node, result, by_keys, arguments) if not chosen else None
    elif name not in AGGREGATES:
        return None
    shape = _shape(run, node, result, by_keys)._replace(labels=labels)
    columns = {
        label: Value(_of_function(run, node, result, source, function), shape)
        for label, (source, function) in options.items()
    }
    if is_one and not callee.name:
        ((label, value),) = columns.items()
        return value._replace(label=label, buffers=frozenset({Ref(run.site(node))}))
    if callee.name:  # as_index=False
        if set(columns) & set(keys.literal):
            return None
        columns = {**_key_columns(run, result, keys, shape), **columns}
        return run.new(node, Table(columns, shape._replace(index_by=NONE, labels=())))
    return run.new(node, Table(columns, shape))


def every_of(names: list[str], keys: Value, chosen: list[Any]) -> list[str]:
    """The columns of some rows of groups: with the keys, if none are chosen."""
    return names if chosen else [*dict.fromkeys((*keys.literal, *names))]


def _group(run: Run, node: ast.AST, result: Table, by: Inputs) -> Table:
    """The rows of a group."""
    rows, index = union((result.shape.rows, by)), union((result.shape.index_by, by))
    return with_rows(run, node, result, rows, index, "#group")


def _of_group(
    run: Run, node: ast.AST, function: Value, result: Table, name: str, by: Inputs
) -> Inputs:
    """What a function makes of a column of a group."""
    part = column(run, _group(run, node, result, by), name)
    return run.element(applied(run, node, function, [part], "#group"))


def _of_function(run: Run, node: ast.AST, result: Table, name: str, function: Any) -> Inputs:
    """What an aggregate makes of a column: one by its name, or a function."""
    if isinstance(function, Value):
        inputs = _of_group(run, node, function, result, name, NONE)
        return through(AGGREGATION, (inputs,))
    return _aggregate(run, result, name, NONE)


def _applied(
    run: Run, node: ast.AST, result: Table, by: Inputs, arguments: Arguments
) -> Value | None:
    """Tables that a function makes of groups, one below the other."""
    function = arguments.get(0, "func")
    if function is None or function.callee is None or not arguments.only("func", "include_groups"):
        return None
    if len(arguments.values) > 1:
        return None
    part = run.new(node, _group(run, node, result, by), "#part")
    answer = applied(run, node, function, [part], "#group")
    table = run.table(answer)
    if table is None:
        return closed_over(run, node, answer, Value(union((by, result.shape.rows))))
    index = union((table.shape.index_by, by))
    rows = deciding_on_rows(union((by, run.inputs(answer))))
    stacked = with_rows(run, node, table, rows, index, "#stacked")
    shape = stacked.shape._replace(labels=None)
    columns = {name: each._replace(shape=shape) for name, each in stacked.columns.items()}
    return run.new(node, Table(columns, shape, stacked.rest and stacked.rest._replace(shape=shape)))


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
) -> tuple[dict[str, tuple[str, Any]], bool] | None:
    """The columns that `agg` makes: from what column, by what function; whether it is a column."""
    what = arguments.get(0, "func")
    if what is None:
        pairs = {label: _pair_of(run, each) for label, each in arguments.options.items()}
        if is_one:
            pairs = {n: (names[0], _function_of(run, v)) for n, v in arguments.options.items()}
        is_column = False
    elif arguments.options.keys() - {"func"} or len(arguments.values) > 1:
        return None
    else:
        items = run.items(what)
        is_known = items is not None and items.rest is None and not items.count_by
        if is_known and items is not None and items.kind == "dict" and not is_one:
            pairs = {n: (n, _function_of(run, each)) for n, each in items.elements.items()}
        elif is_known and items is not None and items.kind == "list" and is_one:
            if any(each.callee is not None for each in items.every()):  # it gives the column's name
                return None
            pairs = {str(v.literal): (names[0], _function_of(run, v)) for v in items.every()}
        else:
            pairs = {name: (name, _function_of(run, what)) for name in names}
        is_column = is_one and items is None
    if not pairs or any(name not in names or not function for name, function in pairs.values()):
        return None
    return pairs, is_column


def _function_of(run: Run, value: Value) -> Any:
    """An aggregate's name, a function of the program's, or None."""
    if run.inputs(value):
        return None
    return value if value.callee is not None else AGGREGATES & {value.literal} and value.literal


def _pair_of(run: Run, value: Value) -> tuple[Any, Any]:
    items = run.items(value)
    if items is None or items.kind != "tuple" or len(items.elements) != 2:
        return None, None
    name, function = items.every()
    return name.literal, _function_of(run, function)


def over_rows(run: Run, value: Value, arguments: Arguments, by_index: bool = False) -> Value:
    """Values that each depend on the rows around them, by their labels perhaps."""
    assert value.shape is not None
    by = [decided(value.shape.rows), *map(run.content, arguments.every())]
    if by_index or "freq" in arguments.options:
        by.append(decided(value.shape.index_by))
    return Value(
        union((through(TRANSFORMATION, (run.inputs(value),)), *by)),
        value.shape,
        buffers=value.buffers,
    )
