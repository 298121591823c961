"""Lineage as OpenLineage events: every form of the facet, and back into a store."""

from typing import Any

import pytest
from openlineage.client.generated import column_lineage_dataset, schema_dataset
from openlineage.client.generated import lineage as lineage_facets

from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.openlineage_events import FACETS, events
from airflow_colgraph.exports.store_reader import lineage
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.store import Store
from tests.exports.samples import (
    DAILY,
    DAILY_SCHEMA,
    FACTS,
    FACTS_SCHEMA,
    ORDERS,
    ORDERS_SCHEMA,
    made_of,
    run_id,
)


def plain(value: Any) -> Any:
    """An event without who made it."""
    if isinstance(value, dict):
        hidden = ("_producer", "_schemaURL", "producer", "schemaURL")
        return {k: plain(v) for k, v in value.items() if k not in hidden}
    return [plain(v) for v in value] if isinstance(value, list) else value


DAY = made_of(FACTS, "timeStamp", "TRANSFORMATION", description="date(timeStamp)")
CUSTOMER = made_of(FACTS, "customerId", "TRANSFORMATION", masking=True)
ORDERS_OF = [
    made_of(FACTS, "customerId", "AGGREGATION"),
    made_of(FACTS, "note", "CONDITIONAL", "INDIRECT"),
]
GROUPED = made_of(FACTS, "timeStamp", "GROUP_BY", "INDIRECT")


def column(*inputs: dict[str, Any]) -> dict[str, Any]:
    return {"inputFields": list(inputs)}


def test_an_event(shop: Lineage) -> None:
    _, found = events(shop)
    assert plain(found) == {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-20T11:00:00.000Z",
        "run": {
            "runId": run_id(2),
            "facets": {"airflow": {"dag": {"dag_id": "shop"}, "task": {"task_id": "daily"}}},
        },
        "job": {"namespace": "airflow", "name": "shop.daily", "facets": {}},
        "inputs": [
            {
                "namespace": FACTS[0],
                "name": FACTS[1],
                "facets": {"schema": {"fields": FACTS_SCHEMA}},
            }
        ],
        "outputs": [
            {
                "namespace": DAILY[0],
                "name": DAILY[1],
                "facets": {
                    "schema": {"fields": DAILY_SCHEMA},
                    "columnLineage": {
                        "fields": {
                            "day": column(DAY),
                            "customer": column(CUSTOMER),
                            "orders": column(*ORDERS_OF),
                        },
                        "dataset": [GROUPED],
                    },
                },
            }
        ],
    }


def test_constants_have_no_inputs(shop: Lineage) -> None:
    found, _ = events(shop)
    stated = found["outputs"][0]["facets"]["columnLineage"]
    assert stated["fields"]["loaded_by"] == {"inputFields": []}
    assert stated["dataset"] == []


def test_the_legacy_form_copies_what_concerns_all_rows(shop: Lineage) -> None:
    _, found = events(shop, "legacy")
    both = {
        **GROUPED,
        "transformations": [*DAY["transformations"], *GROUPED["transformations"]],
    }
    assert plain(found["outputs"][0]["facets"]["columnLineage"]) == {
        "fields": {
            "day": column(both),
            "customer": column(CUSTOMER, GROUPED),
            "orders": column(*ORDERS_OF, GROUPED),
        }
    }


def typed(*inputs: dict[str, Any]) -> dict[str, Any]:
    return {"inputs": [{"type": "DATASET", **one} for one in inputs]}


def test_the_lineage_facet(shop: Lineage) -> None:
    load, found = events(shop, "lineage")
    assert [set(event["outputs"][0]["facets"]) for event in (load, found)] == [{"schema"}] * 2
    assert plain(found["job"]["facets"]["lineage"]) == {
        "entries": [
            {
                "type": "DATASET",
                "namespace": DAILY[0],
                "name": DAILY[1],
                **typed(GROUPED),
                "fields": {
                    "day": typed(DAY),
                    "customer": typed(CUSTOMER),
                    "orders": typed(*ORDERS_OF),
                },
            }
        ]
    }
    (entry,) = load["job"]["facets"]["lineage"]["entries"]
    assert entry["fields"]["loaded_by"] == {"inputs": [{"type": "JOB"}]}


def test_both_facets(shop: Lineage) -> None:
    both, alone = list(events(shop, "both")), list(events(shop, "lineage"))
    assert [e["job"] for e in both] == [e["job"] for e in alone]
    assert [e["outputs"] for e in both] == [e["outputs"] for e in events(shop)]


@pytest.mark.parametrize("facets", ["columnLineage", "lineage", "both"])
def test_a_store_filled_from_the_export_is_the_same(shop: Lineage, facets: str) -> None:
    store = Store.open("sqlite://")
    store.add(list(events(shop, facets)))
    with store.connection() as connection:
        again = lineage(connection)
    assert again.outputs == shop.outputs
    assert again.schemas == shop.schemas


def test_a_run_that_wrote_two_datasets_completes_once() -> None:
    (one,) = [w for w in two_outputs().outputs if w.dataset.name == "/a"]
    found = list(events(two_outputs()))
    assert [(e["eventType"], e["run"]["runId"]) for e in found] == [
        ("RUNNING", one.run),
        ("COMPLETE", one.run),
    ]


def two_outputs() -> Lineage:
    store = Store.open("sqlite://")
    stated = {"columnLineage": {"fields": {"x": column(made_of(ORDERS, "y"))}}}
    outputs = [{"namespace": "file", "name": n, "facets": stated} for n in ("/a", "/b")]
    store.add(
        {
            "eventTime": "2026-11-20T10:00:00Z",
            "eventType": "COMPLETE",
            "job": {"namespace": "n", "name": "j"},
            "run": {"runId": run_id(9)},
            "inputs": [{"namespace": ORDERS[0], "name": ORDERS[1]}],
            "outputs": outputs,
        }
    )
    with store.connection() as connection:
        return lineage(connection)


@pytest.mark.parametrize("facets", FACETS)
def test_lineage_of_no_job_is_the_datasets_own_event(facets: str) -> None:
    store = Store.open("sqlite://")
    facet = {"fields": {"a": column(made_of(ORDERS, "b")), "c": column()}}
    store.add(
        {
            "eventTime": "2026-11-20T10:00:00Z",
            "dataset": {"namespace": "n", "name": "d", "facets": {"columnLineage": facet}},
        }
    )
    with store.connection() as connection:
        before = lineage(connection)
    (found,) = events(before, facets)
    assert {"dataset", "eventTime", "producer", "schemaURL"} == set(found)
    again = Store.open("sqlite://")
    again.add(found)
    with again.connection() as connection:
        assert lineage(connection) == before


@pytest.mark.parametrize("facets", ["columnLineage", "lineage"])
def test_datasets_without_columns(facets: str) -> None:
    store = Store.open("sqlite://")
    event = {
        "eventTime": "2026-11-20T10:00:00Z",
        "eventType": "COMPLETE",
        "job": {"namespace": "n", "name": "j"},
        "run": {"runId": run_id(9)},
        "inputs": [{"namespace": ORDERS[0], "name": ORDERS[1]}],
        "outputs": [{"namespace": "file", "name": "/a"}],
    }
    store.add(event)
    with store.connection() as connection:
        before = lineage(connection)
    (found,) = events(before, facets)
    assert found["outputs"][0]["facets"] == {}
    again = Store.open("sqlite://")
    again.add(found)
    with again.connection() as connection:
        assert lineage(connection) == before


def test_the_facets_are_those_of_the_client(shop: Lineage) -> None:
    for event in events(shop, "both"):
        output = event["outputs"][0]["facets"]
        stated = output["columnLineage"]
        column_lineage_dataset.ColumnLineageDatasetFacet(
            fields={
                name: column_lineage_dataset.Fields(
                    inputFields=[_input(column_lineage_dataset, i) for i in found["inputFields"]]
                )
                for name, found in stated["fields"].items()
            },
            dataset=[_input(column_lineage_dataset, i) for i in stated["dataset"]],
        )
        url = column_lineage_dataset.ColumnLineageDatasetFacet._get_schema()
        assert stated["_schemaURL"] == url
        (entry,) = event["job"]["facets"]["lineage"]["entries"]
        assert event["job"]["facets"]["lineage"]["_schemaURL"] == (
            lineage_facets.LineageJobFacet._get_schema()
        )
        assert set(entry) == {"type", "namespace", "name", "inputs", "fields"}
        assert output["schema"]["_schemaURL"] == schema_dataset.SchemaDatasetFacet._get_schema()


def _input(module: Any, given: dict[str, Any]) -> Any:
    done = [module.Transformation(**t) for t in given["transformations"]]
    return module.InputField(**{**given, "transformations": done})


def test_inputs_are_named(shop: Lineage) -> None:
    found = [{(i["namespace"], i["name"]) for i in event["inputs"]} for event in events(shop)]
    assert found == [{ORDERS}, {FACTS}]
    schemas = [event["inputs"][0]["facets"]["schema"]["fields"] for event in events(shop)]
    assert schemas == [ORDERS_SCHEMA, FACTS_SCHEMA]
    assert [event["eventTime"] for event in events(shop)] == [
        clock.iso(one.at) for one in shop.outputs
    ]
    assert [
        Dataset(**{k: e["outputs"][0][k] for k in ("namespace", "name")}) for e in events(shop)
    ] == [one.dataset for one in shop.outputs]
