"""Arrow tables and record batches: a pandas table that never changes, under their own methods."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from airflow_colgraph.collector.lineage.transformations import union
from airflow_colgraph.collector.python_functions.calls import Arguments
from airflow_colgraph.collector.python_functions.library import frame_of, function
from airflow_colgraph.collector.python_functions.run import Run, literal_of, names_of
from airflow_colgraph.collector.python_functions.tables import (
    closed_over,
    column,
    label_of,
    opened,
    picked,
    with_column,
    with_rows,
)
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    Items,
    Table,
    Value,
    decided,
    deciding_on_rows,
)

ArrowRule = Callable[[Run, ast.AST, Table, Arguments], "Table | Value | None"]
ARROW_METHODS: dict[str, ArrowRule] = {}
"""What a method makes of a batch: another batch or a value; None where that is not known."""


def method(*names: str) -> Callable[[ArrowRule], ArrowRule]:
    """File a function as the rule of some methods."""
    return lambda act: ARROW_METHODS.update(dict.fromkeys(names, act)) or act


def arrow(table: Value) -> Value:
    """A record batch, or an Arrow table, with the columns of a table."""
    return Value(callee=Callee("arrow", "", (table,)))


def arrow_method(run: Run, node: ast.AST, callee: Callee, name: str, arguments: Arguments) -> Value:
    """The answer of a method of a record batch or an Arrow table."""
    (value,) = callee.parts
    table, act = run.table(value), ARROW_METHODS.get(name)
    by = run.inputs(value)
    if table is not None and name == "to_pandas" and not arguments.every():
        return run.new(node, table, by=by)
    answer = act(run, node, table, arguments) if table is not None and act is not None else None
    if isinstance(answer, Table):
        return arrow(run.new(node, answer, by=by))
    if answer is not None:
        return answer._replace(inputs=union((answer.inputs, decided(by))))
    run.unknown(f"pyarrow.RecordBatch.{name}")
    return arrow(closed_over(run, node, value, *arguments.every()))


@function("pyarrow.RecordBatch.from_pandas", "pyarrow.Table.from_pandas")
def _from_pandas(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    frame = arguments.get(0, "df")
    if frame is None or not arguments.only("df", "preserve_index"):
        return None
    table = run.table(frame)
    if table is None or table.shape.labels != ():
        return None
    return arrow(run.new(node, table, by=run.inputs(frame)))


@function(
    *("pyarrow.RecordBatch.from_pydict", "pyarrow.Table.from_pydict", "pyarrow.table"),
    "pyarrow.record_batch",
)
def _from_dict(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    frame = frame_of(run, node, arguments)
    return frame and arrow(frame)


@function("pyarrow.RecordBatch.from_arrays", "pyarrow.Table.from_arrays")
def _from_arrays(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    arrays, names = arguments.get(0, "arrays"), arguments.get(1, "names")
    if arrays is None or names is None or not arguments.only("arrays", "names"):
        return None
    items, wanted = run.items(arrays), names_of(run, names)
    if items is None or wanted is None or items.rest is not None or items.count_by:
        return None
    if len(items.elements) != len(wanted) or len(set(wanted)) < len(wanted) or run.content(names):
        return None
    columns = run.new(node, Items("dict", dict(zip(wanted, items.every()))), "#arrays")
    frame = frame_of(run, node, Arguments([columns], {}))
    return frame and arrow(frame)


@function("pyarrow.RecordBatch.from_pylist", "pyarrow.Table.from_pylist")
def _from_rows(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    frame = frame_of(run, node, arguments) if len(arguments.every()) == 1 else None
    return frame and arrow(frame)


@method("to_pylist")
def _rows_of(run: Run, node: ast.AST, table: Table, arguments: Arguments) -> Any:
    if table.rest is not None or arguments.every():
        return None
    columns = {name: Value(run.inputs(each)) for name, each in table.columns.items()}
    row = run.one_of_many(run.new(node, Items("dict", columns), "#record"))
    return run.new(node, Items("list", {}, row, table.shape.rows), "#records")


@method("to_pydict")
def _lists_of(run: Run, node: ast.AST, table: Table, arguments: Arguments) -> Any:
    if table.rest is not None or arguments.every():
        return None
    lists = {
        name: run.new(
            node, Items("list", {}, Value(run.inputs(each)), table.shape.rows), f"#list {name}"
        )
        for name, each in table.columns.items()
    }
    return run.new(node, Items("dict", lists), "#lists")


@function("pyarrow.array", "pyarrow.scalar")
def _array(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    return arguments.values[0] if len(arguments.every()) == 1 and arguments.values else None


@method("column")
def _column(run: Run, node: ast.AST, table: Table, arguments: Arguments) -> Any:
    label = label_of(run, table, arguments.get(0, "i"))
    return column(run, table, label) if label is not None else None


@method("select")
def _select(run: Run, node: ast.AST, table: Table, arguments: Arguments) -> Any:
    wanted = arguments.get(0, "names") or arguments.get(0, "columns")
    names = names_of(run, wanted) if wanted is not None else None
    if wanted is None or names is None or run.content(wanted):
        return None
    return picked(run, table, names)


@method("drop", "drop_columns")
def _drop(run: Run, node: ast.AST, table: Table, arguments: Arguments) -> Any:
    wanted = arguments.get(0, "columns")
    names = names_of(run, wanted) if wanted is not None else None
    if wanted is None or names is None or table.rest is not None or run.content(wanted):
        return None
    return picked(run, table, [name for name in table.columns if name not in names])


@method("rename_columns")
def _rename(run: Run, node: ast.AST, table: Table, arguments: Arguments) -> Any:
    wanted = literal_of(run, arguments.values[0]) if len(arguments.values) == 1 else None
    if isinstance(wanted, dict):
        wanted = [wanted.get(name, name) for name in table.columns]
    if not isinstance(wanted, (list, tuple)) or table.rest is not None:
        return None
    if len(wanted) != len(table.columns) or len(set(wanted)) < len(wanted):
        return opened(run, table)
    return Table(dict(zip(map(str, wanted), table.columns.values())), table.shape)


@method("append_column", "set_column", "add_column")
def _with_column(run: Run, node: ast.AST, table: Table, arguments: Arguments) -> Any:
    *place, name, new = arguments.values or [Value(), Value(), Value()]
    if arguments.options or not isinstance(name.literal, str) or table.rest is not None:
        return None
    columns = [*with_column(run, table, name.literal, new).columns.items()]
    if not place:
        return None if name.literal in table.columns else Table(dict(columns), table.shape)
    at = place[0].literal
    if not isinstance(at, int) or not 0 <= at <= len(table.columns):
        return None
    others = [*table.columns.items()]
    is_set = getattr(getattr(node, "func", None), "attr", "") == "set_column"
    others[at : at + is_set] = [(name.literal, dict(columns)[name.literal])]
    if len(dict(others)) < len(others):
        return None
    return Table(dict(others), table.shape)


@method("filter")
def _filter(run: Run, node: ast.AST, table: Table, arguments: Arguments) -> Any:
    if len(arguments.every()) != 1:
        return None
    (mask,) = arguments.every()
    return with_rows(run, node, table, deciding_on_rows(run.content(mask)))


@method("slice", "take", "sort_by")
def _rows(run: Run, node: ast.AST, table: Table, arguments: Arguments) -> Any:
    by = union(map(run.content, arguments.every()))
    names = [each for every in arguments.every() for each in names_of(run, every) or []]
    keys = [column(run, table, name) for name in names]
    keys = keys or ([] if not any(each.refs for each in arguments.every()) else table.every())
    rows = deciding_on_rows(union((by, *map(run.inputs, keys))))
    return with_rows(run, node, table, rows)


@method("combine_chunks", "unify_dictionaries", "validate")
def _same(run: Run, node: ast.AST, table: Table, arguments: Arguments) -> Any:
    return table if not arguments.every() else None
