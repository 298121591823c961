"""The overview: counts, the latest changes, and the DAGs with their coverage."""

from typing import Any

from airflow_colgraph.api.access import Access
from airflow_colgraph.store.store import Store
from tests.api.test_tasks import ask
from tests.store.conftest import (  # noqa: F401
    migrated_postgres,
    migrated_sqlite,
    postgres_url,
    store,
)
from tests.store.samples import at, event, output, run_id


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


def test_counts_changes_and_coverage(store: Store) -> None:  # noqa: F811
    store.add(LOG)
    answer = ask(store, "overview")
    assert answer["counts"] == {"datasets": 4, "fields": 4, "jobs": 3}
    changes = [(one["name"], one["at"], one["state"], one["dag_id"]) for one in answer["changes"]]
    assert changes == [
        ("mart", at(20), "changed", "shop"),
        ("plain", at(11), "new", "shop"),
        ("report", at(5), "new", "other"),
    ]
    used = [(one["name"], one["datasets"]) for one in answer["used"]]
    assert used == [("raw", 3)]
    dags = [(one["dag_id"], one["outputs"], one["columns"], one["at"]) for one in answer["dags"]]
    assert dags == [("shop", 2, 1, at(21)), ("other", 1, 1, at(5))]
    assert answer["dag_count"] == 2
    fewer = ask(store, "overview", dags=1)
    assert ([one["dag_id"] for one in fewer["dags"]], fewer["dag_count"]) == (["shop"], 2)


def test_a_change_counts_columns_types_and_edges(store: Store) -> None:  # noqa: F811
    before = {"fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "int"}]}
    after = {"fields": [{"name": "x", "type": "bigint"}, {"name": "z", "type": "int"}]}
    store.add(event("job", 1, [output("mart", {"x": "raw.a", "y": "raw.a"}, schema=before)]))
    store.add(event("job", 2, [output("mart", {"x": "raw.a", "z": "raw.b, raw.c"}, schema=after)]))
    (change,) = ask(store, "overview")["changes"]
    assert change["difference"] == {
        "columns_added": 1,
        "columns_removed": 1,
        "types": 1,
        "edges_added": 2,
        "edges_removed": 1,
        "edges_changed": 0,
    }


def test_what_the_latest_run_no_longer_writes_is_gone(store: Store) -> None:  # noqa: F811
    fields = {"x": "raw.a"}
    both = [output("kept", fields), output("dropped", fields)]
    moved = [output("moved", fields)]
    store.add(event("job", 1, both))
    store.add(event("mover", 1, [output("kept", fields), *moved], run=101))

    def gone() -> list[tuple[str, str, str]]:
        found = ask(store, "overview")["changes"]
        return [(one["name"], one["job"], one["at"]) for one in found if one["state"] == "gone"]

    assert gone() == []  # one run may report its outputs one after the other
    store.add(event("job", 2, [output("kept", fields)], state="FAIL"))
    assert gone() == []
    store.add(event("job", 3, [output("kept", fields)]))
    store.add(event("mover", 3, [output("kept", fields)], run=103))
    assert gone() == [("moved", "mover", at(3)), ("dropped", "job", at(3))]
    store.add(event("another", 4, moved))
    assert gone() == [("dropped", "job", at(3))]


def test_a_job_that_writes_to_a_new_path_each_day_is_one_entry(store: Store) -> None:  # noqa: F811
    day = {number: f"out/day_2026-11-{number:02}/part" for number in range(1, 31)}
    for number, name in day.items():
        more = [output(f"other_{number}", {"x": "raw.a"})] if number < 3 else []
        store.add(event("daily", number, [output(name, {"x": "raw.a"}), *more]))
        store.add(
            event("else", number, [output(f"{name}/of/else", {"x": "raw.a"})], run=100 + number)
        )
    found = ask(store, "overview")["changes"]
    short = {(one["job"], one["state"], one["name"], one["like"], one["others"]) for one in found}
    assert short == {
        ("daily", "new", day[30], "out/day_*/part", 29),
        ("daily", "gone", day[29], "out/day_*/part", 28),
        ("daily", "new", "other_2", "other_*", 1),
        ("daily", "gone", "other_2", "other_*", 1),
        ("else", "new", f"{day[30]}/of/else", "out/day_*/part/of/else", 29),
        ("else", "gone", f"{day[29]}/of/else", "out/day_*/part/of/else", 28),
    }
    assert {one["at"] for one in found if one["state"] == "gone"} == {at(30)}
    store.add(event("single", 31, [output("other_31", {"x": "raw.a"})]))
    (latest, *_) = ask(store, "overview")["changes"]
    assert (latest["name"], latest["like"], latest["others"]) == ("other_31", None, 0)


def test_instances_of_a_mapped_task_are_one_run(store: Store) -> None:  # noqa: F811
    for number, (name, dag_run) in enumerate([("a", 50), ("b", 50), ("b", 51)], 1):
        parent = {"run": {"runId": run_id(dag_run)}, "job": {"namespace": "jobs", "name": "dag"}}
        one = [output(name, {"x": "raw.a"})]
        states = [change["state"] for change in ask(store, "overview")["changes"]]
        assert "gone" not in states
        store.add(event("dag.task", number, one, parent=parent))
    assert [one["name"] for one in ask(store, "overview")["changes"] if one["state"] == "gone"] == [
        "a"
    ]


def test_what_may_not_be_seen_is_left_out(store: Store) -> None:  # noqa: F811
    store.add(LOG)
    answer = ask(store, "overview", Access(frozenset({"other"})))
    assert [one["name"] for one in answer["changes"]] == ["report"]
    assert [(one["name"], one["datasets"]) for one in answer["used"]] == [("raw", 1)]
    assert ([one["dag_id"] for one in answer["dags"]], answer["dag_count"]) == (["other"], 1)


def test_dags_that_only_ran_are_listed_if_asked_for(store: Store) -> None:  # noqa: F811
    runs = [
        ("quiet", "a", 30, "COMPLETE"),
        ("quiet", "b", 31, "FAIL"),
        ("early", "a", 3, "COMPLETE"),
        ("shop", "checks", 40, "FAIL"),
    ]
    for number, (dag, task, minute, state) in enumerate(runs, 500):
        airflow = {"dag": {"dag_id": dag}, "task": {"task_id": task}}
        one = event(f"{dag}.{task}", minute, [], run=number, state=state, airflow=airflow)
        store.add([one])
    store.add(LOG)
    assert "dags_without_outputs" not in ask(store, "overview")
    answer = ask(store, "overview", without_outputs=True)
    assert [(one["dag_id"], one["failed"]) for one in answer["dags_without_outputs"]] == [
        ("quiet", ["b"]),
        ("early", []),
    ]
    assert answer["dags_without_outputs"][0]["at"] == at(31)
    assert [one["dag_id"] for one in answer["dags"]] == ["shop", "other"]
    some = ask(store, "overview", Access(frozenset({"early", "shop"})), without_outputs=True)
    assert [one["dag_id"] for one in some["dags_without_outputs"]] == ["early"]
