"""Interpret a function that Spark hands tables, batches of them, or columns.

`of_function` is the whole of it: a captured function and its inputs in, what each column depends on
out. It is bounded in steps, runs nothing of the program's and never raises.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from airflow_colgraph.collector.lineage.transformations import (
    FILTER,
    IDENTITY,
    NONE,
    Inputs,
    fields_of,
    union,
)
from airflow_colgraph.collector.python_functions import access as access
from airflow_colgraph.collector.python_functions import comprehensions as comprehensions
from airflow_colgraph.collector.python_functions import library as library
from airflow_colgraph.collector.python_functions import methods as methods
from airflow_colgraph.collector.python_functions import statements as statements
from airflow_colgraph.collector.python_functions.calls import Arguments, call
from airflow_colgraph.collector.python_functions.iteration import new_input, repeat
from airflow_colgraph.collector.python_functions.results import united
from airflow_colgraph.collector.python_functions.run import MOST_ROUNDS, Call, Run, Scope
from airflow_colgraph.collector.python_functions.source import Captured
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    GiveUp,
    Items,
    Shape,
    Table,
    Value,
    decided,
    everything,
)
from airflow_colgraph.collector.python_functions.yields import hand_out

Columns = Sequence[tuple[str, Inputs]]
"""The columns of a table that goes in, by name."""

NODE = ast.Name("function", ast.Load(), lineno=0, col_offset=0)


class Outcome(NamedTuple):
    """What the columns that come out depend on, and the rows; `rest` if their names are not known.

    `opaque` names what is not followed, with its file and line.
    """

    columns: Mapping[str, Inputs]
    rows: Inputs
    rest: Inputs | None = None
    opaque: tuple[str, ...] = ()


def conservative(fields: int, opaque: str) -> Outcome:
    """Each column depends on all inputs, and so do the rows."""
    return Outcome({}, {FILTER: fields} if fields else NONE, everything(fields), (opaque,))


def of_batches(function: Any, columns: Columns, arrow: bool = False) -> Outcome:
    """A function of an iterator of tables, as `mapInPandas` and `mapInArrow` take."""

    def make(run: Run) -> list[Value]:
        kind = "arrow batches" if arrow else "batches"
        return [Value(callee=Callee("batches", kind, (tuple(columns),)))]

    return _interpreted(function, _fields(columns), make, each=True)


def of_tables(function: Any, tables: Sequence[Columns], keys: Sequence[Inputs] = ()) -> Outcome:
    """A function of tables, with the key of the group first if it takes one more argument."""
    fields = 0
    for columns in tables:
        fields |= _fields(columns)

    def make(run: Run) -> list[Value]:
        values = [
            new_input(run, tuple(columns), f"input{place}") for place, columns in enumerate(tables)
        ]
        if _arity(function) == len(tables) + 1:
            site = run.state.allocate("key", Items("tuple", dict(enumerate(map(Value, keys)))))
            values.insert(0, Value(refs=frozenset({site})))
        return values

    return _interpreted(function, fields, make, each=False)


def of_scalars(function: Any, arguments: Sequence[Inputs], is_column: bool = False) -> Outcome:
    """A function of values of a row, or of columns of rows: a scalar UDF's only column."""
    fields = fields_of(union(arguments))

    def make(run: Run) -> list[Value]:
        shape = Shape(run.state.rows_of("rows")) if is_column else None
        places = [run.state.allocate(f"buffer{n}", None) for n in range(len(arguments))]
        return [
            Value(each, shape, buffers=frozenset({place})) for each, place in zip(arguments, places)
        ]

    return _interpreted(function, fields, make, each=False, is_scalar=True)


def _fields(columns: Columns) -> int:
    return fields_of(union(inputs for _, inputs in columns))


def _arity(function: Any) -> int:
    """How many arguments PySpark sees that a function takes: with one more, it gets the key."""
    if isinstance(function, Captured):
        return function.code.co_argcount
    if isinstance(function, Callee) and function.kind == "partial":
        inner, first, options = function.parts
        if isinstance(inner, Captured):
            names = inner.code.co_varnames[: inner.code.co_argcount]
            bound = {name for name, _ in options.items}
            free = next((at for at, name in enumerate(names) if name in bound), len(names))
            return int(free) - len(first)
    return 0


def _interpreted(
    function: Any,
    fields: int,
    make: Callable[[Run], list[Value]],
    each: bool,
    is_scalar: bool = False,
) -> Outcome:
    run = Run(fields)
    try:
        _run(run, function, make, each, is_scalar)
        if not run.results:
            raise GiveUp("a function that gives nothing")
        result = united(run.results)
    except GiveUp as reason:
        run.unknown(str(reason))
        return conservative(fields, next(reversed(run.opaque)))
    except RecursionError:
        run.unknown("too deep a function")
        return conservative(fields, next(reversed(run.opaque)))
    rest = result.rest.inputs if result.rest is not None else None
    columns = {name: value.inputs for name, value in result.columns.items()}
    return Outcome(columns, result.shape.rows, rest, tuple(run.opaque))


def _run(
    run: Run, function: Any, make: Callable[[Run], list[Value]], each: bool, is_scalar: bool
) -> None:
    """Call the function as often as it takes until what it keeps for the next call settles."""
    captured = function if isinstance(function, Captured) else None
    if captured is None:
        captured = Captured(_run.__code__, "__main__", {})
    outer = Scope(-1, captured)
    run.state.scopes[-1] = {}
    run.prepare(function)
    run.calls.append(Call(outer))

    def returned(value: Value) -> None:
        if is_scalar:
            scalar(run, value)
        elif each:
            repeat(run, value, NODE, lambda other_value: hand_out(run, other_value))
        else:
            hand_out(run, value)

    run.returned = returned
    head = run.state.copy()
    for _ in range(MOST_ROUNDS):
        run.state.take(head)
        run.state.scopes[-1] = {}
        arguments = Arguments(make(run), {})
        call(run, NODE, run.kept(function), arguments)
        run.state.scopes[-1] = {}
        after = head.joined(run.state)
        if after.is_as(head):
            return
        head = after
    raise GiveUp("what a function keeps does not settle")


def scalar(run: Run, value: Value) -> None:
    """A scalar function's value, as the only column of a table."""
    inputs = run.content(value) if value.refs or value.callee else run.inputs(value)
    if value.shape is not None:
        inputs = union((inputs, value.shape.rows, value.shape.index_by))
    by = union((inputs, run.state.decisions))
    result = Value(union((inputs, decided(run.state.decisions))) if by else {IDENTITY: 0})
    run.results.append(Table({"": result}, Shape(frozenset())))
