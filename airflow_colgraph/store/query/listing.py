"""Lists of datasets, columns and namespaces, searched by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

from sqlalchemy import Column, and_, func, or_, select, tuple_
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.close_names import NAMES, close, last_part
from airflow_colgraph.store.query.pagination import MOST, Key, contains, named, page, words
from airflow_colgraph.store.query.reported_bodies import job_outputs_of

ROWS = 50_000  # in which they are looked for: a sample, as ids are hashes
FEW, FEW_NAMES, WORDS = 200, 3, 4  # datasets and names whose fields are read at once; words tried
FIRST = 1, 10, 100, 1000  # names whose fields are read, until they fill a page
Times = tuple[int, int]  # the first and the latest report


class Dataset(NamedTuple):
    """A dataset with the times of its first and latest report (None: it is only an input).

    `other_names`: the others that it has, each with its namespace.
    """

    namespace: str
    name: str
    created_at: str | None
    updated_at: str | None
    other_names: list[str]


def members(connection: Connection, dataset: Field) -> set[int]:
    """The ids of all names of a dataset."""
    return symlinks.members_of(connection, {dataset.id})[dataset.id]


def dataset_key(row: Dataset, text: str = "") -> Key:
    """The row's key in the order of `datasets`."""
    return (len(row.name), row.name, row.namespace) if text else (row.name, row.namespace)


def datasets(
    connection: Connection,
    text: str = "",
    namespace: str = "",
    limit: int = 50,
    offset: int = 0,
    after: Key | None = None,
) -> list[Dataset]:
    """Datasets whose name contains each word of the text, shorter names first."""
    table = tables.dataset
    query = named(select(table.c.id, table.c.namespace, table.c.name), table, text, namespace)
    order = (func.length(table.c.name),) if text else ()
    order = (*order, table.c.name, table.c.namespace)
    if connection.execute(select(tables.symlink.c.alias).limit(1)).first() is None:
        rows = list(connection.execute(page(query, order, limit, offset, after)))
    else:
        once = _once(connection, query, order, after, text, 2 * (limit + offset))
        rows = list(islice(once, offset, offset + min(limit, MOST)))
    return datasets_of(connection, rows)


def dataset(connection: Connection, node: Field) -> Dataset:
    """A dataset under the name that it is asked for by."""
    (row,) = datasets_of(connection, [node.dataset])
    return row


def datasets_of(connection: Connection, named: Sequence[Any]) -> list[Dataset]:
    """Datasets under the names that they are asked for by, in their order: fields, or rows."""
    names = _names_of(connection, [dataset.id for dataset in named])
    times = _times(connection, {id for ids in names.values() for id, *_ in ids})
    return [_dataset(dataset, names[dataset.id], times) for dataset in named]


def _once(
    connection: Connection, query: Any, order: Key, after: Key | None, text: str, size: int
) -> Iterator[Any]:
    """The rows, of each dataset with several of the names only one; `size` are read at first."""
    size = min(size, MOST)
    while True:
        rows = connection.execute(page(query, order, size, 0, after)).all()
        left_out = _left_out(connection, query, [row.id for row in rows], text)
        yield from (row for row in rows if row.id not in left_out)
        if len(rows) < size:
            return
        last = rows[-1]
        after = (len(last.name),) if text else ()
        after = (*after, last.name, last.namespace)
        size = min(2 * size, MOST)


def _left_out(connection: Connection, query: Any, ids: list[int], text: str) -> set[int]:
    """The names of datasets that are listed under another: their own, or the first of the rows."""
    groups = symlinks.groups(connection, ids)
    members = set[int]().union(*groups)
    standing = symlinks.resolve(connection, members)
    rows = rows_in(connection, query, tables.dataset.c.id, members)
    places = {row.id: (len(row.name) if text else 0, row.name, row.namespace) for row in rows}
    listed = set()
    for names in groups:
        own = standing[next(iter(names))]
        listed.add(own if own in places else min(names & places.keys(), key=places.__getitem__))
    return members - listed


def _names_of(connection: Connection, ids: list[int]) -> dict[int, list[tuple[int, str, str]]]:
    """All names of each dataset, with their ids."""
    members = symlinks.members_of(connection, ids)
    every = set[int]().union(*members.values())
    table = tables.dataset.c
    query = select(table.id, table.namespace, table.name)
    named = {row.id: tuple(row) for row in rows_in(connection, query, table.id, every)}
    return {id: [named[name] for name in names] for id, names in members.items()}


def _dataset(row: Any, names: list[tuple[int, str, str]], times: Mapping[int, Times]) -> Dataset:
    reported = [times[id] for id, *_ in names if id in times]
    first = clock.iso(min(first for first, _ in reported)) if reported else None
    last = clock.iso(max(last for _, last in reported)) if reported else None
    others = sorted(f"{namespace} {name}" for id, namespace, name in names if id != row.id)
    return Dataset(row.namespace, row.name, first, last, others)


def column_key(row: Field) -> Key:
    """The row's key in the order of `columns`."""
    return len(row.field), row.field, row.name, row.namespace


def columns(
    connection: Connection,
    text: str = "",
    limit: int = 50,
    offset: int = 0,
    after: Key | None = None,
) -> list[Field]:
    """Fields whose name contains the text: the same name first, then shorter ones.

    Of several words all but one may be in the dataset's name instead; `a.b` is also b of a.
    """
    field, dataset = tables.field, tables.dataset
    query = select(dataset.c.namespace, dataset.c.name, field.c.name.label("field")).join_from(
        field, dataset, field.c.dataset == dataset.c.id
    )
    query = query.where(field.c.name != "", *_each_word(text))
    link = tables.symlink.c  # a name that is only another one of a dataset
    holds = link.is_ended.is_(False)
    aliases, standing = select(link.alias).where(holds), select(link.dataset).where(holds)
    query = query.where(dataset.c.id.not_in(aliases) | dataset.c.id.in_(standing))
    order = (func.length(field.c.name), field.c.name, dataset.c.name, dataset.c.namespace)
    query = page(query, order, limit, offset, after)
    few = _few_fields(connection, text)
    if few is None:
        rows = _by_names(connection, query, _names(text, after), limit)
    else:
        rows = connection.execute(query.where(few)).all()
    return [Field(*row) for row in rows]


def _few_fields(connection: Connection, text: str) -> Any | None:
    """A condition that every result meets and few other fields; None if no word gives one.

    Of several words each is in the dataset's name or the field's, of `a.b` a is in the former or
    all in the latter.
    """
    several, conditions = len(words(text)) > 1, []
    for word in words(text)[:WORDS]:
        part = _halves(word)[0] or (word if several else "")
        if not part:
            continue
        datasets = _few(connection, tables.dataset.c.id, contains(tables.dataset.c.name, part))
        names = _few(connection, tables.field_name.c.name, contains(tables.field_name.c.name, word))
        if len(datasets) <= FEW and len(names) <= FEW_NAMES:
            conditions.append((len(names), len(datasets), names, datasets))
    if not conditions:
        return None
    *_, names, datasets = min(conditions)
    return or_(tables.field.c.dataset.in_(datasets), tables.field.c.name.in_(names))


def _few(connection: Connection, column: Any, condition: Any) -> Sequence[Any]:
    """The column's values where the condition holds, but one more than few of them at most."""
    return connection.execute(select(column).where(condition).limit(FEW + 1)).scalars().all()


def _by_names(connection: Connection, query: Any, names: Any, limit: int) -> Sequence[Any]:
    """The page of fields: of a million, those with the first names are read and mostly fill it.

    Names and fields have the same order, so a full page needs no further names.
    """
    name = tables.field.c.name
    first = connection.execute(names.limit(FIRST[-1])).scalars().all()
    for size in FIRST:
        rows = connection.execute(query.where(name.in_(first[:size]))).all()
        if len(rows) >= min(limit, MOST) or len(first) <= size < FIRST[-1]:
            return rows
    return connection.execute(query.where(name.in_(names.order_by(None)))).all()


def _each_word(text: str) -> list[Any]:
    """That each word is in the field's name or in the dataset's, and one of them in the field's."""
    in_field = [(_in_field(word), word) for word in words(text)]
    either = (own | contains(tables.dataset.c.name, word) for own, word in in_field)
    return [or_(*(own for own, _ in in_field)), *either]


def _in_field(word: str) -> Any:
    """That a field's name contains the word; of `a.b` also b, if the dataset's contains a."""
    field, dataset = tables.field.c.name, tables.dataset.c.name
    before, after = _halves(word)
    if not before:
        return contains(field, word)
    return or_(contains(field, word), and_(contains(dataset, before), contains(field, after)))


def _halves(word: str) -> tuple[str, str]:
    """a and b of `a.b`; of any other word nothing and the word."""
    before, _, after = word.rpartition(".")
    return (before, after) if before and after else ("", word)


def _names(text: str, after: Key | None) -> Any:
    """The names that have one of the words, or b of `a.b`, in the order of `columns`."""
    name = tables.field_name.c.name
    order = func.length(name), name
    ends = [_halves(word)[1] for word in words(text)]
    query = select(name).where(or_(*(contains(name, end) for end in ends))).order_by(*order)
    if after is not None:  # its name may have further fields
        query = query.where(tuple_(*order) >= tuple_(*after[:2]))
    return query


def column_names(connection: Connection) -> set[str]:
    """The names of all columns."""
    return set(connection.execute(select(tables.field_name.c.name)).scalars())


def every_dataset(connection: Connection) -> list[tuple[int, str, str]]:
    """The id, namespace and name of each dataset, under all its names."""
    rows = connection.execute(select(tables.dataset))
    return [(row.id, row.namespace, row.name) for row in rows]


def near_datasets(connection: Connection, text: str) -> list[str]:
    """Names of datasets like the text, for a text that no name contains."""
    return _near(connection, tables.dataset.c.name, text)


def near_columns(connection: Connection, text: str) -> list[str]:
    """Names of columns like the text, for a text that no name contains; for `a.b` with datasets."""
    before, _ = _halves(text.strip())
    near = _near(connection, tables.field_name.c.name, text)
    datasets = before and _near(connection, tables.dataset.c.name, before)
    if near and datasets:
        field, dataset = tables.field, tables.dataset
        query = select(dataset.c.name, field.c.name)
        query = query.join_from(field, dataset, field.c.dataset == dataset.c.id)
        query = query.where(field.c.name.in_(near), dataset.c.name.in_(datasets))
        rows = {(name, column) for name, column in connection.execute(query)}
        pairs = [pair for pair in product(datasets, near) if pair in rows]  # the likest first
        near = [f"{last_part(name)}.{column}" for name, column in pairs] or near
    return list(dict.fromkeys(near))[:10]


def _near(connection: Connection, column: Column[str], text: str, most: int = 10) -> list[str]:
    """Names like the text; the last part of a path counts too."""
    some = select(column.label("name")).limit(ROWS).subquery()
    names = connection.execute(select(some.c.name).distinct().limit(NAMES)).scalars().all()
    by_last = {last_part(name).lower(): name for name in names}
    spelled = {name.lower(): name for name in names} | by_last
    last = re.split(r"[\s.]", text.strip())[-1]  # of `dataset.column`
    similar = close(text.lower(), spelled, most) or close(last.lower(), spelled, most)
    return list(dict.fromkeys(spelled[name] for name in similar))


def namespaces(connection: Connection) -> list[str]:
    """Every namespace of a dataset or job, in order."""
    queries = [select(table.c.namespace).distinct() for table in (tables.dataset, tables.job)]
    return sorted({name for query in queries for name in connection.execute(query).scalars()})


def first_seen(connection: Connection, namespaces: Collection[str]) -> dict[str, str]:
    """When each namespace was first seen; of those that a warehouse published when it was last."""
    table, dataset, output = tables.namespace.c, tables.dataset, tables.job_output
    query = select(table.name, table.first_at).where(table.name.in_(namespaces))
    times = dict(map(tuple, connection.execute(query)))
    missing = set(namespaces) - times.keys()
    if missing:
        latest = select(dataset.c.namespace, func.min(output.c.last_at))
        latest = latest.join_from(dataset, output, output.c.dataset == dataset.c.id)
        latest = latest.where(dataset.c.namespace.in_(missing)).group_by(dataset.c.namespace)
        times.update(map(tuple, connection.execute(latest)))
    return {name: clock.iso(at) for name, at in times.items()}


def first_read(connection: Connection, datasets: Collection[Field]) -> dict[Field, str]:
    """When a job that writes something first reported that it read each dataset."""
    names = _names_of(connection, [dataset.id for dataset in datasets])
    edge, every = tables.edge.c, {id for ids in names.values() for id, *_ in ids}
    query = select(edge.input, func.min(edge.first_seen)).where(edge.kind == DATASET)
    times = dict(map(tuple, rows_in(connection, query.group_by(edge.input), edge.input, every)))
    first: dict[Field, str] = {}
    for dataset in datasets:
        if seen := [times[id] for id, *_ in names[dataset.id] if id in times]:
            first[dataset] = clock.iso(min(seen))
    return first


def _times(connection: Connection, ids: Iterable[int]) -> dict[int, Times]:
    """First and latest time at which each dataset was reported."""
    job_output, occurrence, schema = tables.job_output, tables.occurrence, tables.schema
    ids = set(ids)
    queries = [
        select(job_output.c.dataset, func.min(occurrence.c.at), func.max(occurrence.c.at))
        .join_from(job_output, occurrence, occurrence.c.job_output == job_output.c.id)
        .where(occurrence.c.job_output.in_(job_outputs_of(connection, ids)))
        .group_by(job_output.c.dataset),
        select(schema.c.dataset, func.min(schema.c.first_at), func.max(schema.c.last_at))
        .where(schema.c.dataset.in_(ids))
        .group_by(schema.c.dataset),
    ]
    times: dict[int, list[int]] = {}
    for query in queries:
        for id, first, last in connection.execute(query):
            times.setdefault(id, []).extend((first, last))
    return {id: (min(seen), max(seen)) for id, seen in times.items()}
