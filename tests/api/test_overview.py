"""The overview: counts, the latest changes, and the DAGs with their coverage."""

from typing import Any

from airflow_colgraph.api.access import Access
from tests.api.test_tasks import ask
from tests.store.samples import at, event, memory_store, output


def of_dag(dag: str, minute: int, dataset: str, fields: dict[str, str] | None) -> dict[str, Any]:
    airflow = {"dag": {"dag_id": dag}, "task": {"task_id": dataset}}
    reads = ["raw"]
    one = output(dataset, fields)
    return event(f"{dag}.{dataset}", minute, [one], reads=reads, airflow=airflow)


LOG = [
    of_dag("shop", 10, "mart", {"x": "raw.a"}),
    of_dag("shop", 11, "plain", None),
    of_dag("shop", 20, "mart", {"x": "raw.b"}),
    of_dag("shop", 21, "mart", {"x": "raw.b"}),
    of_dag("other", 5, "report", {"y": "raw.a"}),
]


def test_counts_changes_and_coverage() -> None:
    store = memory_store()
    store.add(LOG)
    answer = ask(store, "overview")
    assert answer["counts"] == {"datasets": 4, "fields": 4, "jobs": 3}
    changes = [(one["name"], one["at"], one["new"], one["dag_id"]) for one in answer["changes"]]
    assert changes == [
        ("mart", at(20), False, "shop"),
        ("plain", at(11), True, "shop"),
        ("report", at(5), True, "other"),
    ]
    dags = [(one["dag_id"], one["outputs"], one["columns"], one["at"]) for one in answer["dags"]]
    assert dags == [("shop", 2, 1, at(21)), ("other", 1, 1, at(5))]


def test_what_may_not_be_seen_is_left_out() -> None:
    store = memory_store()
    store.add(LOG)
    answer = ask(store, "overview", Access(frozenset({"other"})))
    assert [one["name"] for one in answer["changes"]] == ["report"]
    assert [one["dag_id"] for one in answer["dags"]] == ["other"]
