"""A synthetic warehouse: OpenLineage events of daily jobs in ten layers.

Each dataset but those of the first layer is written by one job from 2 to 4 datasets of the layer
below; each column comes from 1 to 4 columns of those, in the LARGE ones from 1 to 21, and some
columns affect all rows. Of the daily runs 95 % repeat what the run before reported. The same
seed gives the same events.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

DAY = 86_400_000
FIRST = 1_760_000_000_000
LAYERS = 10
NAMESPACE, PRODUCER = "s3://lake", "https://example.org/warehouse"
SUBTYPES = ("IDENTITY", "IDENTITY", "IDENTITY", "TRANSFORMATION", "AGGREGATION")


class Size(NamedTuple):
    """So many datasets, columns of each and days; how often a column has 1, 2, ... inputs."""

    datasets: int
    columns: int
    days: int
    inputs: tuple[int, ...] = (8, 4, 2, 1)


SIZES = {"S": Size(100, 20, 30), "M": Size(1000, 50, 30), "L": Size(5000, 100, 10)}
MANY = (1,) * 21  # from 1 to 21 inputs of a column, 11 in the middle
LARGE = {"1M": Size(1000, 100, 1, MANY), "10M": Size(10_000, 100, 1, MANY)}  # by their edges


def events(size: Size, seed: int = 1, changed: float = 0.05) -> Iterator[dict[str, Any]]:
    """Every event of the warehouse, day by day."""
    choose = random.Random(seed)
    width = size.datasets // LAYERS
    jobs = range(width, size.datasets)
    facets: dict[int, dict[str, Any]] = {}
    for day in range(size.days):
        for job in jobs:
            if job not in facets or choose.random() < changed:
                facets[job] = _facet(choose, job, width, size)
            yield _event(job, FIRST + day * DAY + job * 1000, facets[job], size.columns)


def name(dataset: int, width: int) -> str:
    """The dataset's name: its layer and number."""
    return f"warehouse/layer{dataset // width}/dataset_{dataset:05}"


def column(number: int) -> str:
    """The name of a column."""
    return f"column_{number:03}"


def run_id(at: int, number: int) -> str:
    """The id of a run: a UUID of version 7."""
    return str(uuid.UUID(int=(at << 80) | (7 << 76) | (2 << 62) | number))


def input_field(dataset: str, field: int, kind: str, subtype: str) -> dict[str, Any]:
    """An input of a column, or of all rows."""
    return {
        "namespace": NAMESPACE,
        "name": dataset,
        "field": column(field),
        "transformations": [
            {"type": kind, "subtype": subtype, "description": "", "masking": False}
        ],
    }


def lineage(
    producer: str, columns: Iterable[list[dict[str, Any]]], rows: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """The facet `columnLineage` by the inputs of each column and of all rows."""
    return {
        "_producer": producer,
        "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json",
        "fields": {column(at): {"inputFields": inputs} for at, inputs in enumerate(columns)},
        "dataset": list(rows),
    }


def schema(columns: int) -> dict[str, Any]:
    """The facet `schema` of so many columns."""
    return {"fields": [{"name": column(at), "type": "string"} for at in range(columns)]}


def _facet(choose: random.Random, job: int, width: int, size: Size) -> dict[str, Any]:
    below = range((job // width - 1) * width, (job // width) * width)
    inputs = choose.sample(below, min(len(below), choose.randint(2, 4)))

    def field(kind: str, subtype: str) -> dict[str, Any]:
        source = name(choose.choice(inputs), width)
        return input_field(source, choose.randrange(size.columns), kind, subtype)

    counts = range(1, len(size.inputs) + 1)
    columns = (
        [
            field("DIRECT", choose.choice(SUBTYPES))
            for _ in range(choose.choices(counts, size.inputs)[0])
        ]
        for _ in range(size.columns)
    )
    rows = (field("INDIRECT", choose.choice(("FILTER", "JOIN", "GROUP_BY"))) for _ in range(3))
    names = {"inputs": [name(one, width) for one in inputs], "output": name(job, width)}
    return {**lineage(PRODUCER, columns, rows), **names}


def _event(job: int, at: int, facet: dict[str, Any], columns: int) -> dict[str, Any]:
    from airflow_colgraph.store.model.clock import iso

    stated = {key: value for key, value in facet.items() if key not in ("inputs", "output")}
    return {
        "eventType": "COMPLETE",
        "eventTime": iso(at),
        "producer": PRODUCER,
        "run": {"runId": run_id(at, job), "facets": {}},
        "job": {"namespace": "warehouse", "name": f"job_{job:05}", "facets": {}},
        "inputs": [{"namespace": NAMESPACE, "name": one, "facets": {}} for one in facet["inputs"]],
        "outputs": [
            {
                "namespace": NAMESPACE,
                "name": facet["output"],
                "facets": {"schema": schema(columns), "columnLineage": stated},
            }
        ],
    }
