"""Tables: their columns, other rows of them, and what is put into them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping

from airflow_colgraph.collector.lineage.transformations import (
    NONE,
    TRANSFORMATION,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.run import Run
from airflow_colgraph.collector.python_functions.values import (
    Ref,
    Shape,
    Table,
    Value,
    decided,
    either_value,
    joined_object,
    joined_value,
    shape_of_any,
    with_data,
)


def column(run: Run, table: Table, name: str, by: Inputs = NONE) -> Value:
    """A column by its name; any of those whose names are not known."""
    entry = [table.columns[name]] if name in table.columns else []
    if not entry and table.rest is not None:
        entry = [table.rest]
    if not entry:  # the program would fail
        return Value(by, table.shape)
    (value,) = entry
    label = name if name in table.columns else ""
    value = value._replace(shape=table.shape, refs=frozenset(), callee=None, label=label)
    return value._replace(inputs=union((run.inputs(value), by)))


def any_column(run: Run, table: Table, by: Inputs = NONE) -> Value:
    """Any of the columns."""
    every = table.every()
    value = either_value(every) if every else Value()
    inputs = union((*(through(TRANSFORMATION, (run.inputs(each),)) for each in every), by))
    return value._replace(inputs=inputs, shape=table.shape, label="")


def label_of(run: Run, table: Table, label: Value | None) -> str | None:
    """The column that a name or a place is of."""
    if label is None or run.content(label) or table.rest is not None:
        return None
    names = list(table.columns)
    if isinstance(label.literal, int) and 0 <= label.literal < len(names):
        return names[label.literal]
    return label.literal if label.literal in table.columns else None


def opened(run: Run, table: Table, by: Inputs = NONE) -> Table:
    """The table with columns of unknown names; each may be any."""
    return Table({}, table.shape, any_column(run, table, by))


def closed_over(run: Run, node: ast.AST, value: Value, *more: Value) -> Value:
    """A table that is only known by what went into it."""
    inputs = union(map(run.content, (value, *more)))
    buffers = frozenset(
        buffer
        for result in run.objects(value)
        if isinstance(result, Table)
        for each in result.every()
        for buffer in each.buffers
    )
    inputs = through(TRANSFORMATION, (inputs,))
    shape = shape_of_any(inputs)._replace(tokens=run.rows(node, "#any"))
    return run.new(node, Table({}, shape, Value(inputs, shape, buffers=buffers)), "#any")


def mapped(run: Run, node: ast.AST, value: Value, change: Callable[[str, Value], Value]) -> Value:
    """A table with each of its columns changed, of the same rows."""
    table = run.table(value)
    assert table is not None
    by = decided(run.inputs(value))
    columns = {}
    for name in table.columns:
        columns[name] = change(name, column(run, table, name, by))._replace(shape=table.shape)
    rest = None
    if table.rest is not None:
        rest = change("", any_column(run, table, by))._replace(shape=table.shape)
    return run.new(node, Table(columns, table.shape, rest), "#mapped")


def with_rows(
    run: Run, node: ast.AST, table: Table, rows: Inputs = NONE, index: Inputs = NONE, part: str = ""
) -> Table:
    """The same columns of other rows, as `rows` decide."""
    shape = Shape(
        run.rows(node, part),
        union((table.shape.rows, rows)),
        union((table.shape.index_by, index)),
        table.shape.labels,
    )
    columns = {name: column(run, table, name)._replace(shape=shape) for name in table.columns}
    rest = any_column(run, table)._replace(shape=shape) if table.rest is not None else None
    return Table(columns, shape, rest)


def picked(run: Run, table: Table, names: Iterable[str], by: Inputs = NONE) -> Table:
    """Some columns, in an order."""
    wanted = list(names)
    if len(set(wanted)) < len(wanted):
        return opened(run, table, by)
    return Table({name: column(run, table, name, by) for name in wanted}, table.shape)


def aligned(run: Run, value: Value, shape: Shape) -> Value:
    """A value as a column of rows: those of other rows are found by their index."""
    if value.refs or value.callee is not None:
        return Value(through(TRANSFORMATION, (run.content(value),)), shape)
    inputs = run.inputs(value)
    if value.shape is not None and not value.shape.is_same(shape):
        apart = (value.shape.rows, value.shape.index_by, shape.rows, shape.index_by)
        inputs = union((through(TRANSFORMATION, (inputs,)), *map(decided, apart)))
    return Value(inputs, shape, buffers=value.buffers)


def with_column(run: Run, table: Table, name: str, value: Value, by: Inputs = NONE) -> Table:
    """The table with a column set."""
    new = aligned(run, value, table.shape)
    new = new._replace(inputs=union((new.inputs, by)))
    if table.rest is not None and name not in table.columns:
        return table._replace(rest=joined_value(table.rest, new))
    return table._replace(columns={**table.columns, name: new})


def put(run: Run, ref: Ref, old: Table, new: Table, is_only: bool) -> None:
    """Let an object be another table; where it may be another object, either of both."""
    is_certain = is_only and not ref.is_earlier
    result = new if is_certain else joined_object(old, new)
    run.state.heap[ref] = with_data(ref.site, result)


def renamed(run: Run, table: Table, names: Mapping[str, str]) -> Table:
    """The table with some columns by other names."""
    wanted = [names.get(name, name) for name in table.columns]
    if len(set(wanted)) < len(wanted) or table.rest is not None:
        return opened(run, table)
    return table._replace(columns=dict(zip(wanted, table.columns.values())))


def beside(run: Run, node: ast.AST, tables: list[Table]) -> Table:
    """Tables side by side, their rows aligned by index."""
    names = [name for table in tables for name in table.columns]
    shape = tables[0].shape
    if not all(shape.is_same(table.shape) for table in tables):
        apart = [decided(union((table.shape.rows, table.shape.index_by))) for table in tables]
        rows = union((*(table.shape.rows for table in tables), *apart))
        index = union(table.shape.index_by for table in tables)
        labels = common_labels(table.shape for table in tables)
        shape = Shape(run.rows(node, "#beside"), rows, index, labels)
    columns = {
        name: aligned(run, value, shape)
        for table in tables
        for name, value in table.columns.items()
    }
    if len(set(names)) < len(names) or any(table.rest is not None for table in tables):
        every = [value for table in tables for value in table.every()]
        result = Table({}, shape, either_value(aligned(run, value, shape) for value in every))
        return opened(run, result)
    return Table(columns, shape)


def common_labels(shapes: Iterable[Shape]) -> tuple[tuple[str, Inputs], ...] | None:
    """The index of several tables or columns: of one name if all have it, plain if all are."""
    every: list[tuple[tuple[str, Inputs], ...]] = []
    for shape in shapes:
        if shape.labels is None:
            return None
        every.append(shape.labels)
    if len({tuple(name for name, _ in labels) for labels in every}) > 1:
        return None
    return tuple((labels[0][0], union(of for _, of in labels)) for labels in zip(*every))


def stacked(run: Run, node: ast.AST, tables: list[Table], by: Inputs = NONE) -> Table:
    """Tables one below the other."""
    shape = Shape(
        run.rows(node, "#stacked"),
        union((*(table.shape.rows for table in tables), by)),
        union(table.shape.index_by for table in tables),
        common_labels(table.shape for table in tables),
    )
    names = list(dict.fromkeys(name for table in tables for name in table.columns))
    if any(table.rest is not None for table in tables):
        every = [any_column(run, table) for table in tables]
        return Table({}, shape, either_value(every)._replace(shape=shape))
    columns = {}
    for name in names:
        parts = [column(run, table, name) for table in tables if name in table.columns]
        columns[name] = either_value(parts)._replace(shape=shape)
    return Table(columns, shape)
