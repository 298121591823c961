"""Jobs that a person retired: their edges end, and their history stays."""

from typing import Any
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.store.admin import audit, transfer
from airflow_colgraph.store.admin.retention import prune
from airflow_colgraph.store.admin.retire import reinstate, retire
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tags import Tag
from airflow_colgraph.store.query import graph, selected
from airflow_colgraph.store.query.copies import copies
from airflow_colgraph.store.query.history import difference
from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event, memory_store, short_edges
from tests.store.test_lifecycle import change
from tests.store.test_tag_spread import at_dataset, put

IDENTITY = "DIRECT:IDENTITY"
LOAD = copy_event("load", 1, "t", {"x": "raw.a"})
MART = copy_event("report", 2, "mart", {"y": "t.x"})
T, M = ("raw.a", "t.x", IDENTITY), ("t.x", "mart.y", IDENTITY)


def stored(*events: Any) -> Store:
    store = memory_store()
    store.add(events)
    return store


def job(store: Store, name: str = "load") -> Any:
    with store.connection() as connection:
        return selected.of_job(connection, "jobs", name)


def upstream(store: Store, **when: Any) -> set[tuple[str, str, str]]:
    return short_edges(graph.upstream(store, "n", "mart", **when))


def minute(number: int) -> int:
    return clock.parse(at(number))


def test_the_edges_of_a_retired_job_end_and_its_history_stays() -> None:
    store = stored(LOAD, MART)
    assert retire(store, job(store), minute(5), "ann") == 2
    assert upstream(store) == {M}
    assert upstream(store, at=at(4)) == {T, M}
    with store.connection() as connection:
        assert audit.read(connection)[-1][1:] == ("retire", "job jobs load", "ann", "2 edges ended")
        holders = [copy.name for copy in copies(connection, Field("n", "raw", "a")).copies]
        assert holders == ["raw", "t", "mart"], "what the job wrote is still there"


def test_a_difference_has_the_edges_of_a_retired_job() -> None:
    """It said that nothing had changed."""
    store = memory_store()
    store.add(copy_event("load", 1, "mart", {"t": "raw.a"}))
    retire(store, job(store), minute(5), "ann")
    with store.connection() as connection:
        delta = difference(connection, Field("n", "mart", ""), minute(2), minute(9))
        unchanged = difference(connection, Field("n", "mart", ""), minute(2), minute(4))
    assert [edge.input.field for edge in delta.removed if edge.input.field] == ["a"]
    assert not unchanged.removed


def test_tags_stay_on_what_a_retired_job_wrote_until_it_is_dropped() -> None:
    store = stored(LOAD, MART)
    put(store, "raw.a", "pii")
    retire(store, job(store), minute(5), "ann")
    for name in ("t", "mart"):
        assert [each.tag for each in at_dataset(store, name).tags] == [Tag("pii")]
    store.add([change("DROP", "t", 6)])
    assert at_dataset(store, "t").tags == []


@pytest.mark.parametrize("source", ["raw.a", "raw.b"], ids=["the same", "another"])
def test_a_retired_job_that_runs_again_goes_on(source: str) -> None:
    store = stored(LOAD, MART)
    retire(store, job(store), minute(5), "ann")
    store.add([copy_event("load", 6, "t", {"x": source})])
    assert upstream(store) == {(source, "t.x", IDENTITY), M}


def test_a_retired_job_can_be_reinstated_once() -> None:
    store = stored(LOAD, MART)
    retire(store, job(store), minute(5), "ann")
    assert reinstate(store, job(store), "ann") == 2
    assert upstream(store) == {T, M}
    with pytest.raises(QuestionError, match="nothing was retired"):
        reinstate(store, job(store), "ann")


def test_a_job_cannot_have_ended_before_its_last_report() -> None:
    store = stored(LOAD, MART)
    with pytest.raises(QuestionError, match=r"Job 'load' .* reported lineage at .* later time"):
        retire(store, job(store), minute(1), "ann")
    assert upstream(store) == {T, M}


def test_events_that_arrive_late_do_not_resume_a_retired_job() -> None:
    store = stored(LOAD, MART)
    retire(store, job(store), minute(5), "ann")
    store.add([copy_event("load", 3, "t", {"x": "raw.b"})])
    assert upstream(store) == {M}
    assert upstream(store, at=at(4)) == {("raw.b", "t.x", IDENTITY), M}


def test_retired_jobs_stay_so_when_the_store_is_moved_or_pruned() -> None:
    store = stored(LOAD, MART)
    retire(store, job(store), minute(5), "ann")
    moved = memory_store()
    transfer.load(moved, transfer.export(store))
    prune(store, minute(6))
    assert upstream(store) == upstream(moved) == {M}


def test_all_jobs_of_a_dag_are_retired_by_its_id(tmp_path: Any) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    store = Store(url)
    store.migrate()
    airflow = {"airflow": {"dag": {"dag_id": "daily"}, "task": {"task_id": "load"}}}
    event = copy_event("daily.load", 1, "t", {"x": "raw.a"})
    event["run"].setdefault("facets", {}).update(airflow)
    store.add([event, MART])
    with store.connection() as connection, pytest.raises(UnknownNode, match="DAG 'nosuch'"):
        selected.of_dag(connection, "nosuch")
    run = CliRunner().invoke
    done = run(main, ["retire", "--dag", "daily", "--at", at(5), "--by", "ann", "--store", url])
    assert (done.exit_code, done.output) == (0, "retired: DAG daily, 1 jobs, 2 edges ended\n")
    assert upstream(store) == {M}
    done = run(main, ["retire", "--dag", "daily", "--undo", "--store", url])
    assert (done.exit_code, done.output) == (
        0,
        "reinstated: DAG daily, 1 jobs, 2 edges hold again\n",
    )
    with pytest.MonkeyPatch.context() as patch:  # a user of a container has no name
        patch.setattr("getpass.getuser", Mock(side_effect=KeyError("uid not found: 1001")))
        again = run(main, ["retire", "--dag", "daily", "--undo", "--store", url])
    assert again.output == "colgraph: error: DAG daily: nothing was retired.\n"
    done = run(main, ["retire", "--job", "load", "--store", url])
    assert done.exit_code == 2
    assert "Expected --dag ID, or --namespace NS and --job NAME." in done.output
