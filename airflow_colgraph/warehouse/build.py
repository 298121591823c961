"""Build the tables of a warehouse from event logs and topics: the whole way in one screen.

list files and offsets -> those that are new -> rows of their lines, and of the lineage bodies in
them that are new -> facts, merged with the version before -> names -> edges -> commit. Each step is
a table in the new version's folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from airflow_colgraph.warehouse import edges, events, facts, names
from airflow_colgraph.warehouse.folder import Folder, Version
from airflow_colgraph.warehouse.session import own
from airflow_colgraph.warehouse.topics import Range, Topic, deleted, ends, lines, unread

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# The tables of a version, in the order in which they are written.
TABLES = ("files", "rejected", *facts.FACTS)
TABLES += ("bodies", "transformations", "datasets", "fields", "edges")
VANISHED = "The file vanished while it was read: it is read when it is there again."
NO_LINE = ("false AS is_partial", "CAST(NULL AS string) AS line")
Progress = Callable[[str, int, int], None]  # what is done now, its number, how many there are


class Built(NamedTuple):
    """What a build did."""

    path: str  # the current version's tables
    files: int  # that were read
    events: int  # in these files and messages
    rejected: int  # lines of them that are no event
    partial: int  # events of them that have malformed parts
    messages: int = 0  # offsets of topics that were read


def build(
    spark: SparkSession,
    paths: Sequence[str],
    to: str,
    progress: Progress = lambda step, number, steps: None,
    format: str | None = None,
    topics: Sequence[Topic] = (),
) -> Built:
    """Read the files and messages that are new, and write the next version of the tables.

    Args:
        spark: The session whose application does the work; its settings stay.
        paths: Files and folders of OpenLineage events, one JSON event a line, on any file system
            that Hadoop knows. Which of their files were read before is in the table `files`.
        to: The warehouse's folder; it is made if it does not exist.
        progress: Called before each step.
        format: One of `formats.FORMATS`, for this version and those after it; without one that of
            the version before, and at first Parquet.
        topics: Kafka topics, a message for each event. Up to which offset each of their partitions
            was read is in the commit of the version.

    Returns:
        What was read, and where the tables are. A build without new files and
        messages writes nothing.

    Raises:
        WarehouseError: A path or topic does not exist, Spark has no jar for the format or for
            Kafka, or another build finished meanwhile.
    """
    session = own(spark)
    folder = Folder(session, to)
    before = folder.current()
    manifest = before.table(session, "files") if before.number else None
    files = events.unread(events.listed(session, paths), manifest)
    new = [row.path for row in files.select("path").collect()]
    ranges = unread(session, topics, before.offsets)
    messages = sum(span.end - span.start for span in ranges)
    if not new and not messages:
        return Built(before.path, 0, 0, 0, 0)
    version = folder.next(before, format, ends(ranges))
    built = _Build(session, before, version, progress).run(files, new, ranges)
    folder.remove(f"versions/{version.name}/_work")
    folder.commit(version)
    folder.remove_old(version)
    return built._replace(messages=messages)


class _Build:
    """The steps of one build; each writes a table and reads it back."""

    def __init__(
        self, spark: SparkSession, before: Version, version: Version, progress: Progress
    ) -> None:
        self._spark = spark
        self._before, self._version = before, version
        self._progress = progress
        self._done = 0

    def run(self, files: DataFrame, new: list[str], ranges: list[Range]) -> Built:
        """Write every table, from the files at the paths `new` and from offsets of topics."""
        files = self._work(files.drop("path"), "files")
        self._step(f"reading {len(new)} files")
        of_files = [events.lines(self._spark, new)] if new else []
        rows = self._work(events.rows([*of_files, *lines(self._spark, ranges)]), "rows")
        self._files(files, rows, deleted(ranges))
        for name, (read, merged) in facts.FACTS.items():
            self._step(name)
            self._keep(merged(self._known(name, read(rows))), name)
        bodies = self._bodies(rows)
        self._names(facts.exploded(rows, "fields").unionByName(facts.exploded(bodies, "fields")))
        self._step("edges")
        tables = (self._table(name) for name in ("occurrences", "bodies", "fields"))
        self._version.write(edges.edges(*tables), "edges", ["is_current"])
        return self._built(rows, len(new))

    def _bodies(self, rows: DataFrame) -> DataFrame:
        """The rows of the new lineage bodies, from which two tables are written."""
        self._step("bodies")
        before = self._before.table(self._spark, "bodies") if self._before.number else None
        new = self._work(facts.new_bodies(rows, before), "bodies")
        self._keep(self._known("bodies", new.drop("fields", "transformations")), "bodies")
        self._step("transformations")
        transformations = self._known("transformations", facts.exploded(new, "transformations"))
        self._keep(transformations.dropDuplicates(["id"]), "transformations")
        return new

    def _built(self, rows: DataFrame, files: int) -> Built:
        counts = rows.selectExpr("count(at)", "count(error)", "count(malformed)").first()
        assert counts is not None  # an aggregate of all rows has one
        return Built(self._version.path, files, *counts)

    def _step(self, name: str) -> None:
        self._done += 1
        self._progress(name, self._done, len(TABLES))

    def _keep(self, frame: DataFrame, name: str) -> DataFrame:
        self._version.write(frame, name)
        return self._table(name)

    def _work(self, frame: DataFrame, name: str) -> DataFrame:
        """A table that is removed at the end of the build."""
        path = f"{self._version.path}/_work/{name}"
        frame.write.parquet(path)
        return self._spark.read.parquet(path)

    def _table(self, name: str) -> DataFrame:
        return self._version.table(self._spark, name)

    def _known(self, name: str, new: DataFrame) -> DataFrame:
        """The version before's rows and the new ones."""
        if not self._before.number:
            return new
        return self._before.table(self._spark, name).unionByName(new)

    def _files(
        self, files: DataFrame, rows: DataFrame, deleted: list[tuple[str, str, int]]
    ) -> None:
        """The manifest, and what was rejected; a file that is read again replaces its rows."""
        self._step("rejected")
        there = rows.select("file").distinct()
        vanished = files.where("bytes > 0").join(there, "file", "left_anti")
        read = files.join(vanished, "file", "left_anti")
        if self._before.number:
            kept = self._before.table(self._spark, "files").join(files, "file", "left_anti")
            read = kept.unionByName(read)
        self._keep(read, "files")
        rejected = _rejected(rows).unionByName(
            vanished.selectExpr("file", f"'{VANISHED}' AS reason", "bytes", "0L AS lines", *NO_LINE)
        )
        if deleted:
            gone = self._spark.createDataFrame(deleted, "file string, reason string, lines bigint")
            rejected = rejected.unionByName(
                gone.selectExpr("*", "CAST(NULL AS bigint) AS bytes", *NO_LINE)
            )
        if self._before.number:
            before = self._before.table(self._spark, "rejected")
            rejected = before.join(files.select("file"), "file", "left_anti").unionByName(rejected)
        self._keep(rejected, "rejected")

    def _names(self, new: DataFrame) -> None:
        """Datasets and fields, each with the one that its edges are stored under."""
        self._step("fields")
        known_fields = self._known_fields(new)
        symlinks = self._table("symlinks")
        if symlinks.isEmpty():
            fields = known_fields.withColumn("canonical", known_fields["id"])
        else:
            canonical = self._work(names.canonical(symlinks, self._work), "canonical")
            known_fields = self._work(names.spread(known_fields, canonical), "spread")
            fields = names.with_canonical(known_fields, canonical)
        fields = self._keep(fields, "fields")
        self._step("datasets")
        self._keep(
            fields.where("field = ''").select("id", "namespace", "name", "canonical"), "datasets"
        )

    def _known_fields(self, new: DataFrame) -> DataFrame:
        if self._before.number:
            before = self._before.table(self._spark, "fields").drop("canonical")
            new = before.unionByName(new)
        return new.dropDuplicates(["id"])


def _rejected(rows: DataFrame) -> DataFrame:
    """Lines that are no event, and events with parts left out; equal ones once."""
    return (
        rows.where("error IS NOT NULL OR malformed IS NOT NULL")
        .selectExpr(
            "file",
            "coalesce(error, malformed) AS reason",
            "error IS NULL AS is_partial",
            "line",
            "bytes",
        )
        .groupBy("file", "reason", "is_partial", "line", "bytes")
        .count()
        .withColumnRenamed("count", "lines")
    )
