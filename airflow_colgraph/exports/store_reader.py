"""Read the store's lineage, all or what changed since a time, and tags, as an export has them."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.exports.lineage_model import Lineage, Tagged
from airflow_colgraph.exports.schema.openlineage import nested
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.tags import SetTag
from airflow_colgraph.store.query import latest_lineage
from airflow_colgraph.store.query.tag_spread import tagged
from airflow_colgraph.store.query.tags import tags_of


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


Tags = Mapping[Dataset, Mapping[str, tuple[str, ...]]]


def set_tags(connection: Connection, since: int | None = None) -> tuple[Tagged, ...]:
    """The tags that are set on each dataset, of datasets whose tags changed since a time.

    A dataset whose tags have all ended is there without one.
    """
    now = time.time_ns() // 1_000_000
    settings: dict[Dataset, list[SetTag]] = {}
    for setting in tags_of(connection):
        settings.setdefault(Dataset(*setting.field[:2]), []).append(setting)
    every = (
        Tagged(
            dataset,
            max(time for was in held for time in (was.set_at, was.ended_at) if time <= now),
            tuple(sorted({_entry(was) for was in held if was.held(now)})),
        )
        for dataset, held in sorted(settings.items())
    )
    return tuple(entry for entry in every if since is None or entry.at >= since)


def _entry(setting: SetTag) -> tuple[str, str, str, str]:
    return setting.field.field, *setting.tag, setting.source


def tags(connection: Connection) -> Tags:
    """The tags of each field by dataset, as `lineage_model.Lineage` has them."""
    tags_by_dataset: dict[Dataset, dict[str, list[str]]] = {}
    for was in tags_of(connection):
        if not was.field.field:
            tags_by_dataset.setdefault(Dataset(*was.field[:2]), {})[""] = []
    for tag in tagged(connection, ["*"]).tags:
        fields = tags_by_dataset.setdefault(Dataset(*tag.field[:2]), {})
        fields.setdefault(tag.field.field, []).append(tag.tag.text)
    return {
        dataset: {name: tuple(sorted(texts)) for name, texts in fields.items()}
        for dataset, fields in tags_by_dataset.items()
    }


def tag_keys(connection: Connection) -> set[str]:
    """The keys of all tags that are or were set."""
    return {setting.tag.key for setting in tags_of(connection)}
