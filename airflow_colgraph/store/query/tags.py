"""The tags that are set on fields and datasets, by people and by events, and their times."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Select

from airflow_colgraph.store.db import lifecycle, symlinks, tables
from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.model.tag_travel import is_one_of
from airflow_colgraph.store.model.tags import (
    Renaming,
    ReportedTags,
    SetTag,
    Tag,
    TagChange,
    set_tags,
)
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.close_names import close
from airflow_colgraph.store.query.listing import members
from airflow_colgraph.store.query.lookup import find_dataset, some, start_nodes

USER = "USER"  # OpenLineage's source of tags that people set


def tags_of(connection: Connection, datasets: Collection[int] | None = None) -> list[SetTag]:
    """Every tag that is or was set, under the names that edges are stored under.

    `datasets`: only tags of these, and of their fields; None: of all.
    """
    changed, reported = select(tables.tag_change), select(tables.reported_tags)
    pairs = lifecycle.renamed_pairs(connection)
    names = stored_names(connection, {id for _, *ids in pairs for id in ids})
    renamings = [Renaming(at, names[old], names[new]) for at, old, new in pairs]
    if datasets is not None and not renamings:  # else a tag may come from a former name
        fields = select(tables.field.c.id).where(tables.field.c.dataset.in_(datasets))
        changed = changed.where(tables.tag_change.c.field.in_(fields))
        reported = reported.where(tables.reported_tags.c.dataset.in_(datasets))
    tags = set_tags(_changes(connection, changed), _reports(connection, reported), renamings)
    return [tag for tag in tags if datasets is None or tag.field.dataset.id in datasets]


def unmatched(connection: Connection, patterns: Iterable[str]) -> list[str]:
    """The patterns of KEY or KEY=VALUE that match no tag that is or was set."""
    tags = {each.tag for each in tags_of(connection)}
    return [each for each in patterns if not any(is_one_of(tag, [each]) for tag in tags)]


def require_tags(connection: Connection, patterns: Collection[str]) -> list[str]:
    """The patterns that match no tag that is or was set; UnknownNode if none of some matches."""
    without = unmatched(connection, patterns)
    if not without or len(without) < len(patterns):
        return without
    texts = sorted({set_tag.tag.text for set_tag in tags_of(connection)})
    near = close(without[0], texts, most=3, cutoff=0.5)
    what = f"Similar tags: {', '.join(near)}." if near else some("Tags", texts)
    raise UnknownNode(f"No tag that matches {without[0]!r} is or was set. {what}")


def tags_on(connection: Connection, dataset: Field) -> list[SetTag]:
    """The tags that are set now on the dataset, or on its fields."""
    now = time.time_ns() // 1_000_000
    return [
        set_tag
        for set_tag in tags_of(connection, members(connection, dataset))
        if set_tag.held(now)
    ]


def changes(
    connection: Connection,
    dataset: tuple[str, str],
    fields: Collection[str],
    tags: Iterable[Tag],
    *,
    is_set: bool,
    at: int,
    by: str,
    source: str = USER,
) -> list[TagChange]:
    """The changes that set tags on fields, or on the dataset where none is given, or remove them.

    Args:
        connection: A connection to the store.
        dataset: The namespace (may be empty) and the name.
        fields: Names of fields; none: the dataset as a whole.
        tags: The tags.
        is_set: Whether they are set; else they are removed.
        at: When, in milliseconds since 1970.
        by: Who changes them.
        source: Who assigns such tags, as in OpenLineage's `tags` facet.

    Returns:
        What `admin.tags.write` stores.

    Raises:
        UnknownNode: The store does not know the dataset or a field, or a tag that is to be removed
            is not there.
    """
    if fields:
        nodes = start_nodes(connection, [Field(*dataset, name) for name in fields]).fields
    else:
        nodes = (find_dataset(connection, *dataset),)
    wanted = [(node, tag) for node in nodes for tag in tags]
    if is_set:
        return [TagChange(node, tag, at, True, source, by) for node, tag in wanted]
    names = members(connection, nodes[0].dataset)
    held = {
        (set_tag.field, set_tag.tag) for set_tag in tags_of(connection, names) if set_tag.held(at)
    }
    for node, tag in wanted:
        if (node, tag) not in held:
            where = f"{node.name}.{node.field}" if node.field else node.name
            raise UnknownNode(f"Tag {tag.text!r} is not on {where}.")
    return [TagChange(node, tag, at, False, source, by) for node, tag in wanted]


def _changes(connection: Connection, query: Select[Any]) -> list[TagChange]:
    rows = connection.execute(query).all()
    nodes = name_cache.of(connection).read_nodes(connection, {row.field for row in rows})
    kept = stored_names(connection, {nodes[row.field].dataset for row in rows})
    return [
        TagChange(
            kept[nodes[row.field].dataset]._replace(field=nodes[row.field].field.field),
            Tag(row.key, row.value),
            row.at,
            bool(row.is_set),
            row.source,
            row.by,
        )
        for row in rows
    ]


def _reports(connection: Connection, query: Select[Any]) -> list[ReportedTags]:
    rows = connection.execute(query).all()
    kept = stored_names(connection, {row.dataset for row in rows})
    reports = []
    for row in rows:
        dataset = kept[row.dataset]
        tags = {
            (dataset._replace(field=field), Tag(key, value)): source
            for field, key, value, source in unpack(row.body)["tags"]
        }
        reports.append(ReportedTags(dataset, row.job, tags, row.first_at, row.last_at))
    return reports


def stored_names(connection: Connection, datasets: Iterable[int]) -> dict[int, Field]:
    """The name that the edges of each dataset are stored under."""
    kept = symlinks.resolve(connection, datasets)
    nodes = name_cache.of(connection).read_nodes(connection, set(kept.values()))
    return {id: nodes[canonical].field for id, canonical in kept.items()}
