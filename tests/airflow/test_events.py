"""docs/events.md is a table of what each event carries: each row against a real scheduler."""

from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import pytest

from airflow_colgraph.store.query import graph
from airflow_colgraph.store.query.job_runs import runs as runs_of
from airflow_colgraph.store.store import Store
from tests.airflow.conftest import AT_ONCE, Ran
from tests.airflow.ran import Event, outputs, store_url

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]

PAGE = Path(__file__).parents[2] / "docs" / "events.md"


class Row(NamedTuple):
    what: str
    task: str
    events: str
    lineage: str
    runs: str


_, _, TABLE = PAGE.read_text().partition("| what happens | task | events | lineage | runs |\n")
LINES = TABLE.partition("\n\n")[0].splitlines()[1:]
ROWS = [Row(*(cell.strip().strip("`") for cell in line[1:-1].split("|"))) for line in LINES]


def of(ran: Ran, name: str) -> list[Event]:
    """The events of `dag`, `dag.task` or `dag.task[map index]`, a run after the other."""
    dag, _, task = name.partition(".")
    task, _, index = task.partition("[")
    events = ran.of(task, dag=dag)
    runs = list(dict.fromkeys(event["run"]["runId"] for event in events))
    events.sort(key=lambda event: runs.index(event["run"]["runId"]))
    if not index:
        return events
    return [e for e in events if map_index(e) == int(index.rstrip("]"))]


def map_index(event: Event) -> int:
    index: int = event["run"]["facets"]["airflow"]["taskInstance"]["map_index"]
    return index


def has_lineage(event: Event) -> bool:
    facets = [dataset["facets"] for dataset in event["outputs"]]
    return bool(facets) and all("columnLineage" in named for named in facets)


def permuted(kinds: str) -> set[str]:
    """The same events in any order, but the first first: two processes send them."""
    first, *others = kinds.split(", ")
    return {", ".join([first, *order]) for order in permutations(others)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what)
def test_a_row(ran: Ran, row: Row) -> None:
    events = of(ran, row.task)
    kinds = ", ".join(event["eventType"] for event in events)
    always, perhaps, more = row.events.partition(", perhaps ")
    assert kinds == always or (perhaps and kinds in permuted(f"{always}, {more}"))
    assert ", ".join(e["eventType"] for e in events if has_lineage(e)) == row.lineage
    assert all(has_lineage(e) or not e["inputs"] + e["outputs"] for e in events)
    assert len({event["run"]["runId"] for event in events}) == int(row.runs)


def test_every_task_that_was_run_is_in_the_table(ran: Ran) -> None:
    names = {f"{dag}.{task}" for dag in ("cases", "ends") for task in ran.states[dag] if task}
    missing = names - {row.task for row in ROWS}
    assert missing == {"cases.mapped[0]", "cases.mapped[2]"}


def test_the_states_are_what_the_rows_say(ran: Ran) -> None:
    assert ran.states["ends"] == {
        "": "failed",
        "skipped": "skipped",
        "skipped_too": "skipped",
        "skipped_after": "skipped",
        "killed": "failed",
        "upstream_failed": "upstream_failed",
        "deferred": "success",
        "waived": "success",
        "stopped": "success",
        "corrected": "success",
        "lost": "success",
    }


def test_a_deferred_tasks_lineage_is_found_by_the_process_that_resumes(ran: Ran) -> None:
    assert "resumed" in ran.logs["deferred"]
    (complete,) = ran.of("deferred", "COMPLETE", dag="ends")
    assert outputs(complete) == ["deferred"]


def test_the_store_keeps_what_a_task_reported_before_it_was_corrected(ran: Ran) -> None:
    with Store.open(store_url(ran.home)) as store:
        found = graph.upstream(store, "file", "corrected", "a")
    assert [(edge.input.name, edge.input.field) for edge in found.edges] == [("raw", "a")]


def test_the_dags_event_closes_a_killed_task_in_the_store(ran: Ran) -> None:
    (start,) = ran.of("killed", dag="ends")
    _, failed = ran.of("", dag="ends")
    ids = [bytes.fromhex(e["run"]["runId"].replace("-", "")) for e in (start, failed)]
    with Store.open(store_url(ran.home)) as store, store.connection() as connection:
        runs = {run.job: run for run in runs_of(connection, ids=ids)}
    assert (runs["ends.killed"].state, runs["ends"].state) == ("ABORT", "FAIL")
    assert runs["ends.killed"].ended_at == runs["ends"].ended_at is not None


def test_a_retry_finds_the_job_of_the_try_that_was_killed(ran: Ran) -> None:
    """It submits nothing, and reads where the first try's job wrote: the sink has a 1 in it."""
    start, fail, again, complete = of(ran, "ends.lost")
    assert start["run"] != again["run"]
    assert (outputs(fail), outputs(complete)) == ([], ["lost"])
    assert "Reconnecting to existing job" in ran.logs["lost"]
    assert f"see {ran.home}/sinks/1/lost.ndjson" in ran.logs["lost"]
    assert not (ran.home / "sinks" / "2").exists()
    assert len(ran.asked) == 2


def test_mapped_instances_at_the_same_time_do_not_mix(ran: Ran) -> None:
    """Each job waits for all others before it reports, so they do run at the same time."""
    assert len(list((ran.home / "many").iterdir())) == AT_ONCE
    events = ran.of("mapped", "COMPLETE", dag="many")
    assert sorted((map_index(event), outputs(event)) for event in events) == [
        (index, [f"of-{index}"]) for index in range(AT_ONCE)
    ]
    assert len({event["run"]["runId"] for event in events}) == AT_ONCE
