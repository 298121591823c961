"""Programs of RDDs as they are written, each beside its lineage, over lists for PySpark's RDDs.

What is told must have each edge that changed rows show; for the programs in
`CONSERVATIVE` more is told, and for those in `UNKNOWN` that each column depends on all inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import isfunction
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import Row

from airflow_colgraph.collector.lineage.transformations import (
    CONDITIONAL,
    IDENTITY,
    MASKING,
    Inputs,
    bits,
    fields_of,
)
from airflow_colgraph.collector.python_functions.rdd_chains import frames_of, of_chain
from airflow_colgraph.collector.python_functions.rdd_elements import FrameRows
from oracles.rdd_chains import Calls
from tests.collector.python_functions.test_written import Edges, written
from tests.collector.python_functions.written import rdds

TABLES = {
    "orders": ("id", "customer", "amount", "quantity", "day", "note"),
    "customers": ("customer", "city", "name"),
}
CONSERVATIVE = {  # what rows depend on is told of a column, too
    *("largest_two", "exploded_with_an_argument"),
}
UNKNOWN = {"sessionised"}  # a generator that is called inside of a function


class Frame:
    """A DataFrame that comes from an RDD: its rows, and how it was made."""

    def __init__(self, made: Calls, schema: Any = None) -> None:
        """With Spark's names: a schema's, those of a list, or of the rows."""
        if isinstance(schema, str):
            schema = [each.split()[0] for each in schema.split(", ")]
        names = getattr(schema, "names", schema)
        names = names or [name for row in made.elements[:1] for name in row.__fields__]
        self.made, self.names, self.has_schema = made, list(names), not isinstance(schema, list)


class Program(Calls):
    """The RDDs of a program."""

    def toDF(self, schema: Any = None) -> Frame:
        return Frame(self, schema)


def table(number: int, name: str, rows: list[tuple[Any, ...]]) -> Any:
    """A DataFrame that programs start from."""
    kind = Row(*TABLES[name])
    session = SimpleNamespace(createDataFrame=Frame)
    rdd = Program([kind(*row) for row in rows], FrameRows(number, TABLES[name]))
    return SimpleNamespace(rdd=rdd, sparkSession=session)


def rows_of(shift: int) -> dict[str, list[tuple[Any, ...]]]:
    """Rows of both tables, others for each number."""
    orders = [
        (
            *(n + 10 * shift, (n + shift * n) % 3, float((n * 7 + shift * 3) % 11) + 1.0),
            *((n * 5 + shift * 2) % 4, f"2024-01-{1 + (n * 5 + shift * n) % 20:02d}"),
            f"sku={'abc'[(n + shift) % 3]};size={(n + shift) % 4}",
        )
        for n in range(9)
    ]
    cities = ["oslo", "rome", "bonn"]
    customers = [(n + shift, cities[(n + shift) % 3], f"name {n + shift}") for n in range(3)]
    return {"orders": orders, "customers": customers}


def run(program: Callable[..., Frame], data: dict[str, list[tuple[Any, ...]]]) -> Frame:
    return program(*(table(n, name, rows) for n, (name, rows) in enumerate(data.items())))


def values_of(frame: Frame) -> dict[str, list[str]]:
    """The values of each column, in order."""
    rows = [tuple(element) for element in frame.made.elements]
    return {name: [repr(row[at]) for row in rows] for at, name in enumerate(frame.names)}


def changed_by(program: Callable[..., Frame]) -> dict[str, set[str]]:
    """By output column the inputs whose change changes it."""
    data = rows_of(0)
    base = values_of(run(program, data))
    seen: dict[str, set[str]] = {name: set() for name in base}
    for shift in (1, 2, 3):
        for name, columns in TABLES.items():
            for place, column in enumerate(columns):
                pairs = zip(data[name], rows_of(shift)[name], strict=True)
                rows = [(*row[:place], other[place], *row[place + 1 :]) for row, other in pairs]
                now = values_of(run(program, {**data, name: rows}))
                for each in seen:
                    if now.get(each) != base[each]:
                        seen[each].add(f"{name}.{column}")
    return seen


def told(frame: Frame) -> dict[str, Edges] | None:
    """What is told of the frame."""
    outcome = of_chain(frame.made.chain, frame.names, frame.has_schema)
    if outcome is None:
        return None
    tables = [*TABLES]
    fields = [
        f"{tables[each.number]}.{name}"
        for each in frames_of(frame.made.chain)
        for name in each.names
    ]

    def named(inputs: Inputs) -> frozenset[str]:
        return frozenset(fields[place] for place in bits(fields_of(inputs)))

    answer = {}
    for name, inputs in outcome.columns.items():
        direct = named({k: v for k, v in inputs.items() if k % MASKING < CONDITIONAL})
        is_same = bool(direct) and all(k == IDENTITY or k % MASKING >= CONDITIONAL for k in inputs)
        answer[name] = Edges(direct, named(inputs) - direct, is_same)
    return {**answer, "*": Edges(named(outcome.rows))}


def programs() -> Iterator[Callable[..., Frame]]:
    for each in vars(rdds).values():
        if isfunction(each) and "orders" in each.__code__.co_varnames[:1]:
            yield each


@pytest.mark.parametrize("program", programs(), ids=lambda each: each.__name__)
def test_a_program_as_it_is_written(program: Callable[..., Frame]) -> None:
    expected = {"*": Edges(frozenset()), **written(program.__doc__ or "")}
    answer = told(run(program, rows_of(0)))
    assert (answer is None) == (program.__name__ in UNKNOWN)
    rows = expected["*"].direct
    for name, inputs in changed_by(program).items():
        want = expected[name]
        assert not inputs - want.direct - want.indirect - rows, f"the docstring's {name}"
        if answer is not None:
            have = answer[name]
            assert not inputs - have.direct - have.indirect - answer["*"].direct, f"lost: {name}"
            assert want.is_same or not have.is_same, f"{name} is not passed on"
            lost = (want.direct | want.indirect) - have.direct - have.indirect - answer["*"].direct
            assert not lost, name
    if answer is not None:
        assert (answer == expected) == (program.__name__ not in CONSERVATIVE), answer
