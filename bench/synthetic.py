"""A synthetic warehouse: OpenLineage events of daily jobs in ten layers.

Each dataset but those of the first layer is written by one job from 2 to 4 datasets of the layer
below; each column comes from 1 to 4 columns of those, in the LARGE ones from 1 to 21, and some
columns decide on all rows. Of the daily runs 95 % repeat what the run before reported. The same
seed gives the same events.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple

DAY = 86_400_000
FIRST = 1_760_000_000_000
LAYERS = 10
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


def _facet(choose: random.Random, job: int, width: int, size: Size) -> dict[str, Any]:
    below = range((job // width - 1) * width, (job // width) * width)
    inputs = choose.sample(below, min(len(below), choose.randint(2, 4)))

    def field(kind: str, subtype: str) -> dict[str, Any]:
        return {
            "namespace": "s3://lake",
            "name": name(choose.choice(inputs), width),
            "field": f"column_{choose.randrange(size.columns):03}",
            "transformations": [
                {"type": kind, "subtype": subtype, "description": "", "masking": False}
            ],
        }

    counts = range(1, len(size.inputs) + 1)
    return {
        "_producer": "https://example.org/warehouse",
        "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json",
        "fields": {
            f"column_{column:03}": {
                "inputFields": [
                    field("DIRECT", choose.choice(SUBTYPES))
                    for _ in range(choose.choices(counts, size.inputs)[0])
                ]
            }
            for column in range(size.columns)
        },
        "dataset": [
            field("INDIRECT", choose.choice(("FILTER", "JOIN", "GROUP_BY"))) for _ in range(3)
        ],
        "inputs": [name(one, width) for one in inputs],
        "output": name(job, width),
    }


def _event(job: int, at: int, facet: dict[str, Any], columns: int) -> dict[str, Any]:
    from airflow_colgraph.store.model.clock import iso

    schema = {"fields": [{"name": f"column_{c:03}", "type": "string"} for c in range(columns)]}
    lineage = {key: value for key, value in facet.items() if key not in ("inputs", "output")}
    run = uuid.UUID(int=(at << 80) | (7 << 76) | (2 << 62) | job)
    return {
        "eventType": "COMPLETE",
        "eventTime": iso(at),
        "producer": "https://example.org/warehouse",
        "run": {"runId": str(run), "facets": {}},
        "job": {"namespace": "warehouse", "name": f"job_{job:05}", "facets": {}},
        "inputs": [
            {"namespace": "s3://lake", "name": one, "facets": {}} for one in facet["inputs"]
        ],
        "outputs": [
            {
                "namespace": "s3://lake",
                "name": facet["output"],
                "facets": {"schema": schema, "columnLineage": lineage},
            }
        ],
    }
