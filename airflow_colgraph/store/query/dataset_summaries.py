"""The table of all datasets: who wrote each last, its coverage, what uses it, its tags.

`dags` are the DAGs that the reader may read, None: all. Writes and uses by jobs of other DAGs are
left out, so a dataset that only such jobs write has no writer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from itertools import takewhile
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.lifecycle import ended
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.body_columns import Coverage, column_coverage
from airflow_colgraph.store.model.bounded_cache import BoundedCache
from airflow_colgraph.store.model.lifecycle import REMOVES
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.query.dag_filter import Dags
from airflow_colgraph.store.query.gaps import lacking_jobs, of_datasets
from airflow_colgraph.store.query.job_runs import latest_states
from airflow_colgraph.store.query.last_writes import LastWrite, last_writes, write_rows
from airflow_colgraph.store.query.overview import used_by
from airflow_colgraph.store.query.tags import tags_of
from airflow_colgraph.store.query.unknown_columns import canonical_names

FAILED = ("FAIL", "ABORT")
RUNNING = ("START", "RUNNING")
_COVERAGE: BoundedCache[int, Coverage] = BoundedCache(200_000)

Names = dict[int, tuple[str, str]]  # namespace and name by the dataset's id


class Summary(NamedTuple):
    """A dataset as a row of the table.

    `state` is that of the latest run of the job that wrote it last, whether it wrote or not.
    `coverage` is that of the last write: None if no job that the reader may see wrote it.
    `is_lacking`: a job that writes it reported in its latest run that lineage is missing.
    `used_by`: so many other datasets. `is_removed`: it was dropped, or has another name now.
    """

    namespace: str
    name: str
    write: LastWrite | None
    state: str | None
    coverage: Coverage | None
    is_lacking: bool
    used_by: int
    tags: tuple[str, ...]
    is_removed: bool


class Page(NamedTuple):
    """Rows of the table, of how many, and what the names of all datasets begin with."""

    rows: list[Summary]
    total: int
    prefix: str


class Marks(NamedTuple):
    """What a picture says of a dataset: see `marks_among`."""

    is_lacking: bool
    columns: int | None
    tags: tuple[str, ...]


class Facts:
    """What is known of datasets: each part is read when it is first asked for, of all at once."""

    def __init__(
        self,
        connection: Connection,
        dags: Dags,
        ids: Collection[int] | None,
        at: int = clock.OPEN,
    ) -> None:
        """Nothing is read but other names.

        Args:
            connection: A connection to the store.
            dags: The DAGs that the reader may read.
            ids: The canonical ids of the datasets; None: of all.
            at: The time by which writes and their coverage are read.
        """
        self.connection = connection
        self.dags = dags
        self.ids = ids
        self.at = at
        self.canonical = canonical_names(connection)

    @cached_property
    def writes(self) -> dict[int, LastWrite]:
        """The last write of each dataset that has one."""
        last: dict[int, LastWrite] = {}
        for dataset, write in last_writes(self.connection, self.dags, self._members(), self.at):
            id = self.canonical.get(dataset, dataset)
            if id not in last or last[id][:2] < write[:2]:
                last[id] = write
        return last

    @cached_property
    def removed(self) -> set[int]:
        """The datasets that were dropped or renamed, and are there no longer."""
        return {
            self.canonical.get(id, id) for id in ended(self.connection, self._members(), REMOVES)
        }

    @cached_property
    def states(self) -> dict[int, str]:
        """The state of the latest run of each dataset's writer."""
        states = latest_states(self.connection, {write.job_id for write in self.writes.values()})
        jobs = {id: write.job_id for id, write in self.writes.items()}
        return {id: states[job] for id, job in jobs.items() if job in states}

    @cached_property
    def coverage(self) -> dict[int, Coverage]:
        """The coverage of each dataset's last write; of several reports the worst one.

        A run that has only begun may report columns when it is done.
        """
        bodies = _bodies_of(self.connection, self.writes.values())
        coverage = _coverage_of(self.connection, {id for ids in bodies.values() for id in ids})
        worst = {
            id: max((coverage[body] for body in bodies[write.job_output]), key=_unknown)
            for id, write in self.writes.items()
            if write.job_output in bodies
        }
        return {
            id: each
            for id, each in worst.items()
            if each.columns or self.states.get(id) not in RUNNING
        }

    @cached_property
    def lacking(self) -> set[int]:
        """The datasets for which a writer's latest run reported missing lineage."""
        jobs = {
            id: job
            for id, job in lacking_jobs(self.connection).items()
            if self.dags is None or job.dag_id in self.dags
        }
        output, dataset = tables.job_output.c, tables.dataset.c
        outputs = select(output.dataset, output.job)
        writers: dict[int, set[int]] = {}
        for row in rows_in(self.connection, outputs, output.dataset, self._members()):
            if row.job in jobs:
                writers.setdefault(self.canonical.get(row.dataset, row.dataset), set()).add(row.job)
        query = select(dataset.id, dataset.namespace, dataset.name)
        names: dict[int, set[tuple[str, str]]] = {}
        ids = {*writers, *(alias for alias, id in self.canonical.items() if id in writers)}
        for row in rows_in(self.connection, query, dataset.id, ids):
            own = names.setdefault(self.canonical.get(row.id, row.id), set())
            own.add((row.namespace, row.name))
        return {
            id
            for id, own in writers.items()
            if any(jobs[job].concerns(names.get(id, ())) for job in own)
        }

    @cached_property
    def used_by(self) -> dict[int, int]:
        """How many other datasets use each."""
        dataset = tables.dataset
        query = select(dataset.c.id, used_by(self.dags).label("datasets"))
        rows = rows_in(self.connection, query, dataset.c.id, self.ids)
        return {row.id: row.datasets for row in rows}

    @cached_property
    def tags(self) -> dict[int, tuple[str, ...]]:
        """The tags that are set now on each dataset or on any of its columns."""
        return self._tags(whole=False)

    @cached_property
    def own_tags(self) -> dict[int, tuple[str, ...]]:
        """The tags that are set now on each dataset as a whole."""
        return self._tags(whole=True)

    def _tags(self, *, whole: bool) -> dict[int, tuple[str, ...]]:
        now = time.time_ns() // 1_000_000
        texts: dict[int, set[str]] = {}
        for each in tags_of(self.connection, self._members()):
            if each.held(now) and not (whole and each.field.field):
                id = each.field.dataset.id
                texts.setdefault(self.canonical.get(id, id), set()).add(each.tag.text)
        return {id: tuple(sorted(names)) for id, names in texts.items()}

    def _members(self) -> set[int] | None:
        """The ids under all names."""
        if self.ids is None:
            return None
        wanted = set(self.ids)
        return wanted | {alias for alias, id in self.canonical.items() if id in wanted}


# What the table is sorted by; a dataset without a value comes last, in both directions.
ORDERS: Mapping[str, Callable[[Facts, int], Any]] = {
    "name": lambda facts, id: None,
    "namespace": lambda facts, id: None,
    "written_at": lambda facts, id: facts.writes[id].at if id in facts.writes else None,
    "writer": lambda facts, id: facts.writes[id].job if id in facts.writes else None,
    "state": lambda facts, id: facts.states.get(id),
    "columns_known": lambda facts, id: _share(facts.coverage[id]) if id in facts.coverage else None,
    "used_by": lambda facts, id: facts.used_by.get(id, 0),
    "tags": lambda facts, id: facts.tags.get(id),
}

# What the table may be kept to.
ONLY: Mapping[str, Callable[[Facts, int], bool]] = {
    "failed": lambda facts, id: facts.states.get(id) in FAILED,
    "lineage-missing": lambda facts, id: id in facts.lacking or _share(facts.coverage.get(id)) < 1,
    "not-used": lambda facts, id: not facts.used_by.get(id),
}


def summaries(
    connection: Connection,
    dags: Dags,
    text: str = "",
    only: str = "",
    sort: str = "name",
    *,
    descending: bool = False,
    limit: int = 100,
    offset: int = 0,
) -> Page:
    """A page of the table of datasets, each listed under the name that its edges have.

    `text`: each word is in the namespace, the name, the last writer's name or a tag. `only` and
    `sort` are keys of `ONLY` and `ORDERS`.
    """
    facts = Facts(connection, dags, None)
    names = _names(connection, facts.canonical)
    ids = [id for id in names if _mentions(facts, id, names[id], text.lower().split())]
    if only:
        ids = [id for id in ids if ONLY[only](facts, id)]
    ids = _sorted(facts, ids, names, sort, descending)
    shown = ids[offset : offset + limit]
    prefix = common_folder([name for _, name in names.values()])
    return Page(_rows(Facts(connection, dags, shown), names), len(ids), prefix)


def common_folder(names: Collection[str]) -> str:
    """What all names begin with, up to a slash, or to a dot if no name has a slash.

    >>> common_folder(["/lake/a.csv", "/lake/a.txt"]), common_folder(["db.a", "db.ab"])
    ('/lake/', 'db.')
    >>> common_folder(["/a", "/b"]), common_folder(["/a/b"])
    ('', '')
    """
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    start = "".join(letter for letter, _ in same)
    ends = "/" if any("/" in name for name in names) else "."
    folder = start[: start.rfind(ends) + 1]
    return "" if folder == ends else folder


def _names(connection: Connection, canonical: Mapping[int, int]) -> Names:
    """Every dataset once."""
    rows = connection.execute(select(tables.dataset))
    return {
        row.id: (row.namespace, row.name) for row in rows if canonical.get(row.id, row.id) == row.id
    }


def _mentions(facts: Facts, id: int, names: tuple[str, str], words: list[str]) -> bool:
    """Whether each word is in what the row says of the dataset."""
    if not words:
        return True
    writer = facts.writes[id].job if id in facts.writes else ""
    said = " ".join((*names, writer, *facts.tags.get(id, ()))).lower()
    return all(word in said for word in words)


def _sorted(facts: Facts, ids: list[int], names: Names, sort: str, descending: bool) -> list[int]:
    """The ids in order; equal ones by name."""
    first = 0 if sort == "namespace" else 1
    by_name = sorted(ids, key=lambda id: (names[id][first], names[id][1 - first]))
    if sort in ("name", "namespace"):
        return by_name[::-1] if descending else by_name
    values = {id: ORDERS[sort](facts, id) for id in by_name}
    valued = [id for id in by_name if values[id] is not None]
    valued.sort(key=lambda id: values[id], reverse=descending)
    return valued + [id for id in by_name if values[id] is None]


def _rows(facts: Facts, names: Names) -> list[Summary]:
    return [
        Summary(
            *names[id],
            facts.writes.get(id),
            facts.states.get(id),
            facts.coverage.get(id),
            id in facts.lacking,
            facts.used_by.get(id, 0),
            facts.tags.get(id, ()),
            id in facts.removed,
        )
        for id in facts.ids or ()
    ]


def marks_among(
    connection: Connection, dags: Dags, datasets: Collection[Field], at: int = clock.OPEN
) -> dict[int, Marks]:
    """Whether lineage of each dataset is missing by a time, its columns, and its own tags of now.

    Lineage is missing if the last write does not tell the sources of a column, or if the latest run
    of any job that writes the dataset reported that some is missing. The columns are those of the
    last write, None if it names none.
    """
    canonical = canonical_names(connection)
    names = {dataset.id: canonical.get(dataset.id, dataset.id) for dataset in datasets}
    facts = Facts(connection, dags, set(names.values()), at)
    coverage = facts.coverage
    lacking = {id for id, each in coverage.items() if each.stated < max(each.columns, 1)}
    for job, concerned in of_datasets(connection, datasets, dags, at):
        if job.gaps.is_missing:
            lacking |= {names[dataset.id] for dataset in concerned}
    return {
        id: Marks(
            name in lacking,
            coverage[name].columns or None if name in coverage else None,
            facts.own_tags.get(name, ()),
        )
        for id, name in names.items()
    }


def _unknown(coverage: Coverage) -> tuple[int, int]:
    """How many columns are unknown; of reports alike the one that names columns says more."""
    return coverage.columns - coverage.stated, coverage.columns


def _share(coverage: Coverage | None) -> float:
    """The part of the columns whose sources are known; of no columns nothing is."""
    if coverage is None:  # no write is known
        return 1.0
    return coverage.stated / coverage.columns if coverage.columns else 0.0


def _bodies_of(connection: Connection, writes: Iterable[LastWrite]) -> dict[int, set[int]]:
    """The lineage bodies of each write, by its job output: mostly one."""
    bodies: dict[int, set[int]] = {}
    runs = {}
    for write in writes:
        if write.lineage_body is None:
            runs[write.job_output] = bytes(write.run)
        else:
            bodies[write.job_output] = {write.lineage_body}
    for row in write_rows(connection, runs):
        if bytes(row.run) == runs[row.job_output]:
            bodies.setdefault(row.job_output, set()).add(row.lineage_body)
    return bodies


def _coverage_of(connection: Connection, bodies: set[int]) -> dict[int, Coverage]:
    """The coverage of each lineage body; a body never changes, so each is read once."""
    coverage = {id: value for id in bodies if (value := _COVERAGE.get(id)) is not None}
    table = tables.lineage_body.c
    query = select(table.id, table.body)
    for id, packed in rows_in(connection, query, table.id, bodies - coverage.keys()):
        coverage[id] = column_coverage(unpack(packed))
        _COVERAGE.put(id, coverage[id])
    return coverage
