"""The types of many datasets' fields are the ones of each dataset by itself."""

import random
from typing import Any

from sqlalchemy import event as listening

from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import dataset_details
from airflow_colgraph.store.query.field_types import field_types
from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event, event, output

NAMES = [f"d{number}" for number in range(6)]


def some_event(choose: random.Random, minute: int) -> dict[str, Any]:
    """A run, a job or a dataset that reports columns, their types, or neither."""
    facets: dict[str, Any] = {}
    if choose.random() < 0.6:
        columns = choose.sample("abcd", choose.randint(0, 4))
        kinds = [choose.choice(["int", "string", ""]) for _ in columns]
        fields = [{"name": n, "type": kind} for n, kind in zip(columns, kinds, strict=True)]
        facets["schema"] = {"fields": fields}
    if choose.random() < 0.2:
        other = {"namespace": "n", "name": f"alias_{choose.choice(NAMES)}", "type": "TABLE"}
        facets["symlinks"] = {"identifiers": [other]}
    fields = dict.fromkeys(choose.sample("abcd", choose.randint(0, 3)), "csv.a")
    one = output(choose.choice(NAMES), fields if choose.random() < 0.7 else None, **facets)
    if choose.random() < 0.15:
        return {"eventTime": at(minute), "dataset": one}
    found = event(f"j{choose.randint(0, 3)}", minute, [one])
    if choose.random() < 0.2:
        found["inputs"], found["outputs"] = [one], []
    if choose.random() < 0.15:
        del found["run"], found["eventType"]
    return found


def test_they_are_the_ones_of_each_dataset(store: Store) -> None:
    choose = random.Random(5)
    store.add([some_event(choose, choose.randint(1, 60)) for _ in range(150)])
    datasets = [Field("n", name, "") for name in (*NAMES, *(f"alias_{n}" for n in NAMES), "csv")]
    with store.connection() as connection:
        found = field_types(connection, datasets)
        for dataset in datasets:
            each = dataset_details.fields(connection, dataset)
            assert found[dataset] == {one.name: one.type for one in each if one.type}, dataset
        assert sum(map(bool, found.values())) >= 6


def test_many_datasets_take_as_many_statements_as_one(store: Store) -> None:
    store.add([copy_event("j", n, f"d{n}", {"x": "csv.a"}) for n in range(1, 40)])
    counts = []
    for number in (1, 39):
        datasets = [Field("n", f"d{n}", "") for n in range(1, number + 1)]
        statements: list[str] = []
        with store.connection() as connection:
            listening.listen(
                connection,
                "before_cursor_execute",
                lambda *about, all=statements: all.append(about[2]),
            )
            field_types(connection, datasets)
        counts.append(len(statements))
    assert counts[0] == counts[1] <= 5
