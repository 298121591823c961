"""A small shop: orders from Kafka to HDFS to PostgreSQL, as OpenLineage events."""

from __future__ import annotations

import uuid
from typing import Any

Json = dict[str, Any]

ORDERS = ("kafka://broker:9092", "demo.orders")
FACTS = ("hdfs://nn:8020", "/demo/fact_orders")
DAILY = ("postgres://db:5432", "shop.mart.daily")


def made_of(
    dataset: tuple[str, str],
    field: str,
    subtype: str = "IDENTITY",
    type_: str = "DIRECT",
    **more: Any,
) -> Json:
    stated = {"type": type_, "subtype": subtype, "description": "", "masking": False, **more}
    return {
        "namespace": dataset[0],
        "name": dataset[1],
        "field": field,
        "transformations": [stated],
    }


def run_id(number: int) -> str:
    return str(uuid.UUID(int=number))


def event(
    job: str,
    number: int,
    at: str,
    inputs: dict[tuple[str, str], list[Json]],
    output: tuple[str, str],
    schema: list[Json],
    fields: dict[str, list[Json]] | None,
    rows: list[Json] | None = None,
) -> Json:
    facets: Json = {"schema": {"fields": schema}}
    if fields is not None:
        facets["columnLineage"] = {
            "fields": {name: {"inputFields": found} for name, found in fields.items()},
            "dataset": rows or [],
        }
    return {
        "eventTime": at,
        "eventType": "COMPLETE",
        "job": {"namespace": "airflow", "name": job},
        "run": {
            "runId": run_id(number),
            "facets": {
                "airflow": {
                    "dag": {"dag_id": job.split(".")[0]},
                    "task": {"task_id": job.split(".")[1]},
                }
            },
        },
        "inputs": [
            {"namespace": n, "name": d, "facets": {"schema": {"fields": columns}}}
            for (n, d), columns in inputs.items()
        ],
        "outputs": [{"namespace": output[0], "name": output[1], "facets": facets}],
    }


ORDERS_SCHEMA: list[Json] = [
    {
        "name": "header",
        "type": "struct",
        "fields": [
            {"name": "customerId", "type": "long"},
            {"name": "timeStamp", "type": "timestamp"},
        ],
    },
    {
        "name": "items",
        "type": "array",
        "fields": [
            {
                "name": "_element",
                "type": "struct",
                "fields": [
                    {"name": "sku", "type": "string"},
                    {"name": "price", "type": "decimal(10,2)"},
                ],
            }
        ],
    },
    {"name": "note.text", "type": "string"},
]
FACTS_SCHEMA: list[Json] = [
    {"name": "customerId", "type": "long"},
    {"name": "timeStamp", "type": "timestamp"},
    {"name": "skus", "type": "array", "fields": [{"name": "_element", "type": "string"}]},
    {"name": "note", "type": "string"},
    {"name": "loaded_by", "type": "string"},
]
DAILY_SCHEMA: list[Json] = [
    {"name": "day", "type": "date"},
    {"name": "customer", "type": "string"},
    {"name": "orders", "type": "long"},
]


def load(number: int = 1, at: str = "2026-11-20T10:00:00Z", note: str = "IDENTITY") -> Json:
    return event(
        "shop.load",
        number,
        at,
        {ORDERS: ORDERS_SCHEMA},
        FACTS,
        FACTS_SCHEMA,
        {
            "customerId": [made_of(ORDERS, "header.customerId")],
            "timeStamp": [made_of(ORDERS, "header.timeStamp")],
            "skus": [made_of(ORDERS, "items.sku", "AGGREGATION", description="collect_list(sku)")],
            "note": [made_of(ORDERS, "note.text", note)],
            "loaded_by": [],
        },
    )


def daily(number: int = 2, at: str = "2026-11-20T11:00:00Z") -> Json:
    return event(
        "shop.daily",
        number,
        at,
        {FACTS: FACTS_SCHEMA},
        DAILY,
        DAILY_SCHEMA,
        {
            "day": [made_of(FACTS, "timeStamp", "TRANSFORMATION", description="date(timeStamp)")],
            "customer": [made_of(FACTS, "customerId", "TRANSFORMATION", masking=True)],
            "orders": [
                made_of(FACTS, "customerId", "AGGREGATION"),
                made_of(FACTS, "note", "CONDITIONAL", "INDIRECT"),
            ],
        },
        [made_of(FACTS, "timeStamp", "GROUP_BY", "INDIRECT")],
    )
