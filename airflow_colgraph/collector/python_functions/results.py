"""What a function gives to Spark: the columns of its tables, as they are when it gives them."""

from __future__ import annotations

from airflow_colgraph.collector.lineage.transformations import TRANSFORMATION, through, union
from airflow_colgraph.collector.python_functions.run import Run
from airflow_colgraph.collector.python_functions.tables import any_column, column
from airflow_colgraph.collector.python_functions.values import (
    Shape,
    Table,
    Value,
    decided,
    deciding_on_rows,
    joined_inputs,
)

NO_ROWS: frozenset[object] = frozenset()


def handed_out(run: Run, value: Value) -> Table:
    """A table with the inputs of each column; its rows depend on all that has affected it."""
    if value.callee is not None and value.callee.kind == "arrow":
        (batch,) = value.callee.parts
        value = batch._replace(inputs=union((batch.inputs, value.inputs)))
    by = union((run.inputs(value), run.state.decisions))
    table = run.table(value)
    if table is None:
        inputs = through(TRANSFORMATION, (run.content(value),))
        rows = deciding_on_rows(union((inputs, by)))
        return Table({}, Shape(frozenset(), rows), Value(inputs))
    rows = deciding_on_rows(union((table.shape.rows, by)))
    chosen = decided(run.inputs(value))
    columns = {
        name: Value(union((run.inputs(column(run, table, name)), chosen))) for name in table.columns
    }
    rest = None
    if table.rest is not None:
        rest = Value(any_column(run, table, chosen).inputs)
    return Table(columns, Shape(frozenset(), rows), rest)


def united(results: list[Table]) -> Table:
    """All that a function gives, as one table."""
    first, *others = results
    for table in others:
        rows = union((first.shape.rows, table.shape.rows))
        shape = Shape(frozenset(), rows)
        is_same = list(first.columns) == list(table.columns)
        rests = [each.rest.inputs for each in (first, table) if each.rest is not None]
        if is_same and len(rests) != 1:
            columns = {
                name: Value(joined_inputs(value.inputs, table.columns[name].inputs))
                for name, value in first.columns.items()
            }
            first = Table(columns, shape, Value(joined_inputs(*rests)) if rests else None)
        else:
            every = [*first.every(), *table.every()]
            inputs = through(TRANSFORMATION, (value.inputs for value in every))
            first = Table({}, shape, Value(inputs))
    return first
