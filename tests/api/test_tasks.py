"""What the tasks of a DAG reported, by DAG run; and who wrote a dataset."""

from typing import Any

import orjson
import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.access import Access
from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.responses import MOST_BYTES
from airflow_colgraph.store.store import Store
from tests.graph_answers import edges_of
from tests.store.samples import at, copy_event, event, memory_store, output, run_id


def task_event(
    task: str, minute: int, dag_run: int, source: str, map_index: int = -1
) -> dict[str, Any]:
    """A run of the DAG `shop`'s task that writes the dataset of its name from `source`."""
    one = copy_event(f"shop.{task}", minute, task, {"x": source}, dataset="raw.f INDIRECT:FILTER")
    one["run"]["facets"] = {
        "airflow": {
            "dag": {"dag_id": "shop"},
            "dagRun": {"run_id": f"manual__{dag_run}"},
            "task": {"task_id": task},
            "taskInstance": {"try_number": 1, "map_index": map_index},
        },
        "parent": {
            "run": {"runId": run_id(1000 + dag_run)},
            "job": {"namespace": "jobs", "name": "shop"},
        },
    }
    return one


LOG = [
    task_event("load", 10, 1, "raw.a"),
    task_event("mart", 11, 1, "load.x, load.c INDIRECT:CONDITIONAL"),
    task_event("load", 20, 2, "raw.b"),
    task_event("mart", 21, 2, "load.x"),
    task_event("load", 22, 2, "raw.c"),  # a second try
    task_event("each", 23, 2, "raw.d", map_index=0),
    task_event("each", 24, 2, "raw.e", map_index=1),
    task_event("each", 12, 1, "raw.g", map_index=0),
]


@pytest.fixture
def store() -> Store:
    store = memory_store()
    store.add(LOG)
    return store


def ask(store: Store, route: str, access: Access | None = None, **query: Any) -> Any:
    who = Access() if access is None else access
    client = TestClient(create_app(store, lambda request, scope: who, "https://host/team"))
    answer = client.get(f"/api/v1/{route}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json() if query.get("format", "json") == "json" else answer.text


def edges(answer: Any) -> set[str]:
    return {
        f"{one['input']['name']}.{one['input']['field'] or '*'} > "
        f"{one['output']['name']}.{one['output']['field'] or '*'}"
        for one in edges_of(answer)
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"run_id": "manual__1"}, {"raw.a > load.x", "load.x > mart.x", "raw.g > each.x"}),
        (
            {"run_id": "manual__2"},
            {"raw.c > load.x", "load.x > mart.x", "raw.d > each.x", "raw.e > each.x"},
        ),
        ({}, {"raw.c > load.x", "load.x > mart.x", "raw.d > each.x", "raw.e > each.x"}),
        ({"task_id": "load", "run_id": "manual__1"}, {"raw.a > load.x"}),
        ({"task_id": "each", "run_id": "manual__2", "map_index": 1}, {"raw.e > each.x"}),
        ({"task_id": "each", "map_index": 0}, {"raw.d > each.x"}),
        (
            {"task_id": "mart", "run_id": "manual__1", "level": "dataset"},
            {"load.* > mart.*", "raw.* > mart.*"},
        ),
        (
            {"task_id": "mart", "run_id": "manual__1", "indirect": True},
            {"load.x > mart.x", "load.c > mart.x", "raw.f > mart.*"},
        ),
        (
            {"task_id": "mart", "run_id": "manual__1", "conditional": True},
            {"load.x > mart.x", "load.c > mart.x"},
        ),
    ],
)
def test_the_lineage_that_a_dag_run_or_a_task_of_it_reported(
    store: Store, query: dict[str, Any], expected: set[str]
) -> None:
    assert edges(ask(store, "tasks", dag_id="shop", **query)) == expected


def test_outputs_with_their_runs_and_links_to_airflow(store: Store) -> None:
    answer = ask(store, "tasks", dag_id="shop", run_id="manual__2")
    page = "https://host/team/dags/shop/runs/manual__2/tasks"
    assert [
        (one["name"], one["task_id"], one["at"], one["run"]["link"]) for one in answer["outputs"]
    ] == [
        ("each", "each", at(23), f"{page}/each/mapped/0"),
        ("each", "each", at(24), f"{page}/each/mapped/1"),
        ("load", "load", at(22), f"{page}/load"),
        ("mart", "mart", at(21), f"{page}/mart"),
    ]
    (edge,) = [one for one in edges_of(answer) if one["input"]["name"] == "load"]
    reports = edge["reported_by"]
    assert [(one["run"], one["first_seen"]) for one in reports] == [(run_id(21), at(21))]


def test_what_each_written_field_is_made_of() -> None:
    fields = {"a": "raw.a", "b": "raw.b INDIRECT:CONDITIONAL", "c": ""}
    one = output("mart", fields, schema={"fields": [{"name": name} for name in "abcd"]})
    store = memory_store()
    airflow = {"dag": {"dag_id": "shop"}, "task": {"task_id": "mart"}}
    store.add([event("shop.mart", 1, [one], airflow=airflow)])
    (found,) = ask(store, "tasks", dag_id="shop")["outputs"]
    assert found["sources"] == {"a": "columns", "b": "conditions", "c": "none", "d": "unknown"}


def test_as_a_file_and_no_more_than_the_limit(store: Store) -> None:
    query = {"dag_id": "shop", "run_id": "manual__1"}
    assert ask(store, "tasks", **query, format="mermaid").startswith("flowchart")
    cut = ask(store, "tasks", **query, limit=1)
    assert (len(edges_of(cut)), cut["truncated"], cut["unexplored"]) == (1, True, 2)
    client = TestClient(create_app(store))
    assert client.get("/api/v1/tasks", params={**query, "format": "pdf"}).status_code == 400


def test_the_runs_that_wrote_a_dataset_the_latest_first(store: Store) -> None:
    answer = ask(store, "writes", namespace="n", name="load", limit=2)
    rows = [(one["at"], one["job"], one["run"]["dag_run"]) for one in answer["writes"]]
    assert rows == [(at(22), "shop.load", "manual__2"), (at(20), "shop.load", "manual__2")]
    assert answer["next"] == 2
    (first,) = ask(store, "writes", namespace="n", name="load", offset=2)["writes"]
    assert first["run"]["link"] == "https://host/team/dags/shop/runs/manual__1/tasks/load"
    assert first["checksum"] not in {one["checksum"] for one in answer["writes"]}


UNSEEN = "DAG 'shop' is not in the store. DAGs: none."


def test_who_may_not_see_the_dag_sees_none_of_it(store: Store) -> None:
    nobody = Access(frozenset())
    client = TestClient(create_app(store, lambda request, scope: nobody))
    answer = client.get("/api/v1/tasks", params={"dag_id": "shop"})
    assert (answer.status_code, answer.json()["error"]) == (404, UNSEEN)
    assert ask(store, "writes", nobody, namespace="n", name="load")["writes"] == []


def test_without_an_address_of_airflow_there_are_no_links(store: Store) -> None:
    client = TestClient(create_app(store))
    rows = client.get("/api/v1/writes", params={"namespace": "n", "name": "mart"}).json()["writes"]
    assert [one["run"]["link"] for one in rows] == [None, None]


def test_of_very_many_written_datasets_the_first_are_listed() -> None:
    store = memory_store()
    schema = {"fields": [{"name": f"column_{number:03}"} for number in range(500)]}
    outputs = [output(f"dataset_{number:03}", {}, schema=schema) for number in range(100)]
    airflow = {"dag": {"dag_id": "shop"}, "task": {"task_id": "all"}}
    store.add([event("shop.all", 1, outputs, airflow=airflow)])
    answer = ask(store, "tasks", dag_id="shop")
    assert 50 < len(answer["outputs"]) < 100
    assert len(answer["outputs"]) + answer["outputs_left_out"] == 100
    assert len(orjson.dumps(answer)) <= MOST_BYTES


def others(store: Store, **query: Any) -> list[tuple[str, str, str]]:
    runs = ask(store, "tasks", dag_id="shop", **query)["other_runs"]
    return [(run["task_id"], run["state"], run["dag_run"]) for run in runs]


def run_of(task: str, minute: int, dag_run: int, state: str, map_index: int = -1) -> Any:
    """A run of the task that reports no output."""
    event = task_event(task, minute, dag_run, "raw.a", map_index)
    return {**event, "eventType": state, "inputs": [], "outputs": []}


def test_latest_runs_that_the_outputs_do_not_show_are_listed(store: Store) -> None:
    assert others(store) == others(store, run_id="manual__2") == []
    store.add([run_of("mart", 30, 3, "FAIL"), run_of("notify", 31, 3, "COMPLETE")])
    assert others(store) == [("mart", "FAIL", "manual__3")]
    assert others(store, run_id="manual__3") == [("mart", "FAIL", "manual__3")]
    assert others(store, task_id="load") == others(store, run_id="manual__2") == []
    assert edges(ask(store, "tasks", dag_id="shop", task_id="mart")) == {"load.x > mart.x"}
    store.add([run_of("mart", 40, 4, "START"), run_of("load", 41, 4, "COMPLETE")])
    assert others(store) == [("load", "COMPLETE", "manual__4"), ("mart", "START", "manual__4")]
    link = ask(store, "tasks", dag_id="shop", task_id="load")["other_runs"][0]["link"]
    assert link == "https://host/team/dags/shop/runs/manual__4/tasks/load"


def test_a_failed_run_that_was_tried_again_is_no_latest_run(store: Store) -> None:
    store.add([run_of("mart", 30, 3, "FAIL"), task_event("mart", 31, 3, "load.x")])
    assert others(store) == others(store, run_id="manual__3") == []


def test_each_instance_of_a_mapped_task_is_judged_by_its_own_run(store: Store) -> None:
    store.add([task_event("each", 40, 3, "raw.d", map_index=0)])
    store.add([run_of("each", 41, 3, "FAIL", 1), run_of("each", 42, 3, "COMPLETE", 2)])
    instances = ask(store, "tasks", dag_id="shop", run_id="manual__3")["other_runs"]
    assert [(run["map_index"], run["state"]) for run in instances] == [(1, "FAIL")]
    assert others(store, run_id="manual__3", task_id="each", map_index=0) == []
    assert others(store, task_id="each", map_index=1) == [("each", "FAIL", "manual__3")]


def test_a_job_that_a_task_started_is_not_judged_beside_the_task(store: Store) -> None:
    task = run_of("mart", 30, 3, "COMPLETE")
    job = copy_event("spark", 31, "mart", {"x": "load.x"}, state="FAIL")
    named = {"namespace": "jobs", "name": "shop.mart"}
    job["run"]["facets"] = {
        "airflow": task["run"]["facets"]["airflow"],
        "parent": {"run": {"runId": task["run"]["runId"]}, "job": named},
    }
    store.add([task, job])
    assert others(store, task_id="mart") == others(store, run_id="manual__3") == []
    assert [dag["failed"] for dag in ask(store, "overview")["dags"]] == [[]]


def test_of_very_many_failed_instances_the_first_are_listed(store: Store) -> None:
    events = [run_of("each", 100, 3, "FAIL", number) for number in range(150)]
    for number, failure in enumerate(events):
        failure["run"]["runId"] = run_id(5000 + number)
    store.add(events)
    answer = ask(store, "tasks", dag_id="shop", run_id="manual__3")
    assert (len(answer["other_runs"]), answer["other_runs_left_out"]) == (100, 50)
