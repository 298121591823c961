"""Reads the tags of an export: those that are set, and those that travelled."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.engine import Connection

from airflow_colgraph.exports.lineage_model import Dataset
from airflow_colgraph.store.query.tag_spread import tagged
from airflow_colgraph.store.query.tags import tags_of

Tags = Mapping[Dataset, Mapping[str, tuple[str, ...]]]


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
