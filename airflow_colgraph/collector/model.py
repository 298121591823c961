"""The collector's data: datasets, what a query reads and writes, lineage of earlier queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.collector.plan import Rows

Ids = tuple[int, ...]
Path = tuple[str, ...]
Columns = tuple[tuple[str, Any], ...]
"""(name, Spark's type as JSON) of each column, in order."""

Times = tuple[float, float]
"""The begin and the end of something, in milliseconds since 1970."""

Variable = tuple[str, str]
"""Whose a SQL variable is, the session's or a script's, and its name."""


CHECKPOINTS = {"checkpoint", "localCheckpoint"}  # names of queries, as Spark's listener has them
FOREACH_BATCH = "foreachBatch"  # of a stream that hands its batches to the user's code
VIEW = "view"  # the format of a write that makes one
AS_RDD = "DataFrame.rdd"  # of a frame whose rows Python asks for as an RDD
USED_AS_RDD = {AS_RDD, "rdd"}  # the latter since Spark 4.0, of one that is used so in the JVM
TO_PANDAS = "DataFrame.toPandas"  # of a frame of whose rows a frame is made again
RDD_JOBS = "RDD"  # of what RDDs of the program's have read
LOCAL_ITERATOR = "toLocalIterator"  # whose rows are asked for one after the other


class Dataset(NamedTuple):
    """OpenLineage's identity of a dataset."""

    namespace: str
    name: str


class Symlink(NamedTuple):
    """Another name of a dataset: in the catalog, where the dataset is its location."""

    namespace: str
    name: str
    type: str = "TABLE"


class CatalogName(NamedTuple):
    """The catalog that a table is in, as it is configured: addresses are empty where none is."""

    framework: str
    type: str
    name: str
    metadata_uri: str = ""
    warehouse_uri: str = ""


class NamedDataset(NamedTuple):
    """A dataset with its other names, the catalog that has it, and which version of it is meant."""

    dataset: Dataset
    symlinks: tuple[Symlink, ...] = ()
    catalog: CatalogName | None = None
    version: str = ""


class Field(NamedTuple):
    """A field of a dataset that was read; the path has one name, and more for a struct's member."""

    dataset: Dataset
    path: Path


CHECKPOINT, BATCH = "checkpoint", "batch"  # the kinds of frames that an RDD holds
EXECUTED = "SQLExecutionRDD"  # whose rows are those of a query, with no plan
MEMORY = "memory"  # a stream's sink, which is numbered as an RDD


class Rdd(NamedTuple):
    """The RDD behind a leaf: its number, which kind of frame it holds, and whose session it is."""

    number: int
    kind: str
    session: str = ""


class Commit(NamedTuple):
    """A commit to an Iceberg table: the snapshot that it has made, and by which operation."""

    snapshot: int
    sequence: int
    operation: str


class Statistics(NamedTuple):
    """How much was written, or read; None is unknown. Iceberg counts more, and by commit."""

    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    metrics: Mapping[str, int] = {}
    commit: Commit | None = None
    filter: str = ""  # of Iceberg's scans, without values


def total(parts: Iterable[Statistics]) -> Statistics:
    """The sums of what is known of all parts.

    >>> total([Statistics(1, 2, 3), Statistics(4, None, 5)])[:3]
    (5, None, 8)
    """
    parts = list(parts)
    rows, sizes, files = (_sum(column) for column in zip(*(part[:3] for part in parts)))
    is_whole = all(part.metrics for part in parts)
    names = {name: None for part in parts if is_whole for name in part.metrics}
    metrics = {name: sum(part.metrics.get(name, 0) for part in parts) for name in names}
    filters = dict.fromkeys(part.filter for part in parts if part.filter)
    return Statistics(rows, sizes, files, metrics, filter="; ".join(filters))


def _sum(values: tuple[int | None, ...]) -> int | None:
    counts = [value for value in values if value is not None]
    return sum(counts) if len(counts) == len(values) else None


class Read(NamedTuple):
    """A leaf of a plan: the datasets behind it (several for several paths) and its columns."""

    datasets: tuple[NamedDataset, ...]
    columns: Columns
    properties: dict[str, str] = {}  # noqa: RUF012 - never changed
    format: str = ""
    origins: tuple[Read, ...] = ()  # of an RDD: what its rows were read from, by unknown functions
    rdd: Rdd | None = None  # where a checkpoint, a stream or a query has left it
    unknown: tuple[str, ...] = ()  # of an RDD: the classes of those that it has other rows of
    is_mixed: bool = False  # of an RDD: it has rows that the driver had made, too
    statistics: Statistics | None = None


SOME_ROWS = "SOME_ROWS"  # the lifecycle of an overwrite that leaves rows: OpenLineage has none


class Write(NamedTuple):
    """What a command writes: the dataset, its columns as (name, Spark's type), and how."""

    named: NamedDataset
    columns: Columns | None = None
    lifecycle: str = ""
    format: str = ""
    casts_to_table: bool = False  # Spark put a Project on top, with the casts of an existing table
    is_duplicate: bool = False  # an inner command has reported the same write
    previous: Dataset | None = None  # what a renamed table was called
    supersedes: bool = False  # an inner command has reported the same write, but from rows
    constants: Columns = ()  # columns that the command fills, not the query
    generated: Columns = ()  # columns that the table computes from others
    statistics: Statistics | None = None
    unless_exists: bool = False  # without an inner command that has reported it, nothing was made
    has_rows: bool = True  # it is no command that only makes a table, or changes its columns


class Place(NamedTuple):
    """Where an expression is in a plan node: the field, the item in it, and the way to it there.

    An item is counted from 0; in a Project's list it is the column's expression id.
    """

    field: str
    item: int
    way: Ids = ()  # positions among children

    def below(self, *way: int) -> Place:
        """A place further down in the same item."""
        return self._replace(way=(*self.way, *way))


class RddReads(NamedTuple):
    """What RDDs have read for the program itself, and the classes of those that name no file."""

    files: tuple[NamedDataset, ...] = ()
    unnamed: tuple[str, ...] = ()


class Stage(NamedTuple):
    """A stage with the rows and bytes that it has written, and the rows that it has read."""

    number: int
    rows: int
    bytes: int
    name: str = ""  # asked for where no execution has the stage
    read: int = 0


class Execution(NamedTuple):
    """A SQL execution as Spark's own listener keeps it; the root is what it runs for."""

    number: int
    root: int
    stages: frozenset[int]
    metrics: frozenset[int] = frozenset()  # the ids of its plan's metrics: whose plan it is
    description: str = ""


class PlanNotes(NamedTuple):
    """What the JVM adds to a plan, as the plan's JSON lacks it.

    `constant_rdds` are the attribute ids of each LogicalRDD leaf that holds the program's own data.
    `metadata_columns` are the attributes of leaves that are no columns of the table, such as
    `_metadata` and `_file`. `fitted_columns` are the aliases on top of an INSERT behind which Spark
    itself has cast a column, or put a struct together again. `user_casts` are the casts of columns
    that the user wrote in an UPDATE or MERGE. `variable_names` are those that a CreateVariable
    makes, in order. `arguments` are the variables that any literal may have been, in a query of
    EXECUTE IMMEDIATE .. USING: Spark has put their values in.
    """

    constant_rdds: frozenset[Ids] = frozenset()
    metadata_columns: frozenset[int] = frozenset()
    fitted_columns: frozenset[int] = frozenset()
    user_casts: frozenset[Place] = frozenset()
    variable_names: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


NO_NOTES = PlanNotes()


class Query(NamedTuple):
    """One query as plain data; Spark numbers them as they begin."""

    function: str
    root: str
    plan: Rows
    reads: dict[Ids, Read]
    expansions: dict[Ids, list[list[Rows]]]
    write: Write | None = None
    number: int = 0
    session: str | None = None  # asked for where variables are named, or made: whose they are
    names: tuple[str, ...] = ()  # of the columns, where a script's FOR may go through the rows
    rdds: dict[Ids, Read] = {}  # noqa: RUF012 - never changed; the leaves that are RDDs
    parent: int | None = None  # of a checkpoint: the parent of its RDD, where Spark reports it
    ran: Times | None = None  # of a checkpoint, at the earliest and at the latest
    rdd: int | None = None  # the number of the RDD that it is used as
    failure: str = ""  # what went wrong as it was read: the rest is what was known by then
    notes: PlanNotes = NO_NOTES
    sink: str = ""  # the class that wrote what has no name
    text: str = ""  # the SQL statement, where it is one and is asked for
    has_local_rows: bool = False  # it writes, or keeps for later, rows that the driver had made


Edges = Mapping[int, tuple[Field, ...]]
"""Transformation -> the fields that it was applied to."""


class KnownLineage(NamedTuple):
    """A variable: what it comes from and what was read."""

    value: Edges
    rows: Edges
    reads: tuple[Read, ...] = ()


class KnownFrame(NamedTuple):
    """A frame that an earlier query has left: its columns by position, and what was read for it.

    `unresolved` and `opaque` are what that query could not say; its own event is not written.
    """

    columns: tuple[Edges, ...]
    rows: Edges
    reads: tuple[Read, ...] = ()
    is_streamed: bool = False
    unresolved: tuple[tuple[str, int], ...] = ()
    opaque: tuple[tuple[str, int], ...] = ()
    has_local_rows: bool = False

    def inputs(self) -> tuple[Read, ...]:
        """What was read for it, with only the columns that it comes from, where these are known."""
        if not self.columns:  # its query's budget was spent
            return self.reads
        fields = {
            (field.dataset, field.path[0])
            for edges in (*self.columns, self.rows)
            for members in edges.values()
            for field in members
        }
        return tuple(
            read._replace(
                columns=tuple(
                    (name, kind)
                    for name, kind in read.columns
                    if any((named.dataset, name) in fields for named in read.datasets)
                )
            )
            for read in self.reads
        )

    def beside(self, other: KnownFrame) -> KnownFrame:
        """A frame that may be either of two: the inputs of both, and opaque."""
        return KnownFrame(
            tuple(map(either, self.columns, other.columns)),
            either(self.rows, other.rows),
            (*self.reads, *(read for read in other.reads if read not in self.reads)),
            self.is_streamed and other.is_streamed,
            tuple({*self.unresolved, *other.unresolved}),
            tuple({*self.opaque, *other.opaque, ("LogicalRDD", 1)}),
            self.has_local_rows or other.has_local_rows,
        )


def either(edges: Edges, other: Edges) -> Edges:
    """The edges of both."""
    return {
        step: tuple(dict.fromkeys((*edges.get(step, ()), *other.get(step, ()))))
        for step in {**edges, **other}
    }
