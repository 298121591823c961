"""OpenLineage events in the forms of several producers, and what a store makes of them."""

import uuid
from typing import Any

from airflow_colgraph.store.ingest.openlineage import facts
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from tests.store.samples import at, short_edges

Json = dict[str, Any]
KAFKA = "kafka://broker-1:9092"
TRINO = "trino://trino.example.org:8080"
SNOWFLAKE = "snowflake://acme-eu"
PRODUCERS = {
    "flink": "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/flink",
    "trino": "https://github.com/trinodb/trino/plugin/trino-openlineage",
    "snowflake": "https://github.com/OpenLineage/OpenLineage/tree/main/client",
    "spark": "https://example.org/airflow-colgraph",
}


def run_event(producer: str, state: str, minute: int, job: tuple[str, str], **more: Any) -> Json:
    """A RunEvent; a job's events are of one run."""
    run = {"runId": str(uuid.uuid5(uuid.NAMESPACE_URL, job[1])), "facets": more.pop("run", {})}
    return {
        "eventType": state,
        "eventTime": at(minute),
        "producer": PRODUCERS[producer],
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": run,
        "job": {"namespace": job[0], "name": job[1], "facets": more.pop("job_facets", {})},
        **more,
    }


def dataset(namespace: str, name: str, columns: str = "", **facets: Any) -> Json:
    """A dataset; `a INT, b` is its schema: the second column has no type."""
    given = [pair.split() for pair in columns.split(",") if pair]
    if given:
        fields = [dict(zip(("name", "type"), pair, strict=False)) for pair in given]
        facets = {"schema": {"fields": fields}, **facets}
    return {"namespace": namespace, "name": name, "facets": facets}


def made_of(**columns: list[tuple[str, str, str]]) -> Json:
    """A `columnLineage` facet of 1-0-0: input fields without transformations."""
    keys = ("namespace", "name", "field")
    return {
        "fields": {
            name: {"inputFields": [dict(zip(keys, one, strict=True)) for one in inputs]}
            for name, inputs in columns.items()
        }
    }


def add_whole(store: Store, events: list[Json]) -> None:
    """Add events of which nothing is refused and nothing left out."""
    assert [part for one in events for part in facts(one).malformed] == []
    assert store.add(events) == len(events)


def edges(store: Store, namespace: str, name: str, field: str = "") -> set[tuple[str, str]]:
    """All edges upstream of a field, or of a dataset as a whole, as (input, output)."""
    level = "field" if field else "dataset"
    found = short_edges(graph.upstream(store, namespace, name, field, level=level, indirect=True))
    return {(one, other) for one, other, _ in found}


def spark_copy(job: str, minute: int, target: tuple[str, str], columns: Json) -> Json:
    """A Spark job that writes one dataset."""
    return run_event(
        "spark",
        "COMPLETE",
        minute,
        ("spark", job),
        outputs=[dataset(*target, columnLineage=columns)],
    )
