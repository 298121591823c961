"""What functions over rows are told to depend on: each function beside its lineage.

No earlier test could see it: a Python function was a black box, and each of its columns depended on
all inputs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from airflow_colgraph.collector.lineage.transformations import (
    IDENTITY,
    TRANSFORMATIONS,
    Inputs,
    bits,
)
from airflow_colgraph.collector.python_functions.interpretation import (
    Outcome,
    of_batches,
    of_column_batches,
    of_scalars,
    of_tables,
)
from airflow_colgraph.collector.python_functions.source import captured, is_same

NAMES = "abcd"
COLUMNS = [(name, {IDENTITY: 1 << place}) for place, name in enumerate(NAMES)]
KEY = [COLUMNS[0][1]]
RATE = 2


def shown(inputs: Inputs) -> str:
    return ", ".join(
        f"{NAMES[place]} {TRANSFORMATIONS[step].subtype}{' masked' * TRANSFORMATIONS[step].masking}"
        for step, fields in sorted(inputs.items())
        for place in bits(fields)
    )


def lines(outcome: Outcome) -> list[str]:
    """The columns, any others (`?`) and the rows (`*`)."""
    told = [f"{name} <- {shown(inputs)}".rstrip() for name, inputs in outcome.columns.items()]
    told += [f"? <- {shown(outcome.rest)}"] if outcome.rest is not None else []
    return [*told, f"* <- {shown(outcome.rows)}"] if outcome.rows else told


def of_enriched(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for pdf in batches:
        pdf = pdf[pdf["c"] > 1]
        pdf["z"] = pdf["a"] * RATE
        yield pdf[["z", "b"]]


def of_running(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    total = 0
    for pdf in batches:
        total = total + pdf["a"].sum()
        yield pd.DataFrame({"total": [total], "b": [pdf["b"].max()]})


def upper(pdf: pd.DataFrame, name: str) -> pd.DataFrame:
    made = pdf.copy()
    made[name] = made[name].str.upper()
    return made


def of_helpers(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    return (upper(pdf, "d") for pdf in batches)


def of_hashes(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for pdf in batches:
        pdf["d"] = pdf["d"].map(lambda text: hashlib.sha256(text.encode()).hexdigest())
        pdf["z"] = np.where(pdf["a"] > 1, pdf["b"], 0)
        yield pdf[["d", "z"]]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (of_enriched, ["z <- a TRANSFORMATION", "b <- b IDENTITY", "* <- c FILTER"]),
        (of_running, ["total <- a AGGREGATION", "b <- b AGGREGATION"]),
        (
            of_helpers,
            ["a <- a IDENTITY", "b <- b IDENTITY", "c <- c IDENTITY", "d <- d TRANSFORMATION"],
        ),
        (of_hashes, ["d <- d TRANSFORMATION masked", "z <- b TRANSFORMATION, a CONDITIONAL"]),
    ],
)
def test_of_batches(function: Callable[..., Any], expected: list[str]) -> None:
    outcome = of_batches(captured(function), COLUMNS)
    assert (lines(outcome), outcome.opaque) == (expected, ())


def of_key(key: tuple[int], pdf: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for row in pdf.itertuples():
        if row.b > 3:
            rows.append({"k": key[0], "z": row.c + 1})
    return pd.DataFrame(rows)


def of_groups(pdf: pd.DataFrame) -> pd.DataFrame:
    return pdf.groupby("b").agg(z=("c", "sum")).reset_index()


def of_a_branch(pdf: pd.DataFrame) -> pd.DataFrame:
    if pdf["a"].sum() > 3:
        return pdf[["b"]].head(1)
    return pdf[["b"]]


def of_a_view(pdf: pd.DataFrame) -> pd.DataFrame:
    other = pdf["b"]
    pdf.loc[pdf["a"] > 1, "b"] = 0
    return pd.DataFrame({"z": other})


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (of_key, ["k <- a IDENTITY", "z <- c TRANSFORMATION", "* <- b FILTER"]),
        (of_groups, ["b <- b IDENTITY", "z <- c AGGREGATION", "* <- b GROUP_BY"]),
        (of_a_branch, ["b <- b IDENTITY", "* <- a FILTER"]),
        (of_a_view, ["z <- b TRANSFORMATION, a CONDITIONAL"]),
        (
            partial(upper, name="d"),
            [f"{n} <- {n} IDENTITY" for n in "abc"] + ["d <- d TRANSFORMATION"],
        ),
    ],
)
def test_of_tables(function: Callable[..., Any], expected: list[str]) -> None:
    outcome = of_tables(captured(function), [COLUMNS], KEY)
    assert (lines(outcome), outcome.opaque) == (expected, ())


def test_of_scalars() -> None:
    """An argument that is not used is no input, and a test only decides."""

    def label(x: str, unused: int, flag: int) -> str:
        return "n" if flag > 2 else x

    outcome = of_scalars(captured(label), [inputs for _, inputs in COLUMNS[:3]])
    assert lines(outcome) == [" <- a TRANSFORMATION, c CONDITIONAL"]


class Adding:
    """A callable object, and a method."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, x: int, unused: int) -> int:
        return x + self.number

    def doubled(self, x: int, unused: int) -> int:
        return self(x, unused) * 2


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    def inner(*arguments: Any, **options: Any) -> Any:
        return function(*arguments, **options)

    return inner


@logged
def decorated(x: int, unused: int) -> int:
    return x + 1


@pytest.mark.parametrize("function", [Adding(3), Adding(3).doubled, decorated])
def test_objects_methods_and_decorated_functions_are_followed(
    function: Callable[..., Any],
) -> None:
    """Each was opaque: an argument that it does not use was an input."""
    outcome = of_scalars(captured(function), [inputs for _, inputs in COLUMNS[:2]])
    assert (lines(outcome), outcome.opaque) == ([" <- a TRANSFORMATION"], ())


def doubled_columns(parts: Iterator[tuple[pd.Series, pd.Series]]) -> Iterator[pd.Series]:
    for _, second in parts:
        yield second * 2


def test_of_column_batches() -> None:
    outcome = of_column_batches(captured(doubled_columns), [each for _, each in COLUMNS[:2]])
    assert (lines(outcome), outcome.opaque) == ([" <- b TRANSFORMATION"], ())


def of_arrow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        batch = batch.filter(pc.greater(batch["c"], 1))
        batch = batch.append_column("z", pc.multiply(batch.column("a"), 2))
        yield batch.select(["b", "z"])


def of_arrays(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.RecordBatch.from_arrays([batch.column("d"), batch.column(0)], names=["x", "y"])


def of_spread(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        spread = pc.divide(batch.column("a"), pc.stddev(batch.column("b")))
        yield pa.RecordBatch.from_arrays([spread], names=["z"])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (of_spread, ["z <- a TRANSFORMATION, b AGGREGATION"]),
        (of_arrow, ["b <- b IDENTITY", "z <- a TRANSFORMATION", "* <- c FILTER"]),
        (of_arrays, ["x <- d IDENTITY", "y <- a IDENTITY"]),
    ],
)
def test_of_arrow_batches(function: Callable[..., Any], expected: list[str]) -> None:
    """Arrow's methods were taken for those of pandas: each column depended on all inputs."""
    outcome = of_batches(captured(function), COLUMNS, arrow=True)
    assert (lines(outcome), outcome.opaque) == (expected, ())


def reads(pdf: pd.DataFrame) -> pd.DataFrame:
    with open(__file__) as lines:
        pdf["z"] = lines.read()
    return pdf


def executes(pdf: pd.DataFrame) -> pd.DataFrame:
    exec("pdf['b'] = pdf['a']")
    return pdf


class Keeps:
    """An object that keeps what its operators are given."""

    def __eq__(self, other: Any) -> bool:
        other["b"] = other["a"]
        return True

    __hash__ = None  # type: ignore[assignment]


KEEPS = Keeps()


def compares(pdf: pd.DataFrame) -> pd.DataFrame:
    pdf["z"] = pdf == KEEPS
    return pdf


def repeats(pdf: pd.DataFrame) -> pd.DataFrame:
    boxes = [[0]]
    again = boxes * 2
    again[0].append(pdf["a"].sum())
    pdf["z"] = boxes[0][-1]
    return pdf


def pivots(pdf: pd.DataFrame) -> pd.DataFrame:
    return pdf.pivot_table(index="a")


@pytest.mark.parametrize(
    ("function", "opaque"),
    [
        (reads, "with"),
        (executes, "builtins.exec"),
        (compares, "the global KEEPS"),
        (repeats, "an operation on objects in a list"),
        (pivots, "pandas.DataFrame.pivot_table"),
    ],
)
def test_what_is_not_followed_depends_on_all_inputs(
    function: Callable[..., Any], opaque: str
) -> None:
    outcome = of_tables(captured(function), [COLUMNS], KEY)
    (name,) = outcome.opaque
    assert name.startswith(f"{opaque} at test_interpretation.py:")
    assert sum(fields & 15 for fields in (outcome.rest or {}).values()) >= 15
    assert outcome.rows


def test_a_function_without_its_source_depends_on_all_inputs() -> None:
    """What the file says by now is another function."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile("def made(pdf):\n    return pdf\n", __file__, "exec"), names)
    outcome = of_tables(captured(names["made"]), [COLUMNS])
    assert lines(outcome) == [
        "? <- " + ", ".join(f"{n} TRANSFORMATION" for n in NAMES),
        "* <- " + ", ".join(f"{n} FILTER" for n in NAMES),
    ]


def test_a_function_is_its_source_wherever_that_was_compiled() -> None:
    """Python 3.9 and 3.10 keep the whole name of an inner function as a constant."""
    code = swapped.__code__
    first, second, other = (
        code.replace(co_consts=(*code.co_consts, name))
        for name in ("outer.<locals>.<lambda>", "made.<locals>.<lambda>", "made.<locals>.inner")
    )
    assert is_same(first, second)
    assert not is_same(first, other)


def swapped(x: int) -> int:
    return x


def of_numbered_rows(pdf: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"x": [row["b"] for i, (_, row) in enumerate(pdf.iterrows())]})


def of_numbered_pairs(pdf: pd.DataFrame) -> pd.DataFrame:
    taken = []
    for i, (x, y) in enumerate(zip(pdf["a"], pdf["b"], strict=True)):
        taken.append({"x": y, "i": i, "y": x + 1})
    return pd.DataFrame(taken)


def of_pairs_of_pairs(pdf: pd.DataFrame) -> pd.DataFrame:
    first = zip(pdf["a"], pdf["b"], strict=True)
    pairs = zip(first, zip(pdf["c"], pdf["d"], strict=True), strict=True)
    return pd.DataFrame([{"x": x[0], "y": y[1]} for x, y in pairs])


def second(pair: Any) -> Any:
    return pair[1][1]


def of_mapped_pairs(pdf: pd.DataFrame) -> pd.DataFrame:
    numbered = enumerate(zip(pdf["a"], pdf["b"], strict=True))
    return pd.DataFrame({"x": list(map(second, numbered))})


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (of_numbered_rows, "b IDENTITY"),
        (of_numbered_pairs, "b IDENTITY"),
        (of_pairs_of_pairs, "a IDENTITY"),
        (of_mapped_pairs, "b IDENTITY"),
    ],
)
def test_an_iterator_within_another_has_tuples_of_its_own(
    function: Callable[[pd.DataFrame], pd.DataFrame], x: str
) -> None:
    """`enumerate` of `zip` or `iterrows` lost what the inner tuple holds, without a word."""
    outcome = of_tables(captured(function), [COLUMNS])
    assert shown(outcome.columns["x"]) == x
    assert outcome.opaque == ()


def test_a_short_function_is_read_however_long_something_else_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pause, of the garbage collector's perhaps, made columns depend on all inputs."""
    clock = count(step=10)
    monkeypatch.setattr(
        "airflow_colgraph.collector.python_functions.run.thread_time", clock.__next__
    )
    outcome = of_tables(captured(doubled), [COLUMNS])
    assert lines(outcome) == ["z <- a TRANSFORMATION"]
    outcome = of_tables(captured(doubled_often), [COLUMNS])
    assert "too long a function" in outcome.opaque[0]


def test_a_pivot_moves_values_and_a_pivot_table_aggregates_them() -> None:
    cells = {act: of_tables(captured(act), [COLUMNS]).rest or {} for act in (moved, summed)}
    steps = {act: {TRANSFORMATIONS[step].subtype for step in each} for act, each in cells.items()}
    assert "AGGREGATION" not in steps[moved]
    assert "AGGREGATION" in steps[summed]


def moved(pdf: pd.DataFrame) -> pd.DataFrame:
    return pdf.pivot(index="a", columns="b", values="c")


def summed(pdf: pd.DataFrame) -> pd.DataFrame:
    return pdf.pivot_table(index="a", columns="b", values="c", aggfunc="sum")


def test_a_pause_is_no_time_of_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pause after fifty steps was enough, so that the answer depended on the load."""
    times = (step * 1e-5 + (step > 80) * 0.4 for step in count())
    monkeypatch.setattr(
        "airflow_colgraph.collector.python_functions.run.thread_time", times.__next__
    )
    outcome = of_tables(captured(doubled_often), [COLUMNS])
    assert outcome.opaque == ()


def doubled(pdf: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"z": pdf["a"] * 2})


def doubled_often(pdf: pd.DataFrame) -> pd.DataFrame:
    for _ in range(60):
        pdf["a"] = pdf["a"] * 2
    return pdf
