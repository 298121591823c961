"""What really fed a value: `mid` comes from `a`, then of `b`; `out` comes from it in between."""

import pytest

from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event, short_edges

LOG = [
    copy_event("first", 10, "mid", {"x": "src.a"}),
    copy_event("second", 20, "out", {"y": "mid.x"}),
    copy_event("first", 30, "mid", {"x": "src.b"}),
]
MID_OUT = ("mid.x", "out.y", "DIRECT:IDENTITY")
A_MID, B_MID = (("src.a", "mid.x", "DIRECT:IDENTITY"), ("src.b", "mid.x", "DIRECT:IDENTITY"))


@pytest.fixture
def filled(store: Store) -> Store:
    store.add(LOG)
    return store


def test_an_input_that_changed_after_the_run_is_as_it_was(filled: Store) -> None:
    assert short_edges(graph.upstream(filled, "n", "out", "y")) == {MID_OUT, B_MID}
    assert short_edges(graph.upstream(filled, "n", "out", "y", run_aware=True)) == {MID_OUT, A_MID}
    filled.add(copy_event("second", 40, "out", {"y": "mid.x"}))
    assert short_edges(graph.upstream(filled, "n", "out", "y", run_aware=True)) == {MID_OUT, B_MID}
    old = graph.upstream(filled, "n", "out", "y", run_aware=True, at=at(35))
    assert short_edges(old) == {MID_OUT, A_MID}


def test_an_input_that_was_not_made_yet_has_no_past(store: Store) -> None:
    store.add([copy_event("second", 5, "out", {"y": "mid.x"}), *LOG[::2]])
    assert short_edges(graph.upstream(store, "n", "out", "y", run_aware=True)) == {MID_OUT}


def test_downstream_only_runs_after_the_value_was_there(filled: Store) -> None:
    def ask(field: str, minute: int) -> set[tuple[str, str, str]]:
        found = graph.downstream(filled, "n", "src", field, run_aware=True, at=at(minute))
        return short_edges(found)

    assert ask("a", 5) == {A_MID, MID_OUT}
    assert ask("a", 15) == set()
    assert ask("b", 25) == {B_MID}
    filled.add(copy_event("second", 40, "out", {"y": "mid.x"}))
    assert ask("b", 25) == {B_MID, MID_OUT}


def test_what_decided_on_the_rows_then(store: Store) -> None:
    store.add(
        [
            copy_event("first", 10, "mid", {"x": "src.a"}, dataset="src.k INDIRECT:FILTER"),
            copy_event("second", 20, "out", {"y": "mid.x"}),
            copy_event("first", 30, "mid", {"x": "src.a"}),
        ]
    )
    expected = {MID_OUT, A_MID, ("src.k", "mid.*", "INDIRECT:FILTER")}
    assert (
        short_edges(graph.upstream(store, "n", "out", "y", run_aware=True, indirect=True))
        == expected
    )
    down = graph.downstream(store, "n", "src", "k", run_aware=True, indirect=True, at=at(5))
    assert short_edges(down) == {("src.k", "mid.*", "INDIRECT:FILTER"), MID_OUT}


def test_a_job_that_reads_what_it_writes_ends(store: Store) -> None:
    store.add([copy_event("self", minute, "d", {"x": "d.x, src.a"}) for minute in (1, 2, 3)])
    found = graph.upstream(store, "n", "d", "x", run_aware=True, depth=100)
    assert short_edges(found) == {
        ("d.x", "d.x", "DIRECT:IDENTITY"),
        ("src.a", "d.x", "DIRECT:IDENTITY"),
    }


def test_the_limit_is_reported(filled: Store) -> None:
    found = graph.upstream(filled, "n", "out", "y", run_aware=True, limit=1)
    assert (short_edges(found), found.unexplored) == ({MID_OUT}, 1)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"direction": "downstream"}, "Run-aware lineage downstream needs the time that it starts"),
        ({"start": "2026-01-01"}, "Run-aware lineage is of fields at one time, not in a range."),
        ({"level": "dataset"}, "Run-aware lineage is of fields at one time, not in a range."),
    ],
)
def test_what_cannot_be_asked(filled: Store, how: dict[str, str], message: str) -> None:
    with pytest.raises(QuestionError, match=message):
        graph.lineage(filled, [graph.Field("n", "mid", "x")], run_aware=True, **how)
