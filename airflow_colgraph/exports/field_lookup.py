"""Look up a field of the store by any of its names: RFC 1841, v1 or v2 path, or URN."""

from __future__ import annotations

from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.exports.datahub.platform import Mapping, named
from airflow_colgraph.exports.datahub.urn import FieldUrn, UrnError, encode, parse_field
from airflow_colgraph.exports.path_forms import (
    AmbiguousPath,
    Key,
    PathError,
    UnknownPath,
    find,
    form,
    rfc_path,
    v1_path,
)
from airflow_colgraph.exports.schema.model import SchemaError, fields
from airflow_colgraph.exports.schema.openlineage import from_openlineage, nested
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.latest_lineage import other_names
from airflow_colgraph.store.query.lookup import fields_of, find_dataset, schemas_of
from airflow_colgraph.store.store import Store

ALIASES = ("/", "[version=", "urn:li:")
FORMATS = ("rfc", "v1", "v2-hive", "v2-openlineage")


class AmbiguousField(QuestionError):
    """A name that several fields have; `candidates` are names that only one of them has."""

    def __init__(self, problem: AmbiguousPath) -> None:
        """With the text of the path's error."""
        super().__init__(str(problem))
        self.candidates = [rfc_path(key) for key in problem.candidates]


def find_fields(store: Store, asked: list[Field]) -> list[Field]:
    """The fields under the names that the store has for them; see `find_field`."""
    if not any(field.field.startswith(ALIASES) for field in asked):
        return asked
    with store.connection() as connection:
        return [find_field(connection, field) for field in asked]


def find_field(connection: Connection, asked: Field) -> Field:
    """The field under the name that the store has for it.

    A name that the store has, or that is none of these forms, is left as it is: the store's own
    search suggests similar ones. AmbiguousField and QuestionError if the name cannot be followed.
    """
    path = asked.field
    if not path.startswith(ALIASES):
        return asked
    dataset = find_dataset(connection, asked.namespace, asked.name)
    names = [field.field for field in fields_of(connection, dataset).values()]
    if path in names:
        return asked
    try:
        if path.startswith("urn:li:"):
            path = parse_field(path).path
        keys = _keys(connection, dataset, names)
        key = find(path, keys.values(), ignore_case=True)
    except UnknownPath:
        return asked
    except AmbiguousPath as problem:
        raise AmbiguousField(problem) from None
    except (PathError, UrnError) as problem:
        raise QuestionError(str(problem)) from None
    same = [name for name in names if keys[name] == key]
    return asked._replace(field=v1_path(key) if v1_path(key) in same else same[0])


def paths_of(
    connection: Connection, namespace: str, name: str, mapping: Mapping
) -> list[dict[str, Any]]:
    """The fields of a dataset's latest schema with every path and URN that they have."""
    dataset = find_dataset(connection, namespace, name)
    bodies = schemas_of(connection, dataset)
    if not bodies:
        return []
    schema = from_openlineage({"fields": nested(bodies[-1])})
    name_in_force = Dataset(dataset.namespace, dataset.name)
    others = other_names(connection, [name_in_force]).get(name_in_force, ())
    urn = named(name_in_force, others, mapping)
    rows = {}
    for field in fields(schema):
        paths = {format_: form(schema, format_)(field) for format_ in FORMATS}
        urns = {
            "schemaField": str(FieldUrn(urn, paths["v1"])),
            "datasetField": f"urn:li:datasetField:({urn},{encode(paths['rfc'])})",
        }
        rows[field.key] = {"key": list(field.key), "leaf": field.leaf, **paths, **urns}
    return [row for key, row in rows.items() if key]


def _keys(connection: Connection, dataset: Field, names: list[str]) -> dict[str, Key]:
    """The tuple of each field's names, by the schemas that were reported of the dataset.

    A name that no schema has is one name, dots and all; the latest schema decides.
    """
    keys: dict[str, Key] = {}
    for rows in schemas_of(connection, dataset):
        try:
            inside = [f.key for f in fields(from_openlineage({"fields": nested(rows)})) if f.key]
        except SchemaError:
            continue
        keys.update((v1_path(key), key) for key in inside)
    return {name: keys.get(name, (name,)) for name in names}
