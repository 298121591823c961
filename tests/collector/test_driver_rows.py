"""Rows that the driver made may depend on what the program had read for itself."""

from typing import Any

import pytest

from airflow_colgraph.check.unknown import unknown
from airflow_colgraph.collector.events.facets import MOST_DRIVER_READS
from airflow_colgraph.collector.events.render import remarks, render
from airflow_colgraph.collector.lineage import driver_rows
from airflow_colgraph.collector.model import (
    CHECKPOINT,
    NO_NOTES,
    Dataset,
    NamedDataset,
    PlanNotes,
    Query,
    RddReads,
    Read,
    Write,
)
from airflow_colgraph.extractors.task_lineage import merge
from tests.collector.pipelines import RUN, pipeline_into
from tests.collector.test_failures import Emitted
from tests.collector.test_lineage import attribute, project, relation, row

COLUMNS = (("c1", "integer"), ("c2", "integer"))
MADE = [row("LogicalRDD", output=[[attribute(1)], [attribute(2)]])]


def named(name: str) -> NamedDataset:
    return NamedDataset(Dataset("file", name))


def collected(name: str, function: str = "collect") -> Query:
    plan = project([[attribute(1)]], relation(1, 2))
    return Query(function, "", plan, {(1, 2): Read((named(name),), COLUMNS)}, {})


def written(name: str, *, of_the_driver: bool = True) -> Query:
    notes = PlanNotes(frozenset({(1, 2)})) if of_the_driver else NO_NOTES
    reads = {} if of_the_driver else {(1, 2): Read((named("/other"),), COLUMNS)}
    plan = MADE if of_the_driver else project([[attribute(1)]], relation(1, 2))
    write = Write(named(name), COLUMNS)
    return Query("command", "", plan, reads, {}, write, notes=notes, has_local_rows=of_the_driver)


def through(event: Any) -> dict[str, list[str]]:
    found = event["run"]["facets"]["colgraph_diagnostics"].get("throughDriver", [])
    return {rows["name"]: [one["name"] for one in rows["datasets"]] for rows in found}


def test_what_was_read_before_is_named() -> None:
    emitted = Emitted()
    assert through(emitted.after(written("/first"))) == {}
    emitted.after(collected("/b", "toPandas"), collected("/a", "count"), collected("/b"))
    assert through(emitted.after(written("/out"))) == {"/out": ["/b", "/a"]}
    assert through(emitted.after(written("/copy", of_the_driver=False))) == {}
    assert through(emitted.after(collected("/c"))) == {}
    assert through(emitted.after(written("/out"))) == {"/out": ["/b", "/a", "/c"]}


def test_a_checkpoint_gives_the_driver_no_rows() -> None:
    emitted = Emitted()
    assert through(emitted.after(collected("/a", CHECKPOINT), written("/out"))) == {}


def test_each_client_of_a_server_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that read last."""
    monkeypatch.setattr(driver_rows, "MOST_RUNS", 2)
    events: list[Any] = []
    ours = pipeline_into(events)
    for name in ("a", "b", "c"):
        ours.add(collected(f"/{name}"), 0.0, RUN._replace(run_id=name))
    found = {}
    for name in ("c", "b", "a"):
        ours.add(written(f"/of_{name}"), 0.0, RUN._replace(run_id=name))
        ours.buffer.release()
        found.update(through(events[-1]))
    assert found == {"/of_c": ["/c"], "/of_b": ["/b"]}


def test_they_are_so_many_at_most() -> None:
    emitted = Emitted()
    emitted.after(*(collected(f"/{number}") for number in range(MOST_DRIVER_READS + 1)))
    (found,) = through(emitted.after(written("/out"))).values()
    assert len(found) == MOST_DRIVER_READS


@pytest.mark.parametrize(
    ("count", "datasets"), [(1, "/0"), (3, "/0, /1, /2"), (4, "/0, /1, /2, ...")]
)
def test_each_reader_of_events_says_it(count: int, datasets: str) -> None:
    emitted = Emitted()
    emitted.after(*(collected(f"/{number}") for number in range(count)))
    event = emitted.after(written("/out"))
    text = "rows that the driver made, perhaps of what it had read: "
    line = f"/out has {text}{datasets}"
    assert remarks(event["run"]["facets"]) == [line]
    assert render([event]).splitlines()[-1] == line
    (change,) = unknown([event])
    every = ", ".join(f"/{number}" for number in range(count))
    assert (change.dataset.name, change.after) == ("/out", text + every)


def test_a_task_has_those_of_all_its_outputs() -> None:
    emitted = Emitted()
    emitted.after(collected("/a"), written("/one"), collected("/b"), written("/two"))
    events = [*emitted.events]
    facets = merge(events).run_facets
    assert through({"run": {"facets": facets}}) == {"/one": ["/a"], "/two": ["/a", "/b"]}
    assert len(remarks(facets)) == 2


def test_the_files_of_rdds_are_read_for_the_program_itself() -> None:
    events: list[Any] = []
    ours = pipeline_into(events)
    ours.read_by_rdds(RddReads())
    assert events == []
    ours.read_by_rdds(RddReads((named("/a"), named("/b")), ("NewHadoopRDD",)))
    files, unnamed = events
    assert [one["name"] for one in files["inputs"]] == ["/a", "/b"]
    assert unnamed["inputs"] == []
    found = unnamed["run"]["facets"]["colgraph_diagnostics"]["unresolved"]
    assert found == [{"class": "NewHadoopRDD", "count": 1}]
    ours.add(written("/out"), 0.0)
    ours.buffer.release()
    assert through(events[-1]) == {"/out": ["/a", "/b"]}
