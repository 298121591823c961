"""What `oracles.soak` calls flat and wrong, and some seconds of it; an hour is a command."""

import re
from pathlib import Path

import pytest

from airflow_colgraph.store.migrations import HEAD
from bench.synthetic import NAMESPACE
from oracles.previous_version import has_history
from oracles.soak import Sample, left, soak_server
from oracles.soak_faults import TOGETHER, possible
from oracles.soak_load import Column, Model

ROOT = Path(__file__).parents[1]
STEPS = range(40)
FLAT = [Sample(100 + number % 3, 200, 6, 17 + number % 2, 2) for number in STEPS]


def test_a_process_whose_caches_fill_first_is_flat() -> None:
    assert left([Sample(50, 200, 5, 12, 1), *FLAT]) == []


@pytest.mark.parametrize(
    ("grown", "why"),
    [
        ([Sample(100 + number, 200, 6, 17, 2) for number in STEPS], "memory grew"),
        (
            [Sample(100, 200, 6 + number // 10, 17, 2) for number in STEPS],
            "threads grew from 7 to 9",
        ),
        (
            [Sample(100, 200, 6, 17 + number // 5, 2) for number in STEPS],
            "files grew from 19 to 23",
        ),
        (
            [Sample(100, 200, 6, 17, number // 5) for number in STEPS],
            "connections grew from 2 to 6",
        ),
    ],
)
def test_what_grows_is_named(grown: list[Sample], why: str) -> None:
    (found,) = left(grown)
    assert found.startswith(why)


def told(output: str, **inputs: str) -> dict[str, object]:
    """An event: each column of the output is computed from one `dataset.column`."""
    fields = {
        column: {"inputFields": [dict(zip(("name", "field"), source.split("."), strict=True))]}
        for column, source in inputs.items()
    }
    facets = {"columnLineage": {"fields": fields}}
    return {
        "eventTime": "2026-11-29T10:00:00Z",
        "run": {"runId": output},
        "outputs": [{"namespace": NAMESPACE, "name": output, "facets": facets}],
    }


@pytest.fixture
def model() -> tuple[Model, dict[str, int]]:
    """`mart` has two versions that were acknowledged, and one that was sent after the question."""
    model = Model()
    versions = (
        {"x": "raw.a", "y": "raw.a"},
        {"x": "raw.b", "y": "raw.a"},
        {"x": "c.c", "y": "c.c"},
    )
    for event in (
        told("raw", a="csv.a", b="csv.b"),
        *(told("mart", **each) for each in versions[:2]),
    ):
        model.acknowledge(event, model.send(event))
    first = model.acknowledged()
    model.send(told("mart", **versions[2]))
    return model, first


X, Y = ("mart", "x"), ("mart", "y")
RAW_A, RAW_B = (("raw", "a"), ("csv", "a")), (("raw", "b"), ("csv", "b"))


@pytest.mark.parametrize(
    ("edges", "problem"),
    [
        ([(X, ("raw", "b")), (Y, ("raw", "a")), RAW_A, RAW_B], ""),
        ([(X, ("c", "c")), (Y, ("c", "c"))], ""),
        ([(X, ("raw", "a")), (Y, ("raw", "a")), RAW_A], "mart x: no version"),  # an old one
        ([(X, ("raw", "b")), (Y, ("c", "c")), RAW_B], "mart y: no version"),  # of two versions
        ([(X, ("raw", "b")), (Y, ("raw", "a")), RAW_A], "raw b: no version"),  # one is missing
        ([(X, ("c", "c")), (Y, ("c", "c")), RAW_A], "edges that lead nowhere"),
    ],
)
def test_an_answer_has_one_version_of_each_dataset(
    edges: list[tuple[Column, Column]], problem: str, model: tuple[Model, dict[str, int]]
) -> None:
    events, first = model
    assert events.problem([X, Y], edges, first).startswith(problem)
    assert bool(events.problem([X, Y], edges, first)) == bool(problem)


@pytest.mark.slow
def test_nothing_is_lost_or_wrong_for_some_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    faults = possible(postgres=False)
    assert soak_server(5, False, faults, rate=30, readers=4, previous=str(ROOT)) == []
    printed = capsys.readouterr().out
    assert " events acknowledged, 0 lost\n" in printed
    assert " answers, 0 wrong\n" in printed
    assert "full-disk: 507: " in printed


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.skipif(not has_history(), reason="a shallow clone: git fetch --unshallow")
def test_the_version_before_the_newest_migration_runs_beside_this_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It makes the tables, which are upgraded under load. The repository's history is needed."""
    assert soak_server(5, True, ["rolling"], rate=30, readers=4) == []
    printed = capsys.readouterr().out
    assert " events acknowledged, 0 lost\n" in printed
    assert " answers, 0 wrong\n" in printed
    (made,) = re.findall(r"made the tables of revision (\d+)", printed)
    assert made < HEAD
    assert f"revision {HEAD} was there in" in printed
    side_by_side = re.findall(
        r"side by side, the (\w+) server: (\d+) events, (\d+) answers", printed
    )
    assert [name for name, *_ in side_by_side] == ["old", "new"]
    assert min(int(count) for _, *counts in side_by_side for count in counts) >= TOGETHER
