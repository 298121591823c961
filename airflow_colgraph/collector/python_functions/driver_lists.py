"""What a frame depends on that the program's text has computed from rows it had read. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from airflow_colgraph.collector.lineage.transformations import IDENTITY, NONE
from airflow_colgraph.collector.python_functions.interpretation import (
    Outcome,
    of_program,
    of_values,
)
from airflow_colgraph.collector.python_functions.iteration import new_input
from airflow_colgraph.collector.python_functions.rdd_chains import of_columns, of_names
from airflow_colgraph.collector.python_functions.rdd_elements import (
    Elements,
    any_given,
    new_object,
    put,
)
from airflow_colgraph.collector.python_functions.run import Run
from airflow_colgraph.collector.python_functions.values import Items, Value


class Read(NamedTuple):
    """Rows that the program has got of a frame of the JVM: the names and types of its columns.

    They are a pandas DataFrame, or else a list of rows.
    """

    frame: Any
    names: tuple[str, ...]
    types: tuple[str, ...]
    is_pandas: bool


def of_text(
    function: Any, reads: Sequence[Read], names: list[str] | None, has_schema: bool = True
) -> Outcome | None:
    """What a frame depends on that comes from what a function returns of rows that were read: a
    list, if the frame has `names`, else a pandas DataFrame. By the bits of all columns that were
    read, in order; None if that is not known. Columns of dicts are found by name, or in order."""
    if names is not None:
        return _listed(
            function, reads, lambda run, elements: of_columns(run, elements, names, has_schema)
        )
    return of_values(function, (1 << _width(reads)) - 1, lambda run: _values(run, reads))


def names_of_text(function: Any, reads: Sequence[Read]) -> list[str]:
    """The names that Spark takes for the columns of a frame of the list that a function returns."""
    outcome = _listed(function, reads, of_names)
    return list(outcome.columns) if outcome is not None else []


def _listed(
    function: Any, reads: Sequence[Read], act: Callable[[Run, Elements], Outcome]
) -> Outcome | None:
    def of_elements(run: Run) -> Outcome:
        element, rows = any_given(run, function, _values(run, reads), NONE, "")
        return act(run, put(run, "", element, rows))

    return of_program([function], _width(reads), of_elements)


def _width(reads: Sequence[Read]) -> int:
    return sum(len(read.names) for read in reads)


def _values(run: Run, reads: Sequence[Read]) -> list[Value]:
    """What the program has got of each frame, by the bits of all columns in order."""
    firsts = itertools.accumulate((len(read.names) for read in reads), initial=0)
    return [_read(run, *each) for each in zip(reads, firsts, map(str, itertools.count()))]


def _read(run: Run, read: Read, first: int, place: str) -> Value:
    """What the program has got of a frame: a pandas DataFrame, or a list of rows."""
    columns = tuple((name, {IDENTITY: 1 << at}) for at, name in enumerate(read.names, first))
    if read.is_pandas:
        return new_input(run, columns, f"input{place}")
    row = new_object(run, Items("record", {name: Value(inputs) for name, inputs in columns}), place)
    return new_object(run, Items("list", {}, row), f"{place}#rows")
