"""A user's pattern taken out of datasets' names, as `spark.openlineage.dataset.removePath.pattern`.

Pure.
"""

from __future__ import annotations

import re

from airflow_colgraph.collector.model import Dataset, NamedDataset, Query, Read, Write

GROUP = "remove"  # what it matches is removed; the rest of the pattern is context
MOST_NAME = 1000  # characters: for more the time of the user's pattern is not known


def renamed(query: Query, pattern: re.Pattern[str] | None) -> Query:
    """The query with datasets that have lost what the pattern removes; those alike are one."""
    if pattern is None:
        return query
    reads = {ids: _read(read, pattern) for ids, read in query.reads.items()}
    rdds = {ids: _read(read, pattern) for ids, read in query.rdds.items()}
    write = query.write and _write(query.write, pattern)
    return query._replace(reads=reads, rdds=rdds, write=write)


def without(dataset: Dataset, pattern: re.Pattern[str]) -> Dataset:
    """The dataset without the first match in its name; whole if nothing else would be left.

    A name of more than MOST_NAME characters is kept.
    """
    if len(dataset.name) > MOST_NAME:
        return dataset
    match = pattern.search(dataset.name)
    if match is None or match[GROUP] is None:
        return dataset
    start, end = match.span(GROUP)
    return dataset._replace(name=dataset.name[:start] + dataset.name[end:] or dataset.name)


def _named(named: NamedDataset, pattern: re.Pattern[str]) -> NamedDataset:
    return named._replace(dataset=without(named.dataset, pattern))


def _read(read: Read, pattern: re.Pattern[str]) -> Read:
    return read._replace(
        datasets=tuple(dict.fromkeys(_named(named, pattern) for named in read.datasets)),
        origins=tuple(_read(origin, pattern) for origin in read.origins),
    )


def _write(write: Write, pattern: re.Pattern[str]) -> Write:
    return write._replace(
        named=_named(write.named, pattern),
        previous=write.previous and without(write.previous, pattern),
    )
