"""Finds the nodes for names that users give, with similar names if there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model import field_path, name_case
from airflow_colgraph.store.model.field_path import is_part, prefixes
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.close_names import close, last_part
from airflow_colgraph.store.query.edge_cache import snapshot


class Starts(NamedTuple):
    """The start of a query: the nodes' ids and their names, in the same order."""

    ids: tuple[int, ...]
    fields: tuple[Field, ...]


def start_nodes(
    connection: Connection, asked: Iterable[Field], *, dataset_level: bool = False
) -> Starts:
    """The nodes for the names: a dataset without a field is all its fields; UnknownNode if none.

    The namespace may be empty if only one dataset has the name.
    """
    starts: dict[int, Field] = {}
    for field in asked:
        if field.field and not dataset_level and _is_known(connection, field):
            starts[field.id] = field
            continue
        dataset = find_dataset(connection, field.namespace, field.name)
        if dataset_level:
            starts[dataset.id] = dataset
        elif field.field:
            starts.update(_field(connection, dataset, field.field))
        else:
            starts[dataset.id] = dataset
            starts.update(fields_of(connection, dataset))
    return Starts(tuple(starts), tuple(starts.values()))


def known_field(connection: Connection, dataset: Field, name: str) -> Field:
    """The dataset's field under the name that the store has, or UnknownNode; "": the dataset.

    A struct is known by its parts.
    """
    wanted = dataset._replace(field=name)
    parts = fields_of(connection, dataset).values() if name else ()
    if not name or any(part.field.startswith(f"{name}.") for part in parts):
        return wanted
    return start_nodes(connection, [wanted]).fields[0]


def dotted_field(connection: Connection, text: str, namespace: str = "") -> Field:
    """The field in a text `DATASET.FIELD`; UnknownNode if there is none.

    Names have dots, too: of all ways to split the text that name a dataset the first counts in
    which the dataset has the field, longer names of datasets first.
    """
    splits = [(text[:at], text[at + 1 :]) for at, character in enumerate(text) if character == "."]
    ways = [(name, field) for name, field in reversed(splits) if name and field]
    if not ways:
        raise QuestionError(f"{text!r} is not a field. Expected DATASET.FIELD.")
    there = [way for way in ways if is_dataset(connection, namespace, way[0])] or ways
    for name, field in there[1:] and there:
        try:
            return start_nodes(connection, [Field(namespace, name, field)]).fields[0]
        except UnknownNode:
            continue
    return start_nodes(connection, [Field(namespace, *there[0])]).fields[0]


def _is_known(connection: Connection, field: Field) -> bool:
    """Whether the field is in the caches, so that no statement is needed."""
    node = name_cache.of(connection).nodes.get(field.id)
    if node is None:
        return False
    canonical = snapshot(connection).cache.canonical
    if node.dataset not in canonical:
        canonical.update(symlinks.resolve(connection, [node.dataset]))
    return canonical[node.dataset] == node.dataset


def find_dataset(connection: Connection, namespace: str, name: str) -> Field:
    """The dataset under the name that its edges are stored under."""
    namespace, name = namespace.replace("\0", "\ufffd"), name.replace("\0", "\ufffd")
    table = tables.dataset
    if namespace:
        query = select(table).where(table.c.id == Field(namespace, name, "").id)
    else:
        query = select(table).where(table.c.name == name)
    rows = connection.execute(query).all()
    stored = name_case.canonical(Field(namespace, name, ""))
    if not rows and stored != (namespace, name, ""):
        return find_dataset(connection, stored.namespace, stored.name)
    if not rows:
        raise unknown_dataset(connection, namespace, name)
    kept = symlinks.resolve(connection, {row.id for row in rows})
    standing = set(kept.values())
    if len(standing) > 1:
        several = ", ".join(sorted(repr(row.namespace) for row in rows))
        raise UnknownNode(f"Several datasets are named {name!r}; specify the namespace: {several}.")
    row = connection.execute(select(table).where(table.c.id.in_(standing))).one()
    return Field(row.namespace, row.name, "")


def is_dataset(connection: Connection, namespace: str, name: str) -> bool:
    """Whether `find_dataset` has a dataset to return or to choose from."""
    table = tables.dataset
    query = select(table.c.id).where(table.c.name == name)
    if namespace:
        query = query.where(table.c.namespace == namespace)
    return connection.execute(query.limit(1)).first() is not None


def fields_of(connection: Connection, dataset: Field) -> dict[int, Field]:
    """Every known field of the dataset, also dropped ones, by id, in order of names."""
    table = tables.field
    query = select(table.c.id, table.c.name).where(
        table.c.dataset == dataset.id, table.c.name != ""
    )
    rows = connection.execute(query.order_by(table.c.name))
    return {id: dataset._replace(field=name) for id, name in rows}


def _field(connection: Connection, dataset: Field, name: str) -> dict[int, Field]:
    wanted = dataset._replace(field=name)
    table = tables.field
    if connection.execute(select(table.c.id).where(table.c.id == wanted.id)).first():
        return {wanted.id: wanted}
    names = [field.field for field in fields_of(connection, dataset).values()]
    same = [other for other in names if other.lower() == name.lower()]
    if len(same) == 1:  # Spark's names are case-insensitive
        wanted = dataset._replace(field=same[0])
        return {wanted.id: wanted}
    spelled = field_path.short(name)
    if spelled != name:
        return _field(connection, dataset, spelled)
    if _may_be_nested(connection, dataset, name, names):  # in no event itself
        return {name_cache.of(connection).add(wanted): wanted}
    near = close(name, names, most=3, cutoff=0.5)
    what = f"Similar names: {', '.join(near)}." if near else some("Fields", names)
    raise UnknownNode(f"Field {name!r} is not in {dataset.name}. {what}")


def _may_be_nested(connection: Connection, dataset: Field, name: str, names: Sequence[str]) -> bool:
    """Whether a field without a name of its own is a struct, or a part of one.

    A struct has the parts that a schema lists, if one does; else it may have any.
    """
    listed = {path for columns in schemas_of(connection, dataset) for path, _ in columns}
    every = {*names, *listed}
    if any(is_part(other, name) for other in every):
        return True
    around = [whole for whole in prefixes(name) if whole in every]
    return bool(around) and not any(is_part(other, around[-1]) for other in listed)


def schemas_of(connection: Connection, dataset: Field) -> list[list[list[str]]]:
    """The schemas that were reported of a dataset under any of its names, the latest last."""
    ids = {dataset.id}.union(*symlinks.group(connection, {dataset.id}))
    table = tables.schema.c
    query = select(table.body).where(table.dataset.in_(ids)).order_by(table.last_at)
    return [unpack(body)["columns"] for body in connection.execute(query).scalars()]


def unknown_dataset(connection: Connection, namespace: str, name: str) -> UnknownNode:
    """The error for a dataset, or without a name for a namespace, that is not in the store."""
    return UnknownNode(_unknown(connection, namespace, name))


def _unknown(connection: Connection, namespace: str, name: str) -> str:
    table = tables.dataset
    rows = connection.execute(select(table.c.namespace, table.c.name).limit(100_000)).all()
    if not rows:
        return f"Dataset {name!r} is not in the store: the store is empty."
    if not name:
        namespaces = sorted({row.namespace for row in rows})
        similar = close(namespace, namespaces, most=3)
        what = some("Similar ones", similar) if similar else some("Namespaces", namespaces)
        return f"No dataset is in namespace {namespace!r}. {what}"
    where = f" in namespace {namespace!r}" if namespace else ""
    elsewhere = [row.namespace for row in rows if row.name == name]
    if elsewhere:
        return f"Dataset {name!r} is not{where}. " + some("It is in", sorted(map(repr, elsewhere)))
    names = {row.name for row in rows}
    ends = {last_part(other): other for other in names}
    near = close(name, names, most=3)
    near += [ends[end] for end in close(last_part(name), ends, most=3)]
    similar = list(dict.fromkeys(near))
    what = some("Similar names", similar) if similar else some("Datasets", sorted(names))
    return f"Dataset {name!r} is not{where or ' in the store'}. {what}"


def some(title: str, names: list[str], most: int = 10) -> str:
    """The first names, and how many more there are, as a sentence."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{title}: {', '.join(names[:most])}{more}." if names else f"{title}: none."
