"""Read the store's lineage as the model of an export: all of it, or what changed since a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.schema.openlineage import nested
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.query import latest_lineage


def lineage(
    connection: Connection, since: int | None = None, of: Collection[Dataset] | None = None
) -> Lineage:
    """Read the current lineage from the store.

    Args:
        connection: A connection to the store.
        since: Only datasets whose lineage or schema changed since this time, in milliseconds; each
            is read whole.
        of: Only these datasets.

    Returns:
        A `lineage_model.Lineage`: an output for each job and dataset that it writes, and the
        latest schemas of all datasets that these name, as fields of OpenLineage's facet, and other
        names of datasets.
    """
    latest = latest_lineage.latest_lineage(connection, since, of)
    schemas = {dataset: nested(columns) for dataset, columns in latest.schemas.items()}
    every = {*schemas, *(of or ())}.union(*({o.dataset, *o.inputs} for o in latest.outputs))
    others = latest_lineage.other_names(connection, every if of else None)
    return Lineage(latest.outputs, schemas, latest.unchanged, symlinks=others)


def schemas(connection: Connection) -> Iterator[tuple[Dataset, list[dict[str, Any]]]]:
    """The latest schema of each dataset, under all of its names, as fields of the facet."""
    for dataset, columns in latest_lineage.schemas(connection):
        yield dataset, nested(columns)
