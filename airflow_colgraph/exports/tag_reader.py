"""Reads the tags of an export: those that are set, and those that travelled."""

from __future__ import annotations

import time
from collections.abc import Mapping

from sqlalchemy.engine import Connection

from airflow_colgraph.exports.lineage_model import Tagged
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.tags import SetTag
from airflow_colgraph.store.query.tag_spread import tagged
from airflow_colgraph.store.query.tags import tags_of

Tags = Mapping[Dataset, Mapping[str, tuple[str, ...]]]


def set_tags(connection: Connection, since: int | None = None) -> tuple[Tagged, ...]:
    """The tags that are set on each dataset, of datasets whose tags changed since a time.

    A dataset of which all tags have ended is there without one.
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
