"""Interpret a function that Spark hands tables, batches of them, or columns.

`of_function` is the whole of it: a captured function and its inputs in, what each column depends on
out. It is bounded in steps, runs nothing of the program's and never raises.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
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
from airflow_colgraph.collector.python_functions import attempts as attempts
from airflow_colgraph.collector.python_functions import comprehensions as comprehensions
from airflow_colgraph.collector.python_functions import iterators as iterators
from airflow_colgraph.collector.python_functions import library as library
from airflow_colgraph.collector.python_functions import methods as methods
from airflow_colgraph.collector.python_functions import objects as objects
from airflow_colgraph.collector.python_functions import pivots as pivots
from airflow_colgraph.collector.python_functions import reshaping as reshaping
from airflow_colgraph.collector.python_functions import statements as statements
from airflow_colgraph.collector.python_functions.calls import UNFIT, Arguments, call
from airflow_colgraph.collector.python_functions.iteration import new_input, repeat
from airflow_colgraph.collector.python_functions.results import united
from airflow_colgraph.collector.python_functions.run import MOST_ROUNDS, Call, Run, Scope
from airflow_colgraph.collector.python_functions.source import Captured, Kept
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
    fits: bool = True  # it can be called with such arguments


def conservative(fields: int, opaque: str) -> Outcome:
    """Each column depends on all inputs, and so do the rows."""
    return Outcome({}, {FILTER: fields} if fields else NONE, everything(fields), (opaque,))


def of_batches(
    function: Any, columns: Columns, arrow: bool = False, keys: Sequence[Inputs] = ()
) -> Outcome:
    """A function of an iterator of tables, as `mapInPandas` and `mapInArrow` take.

    Those of a group have its key first if the function takes one more argument.
    """

    def make(run: Run) -> list[Value]:
        kind = "arrow batches" if arrow else "batches"
        batches = Value(callee=Callee("batches", kind, (tuple(columns),)))
        return [*([_key(run, keys)] if keys and _arity(function) == 2 else []), batches]

    return _interpreted(function, _fields(columns) | fields_of(union(keys)), make, each=True)


def _key(run: Run, keys: Sequence[Inputs]) -> Value:
    """The key of a group, as it is handed to a function."""
    return Value(
        refs=frozenset(
            {run.state.allocate("key", Items("tuple", dict(enumerate(map(Value, keys)))))}
        )
    )


def of_tables(
    function: Any, tables: Sequence[Columns], keys: Sequence[Inputs] = (), arrow: bool = False
) -> Outcome:
    """A function of tables, with the key of the group first if it takes one more argument."""
    fields = 0
    for columns in tables:
        fields |= _fields(columns)

    def make(run: Run) -> list[Value]:
        values = [
            new_input(run, tuple(columns), f"input{place}") for place, columns in enumerate(tables)
        ]
        values = (
            [Value(callee=Callee("arrow", "", (each,))) for each in values] if arrow else values
        )
        return [_key(run, keys), *values] if _arity(function) == len(tables) + 1 else values

    return _interpreted(function, fields, make, each=False)


def of_values(function: Any, fields: int, make: Callable[[Run], list[Value]]) -> Outcome:
    """A function of what `make` puts on the heap, which gives a table."""
    return _interpreted(function, fields, make, each=False)


def of_scalars(
    function: Any,
    arguments: Sequence[Inputs],
    is_column: bool = False,
    names: Sequence[str] = (),
) -> Outcome:
    """A function of values of a row, or of columns of rows: a scalar UDF's only column.

    `names` are those of the last arguments, which it gets by name.
    """
    fields = fields_of(union(arguments))

    def make(run: Run) -> list[Value]:
        shape = Shape(run.state.rows_of("rows")) if is_column else None
        places = [run.state.allocate(f"buffer{n}", None) for n in range(len(arguments))]
        return [
            Value(each, shape, buffers=frozenset({place})) for each, place in zip(arguments, places)
        ]

    return _interpreted(function, fields, make, each=False, is_scalar=True, names=names)


def of_column_batches(function: Any, arguments: Sequence[Inputs]) -> Outcome:
    """A function of an iterator of columns, or of tuples of them: a scalar UDF's only column."""
    columns = tuple((str(place), inputs) for place, inputs in enumerate(arguments))

    def make(run: Run) -> list[Value]:
        return [Value(callee=Callee("batches", "columns", (columns,)))]

    return _interpreted(function, _fields(columns), make, each=True, is_scalar=True)


def of_program(
    functions: Sequence[Any], fields: int, act: Callable[[Run], Outcome]
) -> Outcome | None:
    """What is made by calls of several functions, of so many inputs; None if it is not known."""
    run = Run((1 << fields) - 1)
    outer = Scope(-1, Captured(_run.__code__, "__main__", {}))
    run.state.scopes[-1] = {}
    for function in functions:
        run.prepare(function)
    run.calls.append(Call(outer))
    run.give = _unexpected
    before = _captured_objects(run)
    try:
        outcome = act(run)
    except (GiveUp, RecursionError):
        return None
    if _captured_objects(run) != before:  # one function may see what another one has kept
        return None
    return outcome._replace(opaque=tuple(run.opaque))


def _unexpected(value: Value) -> None:
    raise GiveUp("a generator of elements")


def _captured_objects(run: Run) -> dict[Any, Any]:
    return {
        ref: result for ref, result in run.state.heap.items() if ref.site.startswith("captured:")
    }


def _fields(columns: Columns) -> int:
    return fields_of(union(inputs for _, inputs in columns))


def _arity(function: Any) -> int:
    """How many arguments PySpark sees that a function takes: with one more, it gets the key."""
    if isinstance(function, Kept):  # PySpark counts `self`, too
        member = dict(function.items).get("__call__")
        return _arity(member.parts[0]) if isinstance(member, Callee) and member.parts else 0
    if isinstance(function, Captured):
        return function.code.co_argcount
    if isinstance(function, Callee) and function.kind == "bound":
        return _arity(function.parts[0])
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
    names: Sequence[str] = (),
) -> Outcome:
    run = Run(fields)
    run.give = partial(scalar if is_scalar else hand_out, run)
    try:
        _run(run, function, make, each, names)
        if not run.results:
            raise GiveUp("a function that gives nothing")
        result = united(run.results)
    except GiveUp as reason:
        run.unknown(str(reason))
        fits = len(run.calls) > 1 or str(reason) != UNFIT
        return conservative(fields, next(reversed(run.opaque)))._replace(fits=fits)
    except RecursionError:
        run.unknown("too deep a function")
        return conservative(fields, next(reversed(run.opaque)))
    rest = result.rest.inputs if result.rest is not None else None
    columns = {name: value.inputs for name, value in result.columns.items()}
    return Outcome(columns, result.shape.rows, rest, tuple(run.opaque))


def _run(
    run: Run,
    function: Any,
    make: Callable[[Run], list[Value]],
    each: bool,
    names: Sequence[str],
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
        if each:
            repeat(run, value, NODE, run.give)
        else:
            run.give(value)

    run.returned = returned
    head = run.state.copy()
    for _ in range(MOST_ROUNDS):
        run.state.take(head)
        run.state.scopes[-1] = {}
        values = make(run)
        first = len(values) - len(names)
        arguments = Arguments(values[:first], dict(zip(names, values[first:])))
        call(run, NODE, run.kept(function), arguments)
        run.state.scopes[-1] = {}
        after = head.joined(run.state)
        if after.is_as(head):
            return
        head = after
    raise GiveUp("what a function keeps does not settle")


def scalar(run: Run, value: Value) -> None:
    """A scalar function's value, as the only column of a table."""
    inputs = run.element(value)
    by = union((inputs, run.state.decisions))
    result = Value(union((inputs, decided(run.state.decisions))) if by else {IDENTITY: 0})
    run.results.append(Table({"": result}, Shape(frozenset())))
