"""What the rows of an RDD were read from: `df.rdd` and back, text files, Python's own data.

Spark keeps no plan with an RDD, but its parents lead back to the files, tables and queries. Which
of their columns an output comes from is unknown: such a leaf is reported with all inputs that were
read, and as opaque. What a query has broadcast, or asked for by a subquery, is not among the
parents of its RDD: only the query itself, where it was observed, has all that it read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from airflow_colgraph.collector.model import (
    BATCH,
    CHECKPOINT,
    EXECUTED,
    NamedDataset,
    Rdd,
    Read,
    Times,
)
from airflow_colgraph.collector.naming.datasets import file_dataset
from airflow_colgraph.collector.plan import Row
from airflow_colgraph.collector.registry import register
from airflow_colgraph.collector.spark.catalog import Catalog, paths_named
from airflow_colgraph.collector.spark.jvm import (
    Java,
    class_name,
    give_back,
    option,
    private,
    private_of,
    seq,
    short_class_name,
)
from airflow_colgraph.collector.spark.reads import CONSTANT, READS, jdbc_source
from airflow_colgraph.collector.spark.schemas import schema_columns

MOST_RDDS = 300  # of one leaf's parents that are looked at
MOST_QUERIES = 3  # one below the other, that are looked through
MOST_FILES = 100  # of one scan that are looked at
COLLECTION = "ParallelCollectionRDD"
MADE = {COLLECTION, "EmptyRDD"}  # of the program's own data
PLANNED_ROWS = "PlannedRows"  # the name of an RDD that a plan has in place of a program's rows
CHECKPOINTED = {"LocalCheckpointRDD", "ReliableCheckpointRDD"}  # with the rows of their children
INPUT_PATHS = "mapreduce.input.fileinputformat.inputdir"


@register(READS, "ExternalRDD", "LogicalRDD")
def _rdd(leaf: Java, row: Row, catalog: Catalog) -> Read | None:
    rdd = leaf.rdd()
    read = rows_of(rdd)
    if read is CONSTANT:
        return CONSTANT
    if any("/_delta_log" in named.dataset.name for named in _datasets(read)):
        return None  # Delta's own
    held = frame_held(leaf, rdd)
    if held is None:
        return read if read.origins else None
    if all(origin.rdd is None or origin.rdd.number != held.number for origin in read.origins):
        # it still has its parents, which are not all if what it holds is not known
        read = read._replace(unknown=(*read.unknown, held.kind))
    return read._replace(rdd=held)


def rows_of(rdd: Java) -> Read:
    """What the rows of an RDD were read from; CONSTANT if the program has made them all."""
    return _made_of([rdd], MOST_QUERIES)


def _made_of(rdds: list[Java], queries: int) -> Read:
    """What the rows of RDDs were read from, through so many queries one below the other."""
    roots = [(kind_of(root), root) for root in roots_of(rdds)]
    if roots and all(kind in MADE for kind, _ in roots):
        return CONSTANT
    reads = [(kind, _origin(kind, root, queries)) for kind, root in roots if kind not in MADE]
    origins = tuple(read for _, read in reads if read is not None)
    unknown = tuple(kind for kind, read in reads if read is None)
    is_mixed = any(kind == COLLECTION and has_data(root) for kind, root in roots)
    is_mixed = is_mixed or any(read.is_mixed for read in origins)
    return Read((), (), {}, "rdd", origins, None, unknown, is_mixed)


def kind_of(root: Java) -> str:
    """The class of an RDD, or PLANNED_ROWS: what these were read from is unknown."""
    kind = short_class_name(root)
    return PLANNED_ROWS if kind == COLLECTION and root.name() == PLANNED_ROWS else kind


def _origin(kind: str, root: Java, queries: int) -> Read | None:
    """What one of the roots was read from, or None if that is unknown."""
    if kind != EXECUTED:
        return ROOTS[kind](root) if kind in ROOTS else None
    # what the query's RDDs have read is all that is known, if the query is not
    below = _made_of(parents_of(root), queries - 1) if queries else Read((), ())
    is_mixed = below is CONSTANT or below.is_mixed
    return below._replace(format="rdd", rdd=Rdd(root.id(), EXECUTED), is_mixed=is_mixed)


def _datasets(read: Read) -> Iterator[NamedDataset]:
    """All datasets behind an RDD."""
    yield from read.datasets
    for origin in read.origins:
        yield from _datasets(origin)


def has_data(collection: Java) -> bool:
    """Whether the rows of an RDD are the driver's, not numbers of the parts of Spark's `range`."""
    data = private_of(collection, "data")
    return data is not None and ".Range" not in class_name(data)


def frame_held(leaf: Java, rdd: Java) -> Rdd | None:
    """Which RDD it is, where it holds a checkpointed frame or a batch of a stream as it was."""
    if rdd.checkpointData().isDefined():
        return Rdd(rdd.id(), CHECKPOINT)
    if short_class_name(rdd) == EXECUTED:
        return Rdd(rdd.id(), BATCH, str(leaf.otherCopyArgs().head().sessionUUID()))
    return None


def parent_of_checkpoint(execution: Java) -> int | None:
    """The RDD that a query was executed to; a checkpoint has its `map`.

    Before 4.0 Spark makes another each time that it is asked for.
    """
    plan = execution.executedPlan()
    kept = private_of(plan, "executeRDD")
    if kept is None:
        give_back(plan)
        return None
    rdd = kept.get()
    number = int(rdd.id())
    give_back(plan, kept, rdd)
    return number


def rdd_of(execution: Java) -> int:
    """The number of the RDD that a query is used as: Spark has made it, and keeps it."""
    rdd = execution.toRdd()
    number = int(rdd.id())
    give_back(rdd)
    return number


def ran_between(execution: Java, nanoseconds: int) -> Times | None:
    """When a query ran, at the earliest and at the latest: Spark's measure of how long it took
    includes the time in which its plan was made."""
    phases = execution.tracker().phases()
    optimization, planning = option(phases.get("optimization")), option(phases.get("planning"))
    if optimization is None or planning is None:
        return None
    end = float(optimization.startTimeMs()) + nanoseconds / 1e6
    return float(planning.endTimeMs()), end


def roots_of(rdds: list[Java]) -> Iterator[Java]:
    """The RDDs that have no parents, among some and their ancestors, and those of whole queries;
    the one that was checkpointed in place of that with its rows. Of too many ancestors, some that
    have parents."""
    seen, stack = {rdd.id() for rdd in rdds}, [(rdd, rdd) for rdd in rdds]
    while stack and len(seen) < MOST_RDDS:
        rdd_below, child = stack.pop()
        if short_class_name(rdd_below) == EXECUTED:
            yield rdd_below
            continue
        parents = parents_of(rdd_below)
        if not parents:
            yield child if short_class_name(rdd_below) in CHECKPOINTED else rdd_below
        new = [parent for parent in parents if parent.id() not in seen]
        seen.update(parent.id() for parent in new)
        stack.extend((parent, rdd_below) for parent in new)
    yield from (rdd_below for rdd_below, _ in stack)


def parents_of(rdd: Java) -> list[Java]:
    """The RDDs that one comes from."""
    return [dependency.rdd() for dependency in seq(rdd.dependencies())]


def _files(root: Java) -> Read | None:
    """What a scan of files reads: its folders, and the columns that the query before it needed."""
    return _read_files(seq(root.filePartitions()), root.readSchema())


def _read_files(partitions: Iterable[Java], schema: Java) -> Read | None:
    files = (file for partition in partitions for file in partition.files())
    names = (str(file.filePath().toString()) for file in islice(files, MOST_FILES))
    paths = list(dict.fromkeys(name.rpartition("/")[0] for name in names))
    if not paths:
        return None
    parts = [step.partition("=")[0] for step in paths[0].split("/") if "=" in step]
    columns = [*schema_columns(schema), *((name, "string") for name in parts)]
    return Read(paths_named(paths), tuple(columns))


def _database(root: Java) -> Read | None:
    """What a JDBC relation reads: its table or query, and the columns that were needed."""
    options = private(root, "options")
    named, properties = jdbc_source(str(options.url()), str(options.tableOrQuery()))
    return Read((named,), schema_columns(private(root, "schema")), properties, "jdbc")


def _second_api(root: Java) -> Read | None:
    """What a scan of the second API reads, where it is one of files or of an Iceberg table."""
    parts = islice(root.partitions(), MOST_FILES)
    # an Option since Spark 4.3, a Seq before
    options = (private_of(part, "inputPartition", "inputPartitions").toList() for part in parts)
    inputs = [part for each in options for part in seq(each)]
    kinds = {short_class_name(part) for part in inputs}
    if kinds == {"FilePartition"}:
        return _read_files(inputs, private_of(root, "partitionReaderFactory").readDataSchema())
    if kinds == {"SparkInputPartition"}:
        table = inputs[0].table()
        columns = ((str(part.name()), str(part.type())) for part in table.schema().columns())
        return Read(
            (NamedDataset(file_dataset(str(table.location()))),), tuple(columns), {}, "iceberg"
        )
    return None


def _hadoop(configuration: Callable[[Java], Java]) -> Callable[[Java], Read | None]:
    """What Hadoop's own reading reads: places, whose columns Spark does not know."""

    def read(root: Java) -> Read | None:
        paths = configuration(root).get(INPUT_PATHS)
        return Read(paths_named(str(paths).split(",")), ()) if paths else None

    return read


def _checkpoint(root: Java) -> Read:
    """The rows of a checkpoint: what they came from is known since it was made."""
    return Read((), (), {}, "rdd", (), Rdd(root.id(), CHECKPOINT))


ROOTS: dict[str, Callable[[Java], Read | None]] = {
    "DataSourceRDD": _second_api,
    "FileScanRDD": _files,
    "JDBCRDD": _database,
    "MapPartitionsRDD": _checkpoint,  # it has a parent, unless roots_of has stopped there
    "HadoopRDD": _hadoop(lambda root: root.getJobConf()),
    **dict.fromkeys(
        ("BinaryFileRDD", "NewHadoopRDD", "WholeTextFileRDD"),
        _hadoop(lambda root: root.getConf()),
    ),
}
