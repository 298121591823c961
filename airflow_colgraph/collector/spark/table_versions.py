"""Which version of a Delta or Iceberg table a query read, and which it has written.

A table in a plan is the table as it was when Spark planned the query, or later: others write to it,
and the program itself goes on while its queries wait for us. So a version counts only if its commit
was before the query was planned (what it read), or in the time that it ran (what it has written);
where that does not tell, there is none.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from airflow_colgraph.collector.model import (
    SOME_ROWS,
    Commit,
    Dataset,
    NamedDataset,
    Query,
    Statistics,
    Write,
)
from airflow_colgraph.collector.spark.jvm import (
    Java,
    context_loader,
    option,
    short_class_name,
    thrown,
)
from airflow_colgraph.collector.spark.schemas import schema_columns

logger = logging.getLogger(__name__)

DELTA_LOG = "org.apache.spark.sql.delta.DeltaLog"
PLANNED = ("optimization", "analysis")  # of a query's planning, the later first
STARTED = ("planning", *PLANNED)
FIRST = "0"  # of Delta's versions: before it there was no table
SECOND = 1000  # milliseconds: some stores keep the times of files without fractions
MOST_LATER = 20  # snapshots of one table that are younger than a query


class Moment(NamedTuple):
    """When Spark planned a query, and when it had ended, in milliseconds since 1970."""

    planned: int
    ended: int


class Versions(NamedTuple):
    """The versions of one table before and after a query; an empty text where it is unknown."""

    read: str
    written: str
    statistics: Statistics | None = None  # of what was written


NO_VERSIONS = Versions("", "")


def with_versions(
    query: Query, execution: Java, nanoseconds: int, session: Java, tables: dict[Dataset, Java]
) -> Query:
    """The query, whose datasets have versions; `tables` are those that its plan has."""
    write = query.write
    is_delta = write is not None and write.format == "delta"
    if not tables and not is_delta:
        return query
    moment = moment_of(execution, nanoseconds)
    versions = {dataset: versions_of(table, moment) for dataset, table in tables.items()}
    reads = {
        ids: read._replace(datasets=tuple(_read(named, versions) for named in read.datasets))
        for ids, read in query.reads.items()
    }
    if write is not None:
        dataset = write.named.dataset
        table, written = tables.get(dataset), versions.get(dataset, NO_VERSIONS)
        if is_delta:  # what a plan has may be the table at a time
            table = delta_log(session, dataset)
            written = versions_of(table, moment)
        if written.written and (log := log_of(table)) is not None:
            commit = commit_of(log, int(written.written))
            written = written._replace(statistics=committed(commit))
            write = left_to_table(log, write)
            if write.lifecycle == "OVERWRITE" and replaces_some_rows(commit):
                write = write._replace(lifecycle=SOME_ROWS)
        is_first = is_delta and written.written == FIRST
        if write.lifecycle == "OVERWRITE" and table is not None and not is_delta:
            is_first = is_created(table, moment)
        write = with_version(write, written, is_first)
    return query._replace(reads=reads, write=write)


def with_version(write: Write, written: Versions, is_first: bool) -> Write:
    """A write with the version that it has committed: the first one creates the table."""
    return write._replace(
        named=write.named._replace(version=written.written),
        statistics=write.statistics or written.statistics,
        lifecycle="CREATE" if is_first else write.lifecycle,
    )


def _read(named: NamedDataset, versions: dict[Dataset, Versions]) -> NamedDataset:
    if named.version:
        return named
    return named._replace(version=versions.get(named.dataset, NO_VERSIONS).read)


def selected_version(table: Java) -> str:
    """The version that a plan has of a table, if it names one: a query may ask for it."""
    kind = short_class_name(table)
    if kind == "SparkTable" and short_class_name(table.table()) == "BaseTable":
        snapshot = table.snapshotId() if table.branch() is None else None
        return "" if snapshot is None else str(snapshot)
    if kind == "TahoeLogFileIndex" and table.isTimeTravelQuery():
        return str(table.snapshotAtAnalysis().version())
    return ""


def moment_of(execution: Java, nanoseconds: int) -> Moment:
    """When a query was planned and had ended: it runs for its duration after it was planned."""
    phases = execution.tracker().phases()
    planned, started = (
        next(filter(None, (option(phases.get(name)) for name in names)), None)
        for names in (PLANNED, STARTED)
    )
    if planned is None or started is None:
        return Moment(0, 0)
    return Moment(int(planned.startTimeMs()), int(started.endTimeMs()) + nanoseconds // 1_000_000)


def versions_of(table: Java, moment: Moment) -> Versions:
    """The versions of a table before and after a query."""
    rule = VERSIONS.get(short_class_name(table))
    return rule(table, moment) if rule is not None and moment.planned else NO_VERSIONS


def has_no_later_version(write: Write, execution: Java, nanoseconds: int, session: Java) -> bool:
    """Whether a Delta table is known to have no version that is younger than a query."""
    moment = moment_of(execution, nanoseconds)
    versions = versions_of(delta_log(session, write.named.dataset), moment)
    return bool(versions.read) and not versions.written


# Iceberg --------------------------------------------------------------------------------------


def _iceberg(table: Java, moment: Moment) -> Versions:
    """By the history of snapshots: each has a time, and its parent."""
    iceberg = table.table()
    if short_class_name(iceberg) != "BaseTable" or table.branch() is not None:
        return NO_VERSIONS  # a table about the table, or a branch, whose history is another one
    before = written = None
    for snapshot in islice(snapshots(iceberg), MOST_LATER):  # the latest first
        time = snapshot.timestampMillis()
        if time <= moment.planned:
            before = snapshot.snapshotId()
            break
        if time <= moment.ended:
            written = snapshot
    shown = "" if before is None else str(before)
    if written is None:
        return Versions(shown, "")
    number = int(written.snapshotId())
    commit = Commit(number, int(written.sequenceNumber()), str(written.operation()))
    return Versions(shown, str(number), committed_rows(str(written.summary().toString()), commit))


def is_created(table: Java, moment: Moment) -> bool:
    """Whether a table of Iceberg's is known to have been made after a query was planned."""
    if short_class_name(table) != "SparkTable" or short_class_name(table.table()) != "BaseTable":
        return False
    metadata = table.table().operations().current()
    earlier = metadata.previousFiles()  # the oldest first
    oldest = metadata.lastUpdatedMillis() if earlier.isEmpty() else earlier.get(0).timestampMillis()
    return bool(oldest > moment.planned > 0)


ADDED = ("addedRecords", "addedFilesSizeInBytes", "addedDataFiles")
COUNT = re.compile(r"\b(added|deleted|removed|total)-([a-z-]+)=(\d+)")  # in a map as Java prints it
CALLED = {"deleted": "removed", "dvs": "DVs", "position": "Positional", "size": "SizeInBytes"}


def committed_rows(summary: str, commit: Commit) -> Statistics:
    """What a snapshot has added, by its summary; no rows, bytes and files if it has only removed.

    Source: Iceberg's `SnapshotSummary`, and its `CommitMetricsResult` for the names of the metrics.

    >>> committed_rows("{deleted-data-files=1, total-files-size=7}", Commit(5, 2, "delete")).metrics
    {'removedDataFiles': 1, 'totalFilesSizeInBytes': 7}
    """
    metrics = {
        CALLED.get(act, act) + "".join(CALLED.get(w, w.title()) for w in what.split("-")): int(n)
        for act, what, n in COUNT.findall(summary)
    }
    rows, size, files = map(metrics.get, ADDED if metrics.keys() >= {*ADDED} else [""] * 3)
    return Statistics(rows, size, files, metrics, commit)


def snapshots(table: Java) -> Iterator[Java]:
    """The snapshots of an Iceberg table, the current one and then the parent of each."""
    snapshot = table.currentSnapshot()
    while snapshot is not None:
        yield snapshot
        parent = snapshot.parentId()
        snapshot = None if parent is None else table.snapshot(parent)


# Delta ----------------------------------------------------------------------------------------


def _delta_files(index: Java, moment: Moment) -> Versions:
    return _by_log(index.deltaLog(), index.snapshotAtAnalysis(), moment)


def _delta_table(table: Java, moment: Moment) -> Versions:
    return _by_log(table.deltaLog(), table.initialSnapshot(), moment)


def _delta_log(log: Java, moment: Moment) -> Versions:
    return _by_log(log, None, moment)


def _by_log(log: Java, analyzed: Java | None, moment: Moment) -> Versions:
    """By the latest snapshot that the session has, and the one before it where that is known."""
    latest = log.unsafeVolatileSnapshot()
    version, time = int(latest.version()), int(latest.timestamp())
    if time <= moment.planned:
        is_told = time % SECOND or time // SECOND < moment.planned // SECOND
        return Versions(str(version), "") if is_told else NO_VERSIONS
    is_next = analyzed is not None and int(analyzed.version()) == version - 1 >= 0
    read = str(version - 1) if is_next else ""
    return Versions(read, str(version) if time <= moment.ended else "")


def log_of(table: Java) -> Java | None:
    """The log of what a plan has for a table; None if it is none of Delta's."""
    name = short_class_name(table)
    if name == "DeltaLog":
        return table
    return table.deltaLog() if name in ("TahoeLogFileIndex", "DeltaTableV2") else None


GENERATED = "delta.generationExpression"  # in the metadata of a column that Delta computes


def left_to_table(log: Java, write: Write) -> Write:
    """A write with the columns of its Delta table that it leaves out.

    Delta fills in NULL, or a default, or computes the column from others.
    """
    if write.constants or not write.columns or not write.has_rows:
        return write
    named = {name.lower() for name, _ in write.columns}
    schema = log.unsafeVolatileSnapshot().schema()
    columns = schema_columns(schema)
    if len(columns) <= len(named):
        return write
    constants: list[tuple[str, str]] = []
    generated: list[tuple[str, str]] = []
    for at, column in enumerate(columns):
        if column[0].lower() not in named:
            is_computed = schema.apply(at).metadata().contains(GENERATED)
            (generated if is_computed else constants).append(column)
    return write._replace(constants=tuple(constants), generated=tuple(generated))


COMMITTED = (  # metrics of WRITE, MERGE, UPDATE, DELETE: rows, which are added up, bytes, files
    (("numOutputRows",), "numOutputBytes", "numFiles"),
    (("numOutputRows",), "numTargetBytesAdded", "numTargetFilesAdded"),
    (("numUpdatedRows", "numCopiedRows"), "numAddedBytes", "numAddedFiles"),
    (("numCopiedRows",), "numAddedBytes", "numAddedFiles"),
)


def commit_of(log: Java, version: int) -> dict[str, Any]:
    """What a version says of itself, by the first line of its commit; empty if that does not tell.

    Source: `CommitInfo` of Delta's transaction log protocol.
    """
    try:
        file = log.logPath().suffix(f"/{version:020d}.json")
        lines = log.store().readAsIterator(file, log.newDeltaHadoopConf())
        commit: dict[str, Any] = json.loads(str(lines.next())).get("commitInfo", {})
        lines.close()
    except thrown():  # a commit that is kept elsewhere
        logger.debug("a commit of Delta was not read", exc_info=True)
        return {}
    return commit


def replaces_some_rows(commit: Mapping[str, Any]) -> bool:
    """Whether a commit that overwrites leaves rows: those of other partitions, or a condition's.

    >>> replaces_some_rows({"operationParameters": {"mode": "Overwrite", "predicate": "d = 'x'"}})
    True
    """
    parameters = commit.get("operationParameters") or {}
    is_dynamic = str(parameters.get("isDynamicPartitionOverwrite")).lower() == "true"
    return is_dynamic or parameters.get("predicate", "[]") not in ("[]", "", "true")


def committed(commit: Mapping[str, Any]) -> Statistics | None:
    """What a commit has added; None if it does not tell. Source: `DeltaOperations`."""
    metrics = commit.get("operationMetrics", {})
    for rows, size, files in COMMITTED:
        if {*rows, size, files} <= metrics.keys():
            counts = sum(int(metrics[name]) for name in rows), metrics[size], metrics[files]
            rows_added, size_added, files_added = map(int, counts)
            return Statistics(rows_added, size_added, files_added)
    return None


# By the class of what a plan, or its relation, has for a table.
VERSIONS: dict[str, Callable[[Java, Moment], Versions]] = {
    "SparkTable": _iceberg,
    "TahoeLogFileIndex": _delta_files,
    "DeltaTableV2": _delta_table,
    "DeltaLog": _delta_log,
}


def delta_log(session: Java, dataset: Dataset) -> Java:
    """The log of a Delta table by its place; Delta keeps those of tables that were used."""
    place = dataset.name if dataset.namespace == "file" else "/".join(dataset)
    log = context_loader(session).loadClass(f"{DELTA_LOG}$").getField("MODULE$").get(None)
    return log.forTable(session, place)
