"""Whole events come back as they came, and take little room."""

import json
import random
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from airflow_colgraph.store.admin.retention import prune
from airflow_colgraph.store.admin.transfer import export, load
from airflow_colgraph.store.model import clock, event_template
from airflow_colgraph.store.query import event_archive
from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event, memory_store, run_id, table_rows

AIRFLOW = {
    "airflow": {
        "dag": {"dag_id": "shop", "tags": "[]", "timetable": {}},
        "dagRun": {"run_id": "scheduled__2026-11-20T00:00:00+00:00", "conf": {}},
        "taskInstance": {"try_number": 1, "duration": 3.25, "pool": "default_pool"},
        "task": {"task_id": "load", "retries": 0, "owner": "airflow", "depends": False},
    },
    "parent": {"run": {"runId": run_id(999)}, "job": {"namespace": "jobs", "name": "shop"}},
}


def runs(days: int) -> list[dict[str, Any]]:
    found = []
    for day in range(days):
        facets = json.loads(json.dumps(AIRFLOW))
        facets["airflow"]["dagRun"]["run_id"] = f"scheduled__2026-11-{day + 1:02}T00:00:00+00:00"
        facets["airflow"]["taskInstance"]["duration"] = 3.25 + day
        facets["parent"]["run"]["runId"] = run_id(1000 + day)
        one = copy_event(
            "shop.load", day + 1, "raw", {f"f{n}": "csv.a" for n in range(40)}, **facets
        )
        one["outputs"][0]["facets"]["outputStatistics"] = {"rowCount": 10**6 + day}
        found.append(one)
    return found


def kept_events(store: Store, **how: Any) -> list[str]:
    with store.connection() as connection:
        return [json.dumps(event) for event in event_archive.read(connection, **how)]


def event_texts(given: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(event) for event in given]


def test_they_come_back_as_they_came(store: Store) -> None:
    every = runs(5)
    odd = {
        **every[2],
        "eventTime": "2026-11-20T12:03:30+00:00",
        "nothing": [None, True, "\0", "\0t"],
    }
    store.add(every[0])
    store.keep_events()
    store.add(every[3])
    store.add([every[1], every[2], every[1], odd])
    store.keep_events(False)
    store.add(every[4])
    assert kept_events(store) == event_texts([every[1], every[2], odd, every[3]])
    assert kept_events(store, limit=2) == event_texts([every[1], every[2]])
    start, end = clock.parse_iso(at(2)), clock.parse_iso(at(3))
    assert kept_events(store, start=start, end=start) == []
    assert kept_events(store, start=start, end=end) == event_texts([every[1]])
    again = memory_store()
    with store.connection() as connection:
        again.add(list(event_archive.read(connection)))
    again.close()


def test_the_order_does_not_matter() -> None:
    stores = []
    for seed in (1, 2):
        with memory_store() as store:
            store.keep_events()
            every = runs(8) + runs(3)
            random.Random(seed).shuffle(every)
            for event in every:
                store.add(event)
            stores.append(table_rows(store))
    assert stores[0] == stores[1]
    assert len(stores[0]["colgraph_event"]) == 8
    assert len(stores[0]["colgraph_template"]) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.sampled_from([b"", bytes(range(16))]))
def test_any_json_is_split_and_joined(value: Any, run: bytes) -> None:
    event = {"eventTime": clock.iso(5), "run": {"facets": value}, "job": value}
    template, own = event_template.split(event, 5, run)
    there = json.loads(json.dumps([template, own]))
    assert json.dumps(event_template.join(*there, 5, run)) == json.dumps(event)


def test_an_unchanged_run_is_small_with_its_event(tmp_path: Path) -> None:
    """Here with all that Airflow says about a run, 3 kB in all; without it see the benchmark."""
    store = Store.open(f"sqlite:///{tmp_path}/colgraph.db")
    store.keep_events()
    every = runs(28)
    store.add(every[0])
    (first,) = table_rows(store)["colgraph_event"]
    store.add(every[1:])
    rows = table_rows(store)
    assert len(rows["colgraph_template"]) == 1
    assert max(len(row[4]) for row in rows["colgraph_event"]) < 200 < len(json.dumps(every[0])) / 10
    assert len(first[4]) < 200


def test_they_move_to_another_store_and_are_pruned(store: Store) -> None:
    store.keep_events()
    every = runs(6)
    store.add(every)
    other = memory_store()
    load(other, export(store))
    assert kept_events(other) == kept_events(store) == event_texts(every)
    prune(store, clock.parse_iso(at(4)))
    assert kept_events(store) == event_texts(every[3:])
    prune(store, clock.parse_iso(at(60)))
    assert (kept_events(store), table_rows(store)["colgraph_template"]) == ([], [])
    other.close()
