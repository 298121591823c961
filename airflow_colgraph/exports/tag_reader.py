"""Reads the tags of an export: those that are set, and those that travelled."""

from __future__ import annotations

import time
from collections.abc import Mapping

from sqlalchemy.engine import Connection

from airflow_colgraph.exports.lineage_model import Dataset, Tagged
from airflow_colgraph.store.model.tags import SetTag
from airflow_colgraph.store.query.tag_spread import tagged
from airflow_colgraph.store.query.tags import tags_of

Tags = Mapping[Dataset, Mapping[str, tuple[str, ...]]]


def set_tags(connection: Connection, since: int | None = None) -> tuple[Tagged, ...]:
    """The tags that are set on each dataset, of datasets whose tags changed since a time.

    A dataset of which all tags have ended is there without one.
    """
    now = time.time_ns() // 1_000_000
    found: dict[Dataset, list[SetTag]] = {}
    for one in tags_of(connection):
        found.setdefault(Dataset(*one.field[:2]), []).append(one)
    every = (
        Tagged(
            dataset,
            max(time for was in held for time in (was.set_at, was.ended_at) if time <= now),
            tuple(sorted({_entry(was) for was in held if was.held(now)})),
        )
        for dataset, held in sorted(found.items())
    )
    return tuple(one for one in every if since is None or one.at >= since)


def _entry(one: SetTag) -> tuple[str, str, str, str]:
    return one.field.field, *one.tag, one.source


def tags(connection: Connection) -> Tags:
    """The tags of each field by dataset, as `lineage_model.Lineage` has them."""
    found: dict[Dataset, dict[str, list[str]]] = {}
    for was in tags_of(connection):
        if not was.field.field:
            found.setdefault(Dataset(*was.field[:2]), {})[""] = []
    for one in tagged(connection, ["*"]).tags:
        fields = found.setdefault(Dataset(*one.field[:2]), {})
        fields.setdefault(one.field.field, []).append(one.tag.text)
    return {
        dataset: {name: tuple(sorted(texts)) for name, texts in fields.items()}
        for dataset, fields in found.items()
    }


def tag_keys(connection: Connection) -> set[str]:
    """The keys of all tags that are or were set."""
    return {one.tag.key for one in tags_of(connection)}
