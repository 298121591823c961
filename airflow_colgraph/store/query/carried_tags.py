"""The tags that columns carry by themselves, by the structs that they are in, and by datasets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from time import time
from typing import NamedTuple

from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks
from airflow_colgraph.store.model.field_path import prefixes
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tag_travel import is_one_of
from airflow_colgraph.store.query.tags import tags_of

MOST_DATASETS = 500  # whose tags are looked up one by one

TagTexts = Mapping[str, Collection[str]]  # by the names of fields; the empty one is the dataset


class Carried(NamedTuple):
    """The tags of a column, and its dataset under the name that its edges have."""

    dataset: Field
    tags: set[str]


def carried_tags(
    connection: Connection, columns: Iterable[Field], patterns: Collection[str]
) -> dict[Field, Carried]:
    """The tags of these patterns that each column carries now; columns without one are left out.

    Tags that travelled there are not among them. A dataset may be named by any of its names.
    """
    columns = [column for column in columns if column.field]
    datasets = {dataset: dataset.id for dataset in {column.dataset for column in columns}}
    stored = symlinks.resolve(connection, datasets.values())
    tags = _tags(connection, set(stored.values()), patterns)
    carried: dict[Field, Carried] = {}
    for column in columns:
        dataset, of_fields = tags.get(stored[datasets[column.dataset]], (column, {}))
        texts = carried_by(of_fields, column.field)
        if texts:
            carried[column] = Carried(dataset, texts)
    return carried


def _tags(
    connection: Connection, datasets: set[int], patterns: Collection[str]
) -> dict[int, tuple[Field, dict[str, set[str]]]]:
    """The datasets' own tags of these patterns that hold now, by the ids of the datasets."""
    names = {id for pair in symlinks.group(connection, datasets) for id in pair} | datasets
    tagged: dict[int, tuple[Field, dict[str, set[str]]]] = {}
    now = int(time() * 1000)
    for each in tags_of(connection, names if len(names) <= MOST_DATASETS else None):
        dataset = each.field.dataset
        if dataset.id in datasets and each.held(now) and is_one_of(each.tag, patterns):
            _, fields = tagged.setdefault(dataset.id, (dataset, {}))
            fields.setdefault(each.field.field, set()).add(each.tag.text)
    return tagged


def carried_by(tags: TagTexts, column: str) -> set[str]:
    """The tags of a column: its own, those of the structs that it is in, and the dataset's.

    >>> sorted(carried_by({"": {"gdpr"}, "a": {"pii"}, "a.c": {"x"}}, "a.b"))
    ['gdpr', 'pii']
    """
    return {tag for name in ("", *prefixes(column), column) for tag in tags.get(name, ())}
