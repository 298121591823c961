"""How much a query has read and written: by the metrics of the plan that ran.

Spark's own walk finds the scans below adaptive stages, too. A scan belongs to the leaf of the
analyzed plan that has one of its columns. What it has read twice, such as for a global sort, counts
twice. Of writes only those of files have metrics that are the query's alone; what Iceberg and Delta
have written is in the snapshot or commit (`table_versions`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from airflow_colgraph.collector.model import (
    CHECKPOINTS,
    FOREACH_BATCH,
    LOCAL_ITERATOR,
    TO_PANDAS,
    USED_AS_RDD,
    Ids,
    Query,
    Read,
    Statistics,
    total,
)
from airflow_colgraph.collector.spark.jvm import (
    Java,
    java_class,
    option,
    private_of,
    seq,
    short_class_name,
)

SCANS = {"BatchScanExec", "FileSourceScanExec", "HiveTableScanExec", "RowDataSourceScanExec"}
READ_LATER = {FOREACH_BATCH, LOCAL_ITERATOR, TO_PANDAS}
WITHOUT_END = CHECKPOINTS | USED_AS_RDD | READ_LATER
COLUMN = re.compile(r"#(\d+)")  # in `a#12, b#13L`
METRIC = re.compile(r"\b(\w+) -> SQLMetric\(id: \d+, name: [^,]*, value: (\d+)\)")
METRICS = (  # Spark's, and Iceberg's
    ("numOutputRows",),
    ("filesSize", "totalDataFileSize"),
    ("numFiles", "resultDataFiles"),
)
CALLED = {  # Iceberg's metrics, by the names of its ScanMetricsResult where these differ
    "totalDataManifest": "totalDataManifests",
    "totalDataFileSize": "totalFileSizeInBytes",
    "totalDeleteFileSize": "totalDeleteFileSizeInBytes",
}


class Scan(NamedTuple):
    """The columns of a scan, and what it has read."""

    ids: frozenset[int]
    statistics: Statistics


def with_read_statistics(
    query: Query, execution: Java, session: Java, with_filters: bool = False
) -> Query:
    """The query, whose reads of one dataset each have what Spark counted by its end.

    `with_filters`: those of Iceberg have the filter, too, by which it has skipped files.
    """
    is_of_rows = any(len(read.datasets) == 1 for read in query.reads.values())
    if not is_of_rows or query.function in WITHOUT_END:
        return query
    leaves = session.sharedState().cacheManager().collectLeaves(execution.executedPlan())
    scans = [scan_of(leaf, with_filters) for leaf in seq(leaves) if short_class_name(leaf) in SCANS]
    return query._replace(
        reads={ids: counted(ids, read, scans) for ids, read in query.reads.items()}
    )


def scan_of(leaf: Java, with_filters: bool = False) -> Scan:
    """A scan of a physical plan."""
    ids = frozenset(map(int, COLUMN.findall(str(leaf.output().mkString(", ")))))
    statistics = statistics_of(str(leaf.metrics().toString()))
    if with_filters and statistics.metrics:
        statistics = statistics._replace(filter=filter_of(leaf.scan()))
    return Scan(ids, statistics)


def filter_of(scan: Java) -> str:
    """The filter of a scan of Iceberg's, in which Iceberg itself has replaced all values."""
    expressions = private_of(scan, "filters", "filterExpressions")  # before Iceberg 1.11
    if expressions is None:
        return ""
    text = java_class(scan, "org.apache.iceberg.expressions.ExpressionUtil").toSanitizedString
    return " AND ".join(str(text(expressions.get(i))) for i in range(expressions.size()))


def statistics_of(metrics: str) -> Statistics:
    """What the metrics of a scan, as Spark prints them, have counted.

    The driver counts files once a plan: as a frame is collected again, Spark sets its metrics to 0,
    and only its tasks count again. Rows of no file tell it.

    >>> statistics_of("Map(numFiles -> SQLMetric(id: 9, name: Some(files), value: 3))").files
    3
    """
    values = {name: int(value) for name, value in METRIC.findall(metrics)}
    rows, size, files = (
        next((values[name] for name in names if name in values), None) for names in METRICS
    )
    if rows and files == 0:
        return Statistics(rows)
    own = values if "resultDataFiles" in values else {}  # else it is no scan of Iceberg's
    scanned = {CALLED.get(name, name): own[name] for name in own if not name.startswith("num")}
    return Statistics(rows, size, files, scanned)


def counted(ids: Ids, read: Read, scans: Iterable[Scan]) -> Read:
    """A read with the sums of its scans; as it is where it has none, or several datasets."""
    own = [scan.statistics for scan in scans if not scan.ids.isdisjoint(ids)]
    return read._replace(statistics=total(own)) if own and len(read.datasets) == 1 else read


WITH_METRICS = {"InsertIntoHadoopFsRelationCommand", "InsertIntoHiveTable"}
WRITE_METRICS = ("numOutputRows", "numOutputBytes", "numFiles")
INSIDE = {  # plans that stand for another one, and what they call it
    "AdaptiveSparkPlanExec": "executedPlan",
    "ResultQueryStageExec": "plan",
    "WholeStageCodegenExec": "child",
}


def with_statistics(query: Query, execution: Java) -> Query:
    """The query, whose write has the rows, bytes and files that Spark counted."""
    if query.write is None or query.root not in WITH_METRICS:
        return query
    metrics = executed(execution.executedPlan()).metrics()
    counts = [option(metrics.get(name)) for name in WRITE_METRICS]
    if any(count is None for count in counts):
        return query
    rows, size, files = (int(count.value()) for count in counts if count is not None)
    statistics = Statistics(rows, size, files)
    return query._replace(write=query.write._replace(statistics=statistics))


def executed(plan: Java) -> Java:
    """The plan that ran, behind those that only hold it."""
    while (inside := INSIDE.get(short_class_name(plan))) is not None:
        plan = getattr(plan, inside)()
    return plan
