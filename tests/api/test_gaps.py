"""What events say that their lineage lacks, as the store keeps and answers it."""

from typing import Any

from fastapi.testclient import TestClient

from airflow_colgraph.api.access import Access
from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.admin.retention import prune
from airflow_colgraph.store.admin.transfer import export, load
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.gaps import Gaps, gaps_of
from airflow_colgraph.store.query.gaps import lacking_tasks
from airflow_colgraph.store.store import Store
from tests.api.test_tasks import ask
from tests.store.conftest import (  # noqa: F401
    migrated_postgres,
    migrated_sqlite,
    postgres_url,
    store,
)
from tests.store.samples import at, event, memory_store, output, run_id, table_rows

DRIVER = {"namespace": "n", "name": "mart", "datasets": [{"namespace": "n", "name": "orders"}]}
WRITES = {
    "executions": 20,
    "writes": 14,
    "writesWithoutLineage": 2,
    "unaccounted": [{"by": "runJob at  Writer.scala:85", "rows": 7, "bytes": 0}],
}


def lacking(**parts: Any) -> dict[str, Any]:
    return {"unresolved": [], "opaque": [], "truncated": "", "seconds": 0.1, **parts}


def of_mart(minute: int, number: int, state: str, facet: Any, names: list[str]) -> dict[str, Any]:
    airflow = {
        "dag": {"dag_id": "shop"},
        "dagRun": {"run_id": f"manual__{number}"},
        "task": {"task_id": "mart"},
        "taskInstance": {"try_number": 1},
    }
    parent = {
        "run": {"runId": run_id(1000 + number)},
        "job": {"namespace": "jobs", "name": "shop"},
    }
    facets = {"airflow": airflow, "parent": parent}
    facets |= {"colgraph_diagnostics": facet} if facet else {}
    outputs = [output(name, {"x": "raw.a"}) for name in names]
    return event("shop.mart", minute, outputs, run=number, state=state, **facets)


def lacking_only_opaque() -> dict[str, Any]:
    return lacking(opaque=[count("PythonUDF")])


def count(name: str, number: int = 1) -> dict[str, Any]:
    return {"class": name, "count": number}


LOG = [
    of_mart(1, 1, "START", None, []),
    of_mart(2, 1, "COMPLETE", lacking(unresolved=[count("Magic")]), ["mart"]),
    of_mart(10, 2, "START", None, []),
    of_mart(
        11, 2, "RUNNING", lacking(opaque=[count("PythonUDF", 2)], throughDriver=[DRIVER]), ["mart"]
    ),
    of_mart(12, 2, "RUNNING", lacking(opaque=[count("PythonUDF")], truncated="edges"), ["side"]),
    of_mart(13, 2, "COMPLETE", lacking(completeness=WRITES), []),
]


def test_a_run_answers_all_that_its_events_say(store: Store) -> None:  # noqa: F811
    store.add(LOG)
    (one,) = ask(store, "gaps", dag_id="shop")["gaps"]
    mart, side = ({"namespace": "n", "name": name} for name in ("mart", "side"))
    assert one == {
        "job": "shop.mart",
        "dag_id": "shop",
        "task_id": "mart",
        "at": at(13),
        "outputs": [mart, side],
        "unresolved": [],
        "opaque": [{"name": "PythonUDF", "count": 3}],
        "truncated": ["edges"],
        "writes": 14,
        "without_lineage": 2,
        "writers": ["runJob at Writer.scala:85"],
        "driver_rows": [{**mart, "datasets": [{"namespace": "n", "name": "orders"}]}],
    }
    (before,) = ask(store, "gaps", dag_id="shop", task_id="mart", run_id="manual__1")["gaps"]
    assert before["unresolved"] == [{"name": "Magic", "count": 1}]
    assert (before["opaque"], before["writes"]) == ([], 0)


def test_a_dataset_has_the_gaps_of_its_own_writes(store: Store) -> None:  # noqa: F811
    store.add(LOG)
    (one,) = ask(store, "gaps", namespace="n", name="side")["gaps"]
    assert [item["count"] for item in one["opaque"]] == [1]
    assert (one["without_lineage"], one["driver_rows"]) == (2, [])  # perhaps that one was written
    assert ask(store, "gaps", namespace="n", name="raw")["gaps"] == []


def test_a_run_without_a_report_ends_no_gaps(store: Store) -> None:  # noqa: F811
    """The page showed the lineage of the run before, and no word of what it lacks."""

    def answers() -> list[Any]:
        overview = ask(store, "overview")["dags"]
        asked = [{"dag_id": "shop"}, {"namespace": "n", "name": "mart"}]
        return [*(ask(store, "gaps", **which)["gaps"] for which in asked), overview[0]["lacking"]]

    store.add(LOG)
    before = answers()
    assert [len(before[0]), len(before[1]), before[2]] == [1, 1, 1]
    store.add([of_mart(20, 3, "START", None, [])])
    assert answers() == before
    store.add([of_mart(21, 3, "FAIL", None, [])])
    assert answers() == before
    failed = of_mart(23, 4, "FAIL", lacking(unresolved=[count("Odd")]), [])
    store.add([of_mart(22, 4, "START", None, []), failed])
    (of_both,) = ask(store, "gaps", dag_id="shop")["gaps"]
    assert of_both["unresolved"] == [{"name": "Odd", "count": 1}]
    assert of_both["writers"] == before[0][0]["writers"]
    store.add([of_mart(30, 5, "START", None, []), of_mart(31, 5, "COMPLETE", None, ["mart"])])
    assert answers() == [[], [], 0]


def test_a_dataset_has_the_gaps_of_a_time(store: Store) -> None:  # noqa: F811
    store.add([*LOG, of_mart(20, 3, "START", None, []), of_mart(21, 3, "COMPLETE", None, ["mart"])])

    def found(**when: str) -> list[list[str]]:
        gaps = ask(store, "gaps", namespace="n", name="mart", **when)["gaps"]
        return [[each["name"] for each in one["unresolved"] + one["opaque"]] for one in gaps]

    assert found(at=at(5)) == [["Magic"]]
    assert found(at=at(15)) == [["PythonUDF"]]
    assert found() == found(at=at(30)) == found(at=at(0)) == []
    client = TestClient(create_app(store, lambda request, scope: Access(), "https://host/team"))
    wrong = client.get("/api/v1/gaps", params={"dag_id": "shop", "at": at(5)})
    assert (wrong.status_code, "give a run_id" in wrong.text) == (400, True)


def test_several_datasets_are_asked_for_at_once(store: Store) -> None:  # noqa: F811
    """Each entry names the datasets that it concerns, under the names that were asked for."""
    alias = {"identifiers": [{"namespace": "n", "name": "mart", "type": "TABLE"}]}
    renamed = output("path", {"x": "raw.a"}, symlinks=alias)
    lacks = {"colgraph_diagnostics": lacking(unresolved=[count("Odd")])}
    store.add([*LOG, event("other", 14, [renamed], run=14, **lacks)])
    names = [f'["n", "{name}"]' for name in ("mart", "path", "side", "raw", "none")]

    def gaps(**more: Any) -> list[tuple[str, list[str], list[str]]]:
        answer = ask(store, "gaps", **more)["gaps"]
        return [
            (
                entry["job"],
                [each["name"] for each in entry["unresolved"] + entry["opaque"]],
                [named["name"] for named in entry["datasets"]],
            )
            for entry in answer
        ]

    assert gaps(dataset=names) == [
        ("other", ["Odd"], ["mart", "path"]),
        ("shop.mart", ["PythonUDF"], ["mart", "path"]),
        ("shop.mart", ["PythonUDF"], ["side"]),
    ]
    assert gaps(dataset=names, at=at(5)) == [("shop.mart", ["Magic"], ["mart", "path"])]
    assert gaps(dataset=names[2:]) == gaps(namespace="n", name="side")
    assert gaps(dataset=names[3:]) == []
    client = TestClient(create_app(store, lambda request, scope: Access(), "https://host/team"))
    for wrong in ({"dataset": names, "dag_id": "shop"}, {"dataset": ["mart"]}, {}):
        assert client.get("/api/v1/gaps", params=wrong).status_code == 400


def test_a_later_run_without_gaps_has_none(store: Store) -> None:  # noqa: F811
    store.add([*LOG, of_mart(20, 3, "START", None, []), of_mart(21, 3, "COMPLETE", None, ["mart"])])
    assert ask(store, "gaps", dag_id="shop")["gaps"] == []
    assert ask(store, "gaps", dag_id="shop", run_id="manual__2")["gaps"] != []


def test_the_overview_counts_the_tasks_whose_lineage_lacks_something(store: Store) -> None:  # noqa: F811
    def lacking() -> list[tuple[str, int]]:
        return [(one["dag_id"], one["lacking"]) for one in ask(store, "overview")["dags"]]

    store.add(LOG)
    assert lacking() == [("shop", 1)]
    rough = lacking_only_opaque()
    store.add([of_mart(20, 3, "START", None, []), of_mart(21, 3, "COMPLETE", rough, ["mart"])])
    assert lacking() == [("shop", 0)]


def test_the_overview_names_the_tasks_whose_last_run_failed(store: Store) -> None:  # noqa: F811
    def failed() -> list[str]:
        (run, *_) = ask(store, "runs", namespace="jobs", job="shop.mart")["runs"]
        (dag,) = ask(store, "overview")["dags"]
        assert bool(dag["failed"]) == (run["state"] in {"FAIL", "ABORT"})
        return list(dag["failed"])

    store.add(LOG)
    assert failed() == []
    store.add([of_mart(20, 3, "START", None, [])])
    assert failed() == []
    store.add([of_mart(21, 3, "FAIL", None, [])])
    assert failed() == ["mart"]
    store.add([of_mart(30, 4, "START", None, []), of_mart(31, 4, "COMPLETE", None, ["mart"])])
    assert failed() == []
    store.add([of_mart(40, 5, "ABORT", None, [])])
    assert failed() == ["mart"]


def test_jobs_of_hidden_dags_are_left_out(store: Store) -> None:  # noqa: F811
    store.add(LOG)
    other = Access(frozenset({"other"}))
    client = TestClient(create_app(store, lambda request, scope: other))
    assert client.get("/api/v1/gaps", params={"dag_id": "shop"}).status_code == 404
    assert ask(store, "gaps", other, namespace="n", name="mart")["gaps"] == []


def test_the_order_and_the_number_of_the_same_reports_change_nothing() -> None:
    stores = []
    for events in (LOG, LOG[::-1], [*LOG, *LOG]):
        one = memory_store()
        for single in events:
            one.add([single])
        stores.append(table_rows(one))
    assert stores[0] == stores[1] == stores[2]
    assert len(stores[0]["colgraph_gap"]) == 4
    repeated = memory_store()
    repeated.add(
        [
            *LOG,
            of_mart(32, 4, "COMPLETE", LOG[1]["run"]["facets"]["colgraph_diagnostics"], ["mart"]),
        ]
    )
    assert len(table_rows(repeated)["colgraph_gap"]) == 4  # an unchanged run adds no row


def test_they_are_exported_and_pruned() -> None:
    first, second = memory_store(), memory_store()
    first.add(LOG)
    load(second, export(first))
    assert table_rows(second)["colgraph_gap"] == table_rows(first)["colgraph_gap"]
    prune(first, clock.parse_iso(at(30)))
    assert len(table_rows(first)["colgraph_gap"]) == 3  # of the latest run
    assert ask(first, "gaps", dag_id="shop")["gaps"] == ask(second, "gaps", dag_id="shop")["gaps"]


def test_gaps_that_are_shown_are_not_pruned() -> None:
    """Those of the run before were deleted as soon as another had begun."""
    memory = memory_store()
    memory.add([*LOG, of_mart(40, 3, "START", None, [])])
    before = ask(memory, "gaps", dag_id="shop")["gaps"]
    assert len(before) == 1
    prune(memory, clock.parse_iso(at(39)))
    assert ask(memory, "gaps", dag_id="shop")["gaps"] == before
    with memory.connection() as connection:
        assert lacking_tasks(connection) == {"shop": 1}
    memory.add([of_mart(41, 3, "COMPLETE", None, ["mart"])])
    prune(memory, clock.parse_iso(at(50)))
    assert table_rows(memory)["colgraph_gap"] == []


def test_parts_of_another_form_are_left_out_and_named() -> None:
    odd = {
        "unresolved": [1, {"class": "A", "count": "x"}, {}],
        "opaque": {},
        "truncated": 7,
        "completeness": [],
        "throughDriver": [{"name": "t", "datasets": 5}],
    }
    found = gaps_of(odd)
    assert found.unresolved == (("A", 0),)
    assert found.driver_rows == (("", "t", ()),)
    assert found.truncated == ("7",)
    assert gaps_of({}) == Gaps()
    one = memory_store()
    one.add([of_mart(1, 1, "COMPLETE", odd, ["mart"])])
    assert ask(one, "gaps", dag_id="shop")["gaps"][0]["unresolved"] == [{"name": "A", "count": 0}]
