"""Closure: every field that sets of fields are derived from, or that is derived from them.

Semi-naive: a round follows only what the round before found first, of all sets at once. Each round
is a table, so a run that was killed goes on where it was, and the number of a round is the distance
from the start. The edges that count, and INDIRECT ones, are those of `store.query.graph`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial, reduce
from typing import TYPE_CHECKING, NamedTuple

from airflow_colgraph.store.model.question import UP
from airflow_colgraph.warehouse.bit_sets import (
    MOST_SETS,
    by_index,
    of_index,
    united,
    without,
    words,
)
from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.folder import Folder, Version
from airflow_colgraph.warehouse.session import own

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EDGES_OF_PARTITION = 250_000  # in memory, some megabytes
Progress = Callable[[int, int], None]  # a round, and how many fields it found first


class Question(NamedTuple):
    """Which edges are followed.

    Attributes:
        direction: "upstream" or "downstream".
        at: Those that held at this time, in milliseconds since 1970; None: those that hold now.
        indirect: Also edges of type INDIRECT (filters, joins, grouping).
        depth: At most so many hops; None: all.
    """

    direction: str = UP
    at: int | None = None
    indirect: bool = False
    depth: int | None = None

    def edges(self, edges: DataFrame) -> DataFrame:
        """The edges that count, each from a field that was reached (`near`) to the next (`far`)."""
        near, far = ("output", "input") if self.direction == UP else ("input", "output")
        kinds = "('DIRECT', 'INDIRECT')" if self.indirect else "('DIRECT')"
        when = "is_current"
        if self.at is not None:
            time = f"timestamp_millis({self.at})"
            when = f"first_seen <= {time} AND (is_current OR closed_at > {time})"
        followed = edges.where(f"kind IN {kinds} AND {when}")
        return followed.selectExpr(f"{near} AS near", f"{far} AS far", "job")


class Closed(NamedTuple):
    """The answer: the table at `path` has the columns set, namespace, name, field and depth."""

    path: str
    rounds: int


def closure(
    spark: SparkSession,
    warehouse: str,
    starts: Callable[[SparkSession, Version], DataFrame],
    question: Question,
    progress: Progress = lambda number, fields: None,
) -> Closed:
    """Find all that the starts reach, each set for itself.

    Args:
        spark: The session whose application does the work.
        warehouse: The folder that `build` wrote.
        starts: Returns the starts in a version, with the columns `set` (a name) and `node`.
        question: The direction, time and kinds of edges.
        progress: Called after each round.

    Returns:
        Where the answer is. The same question about the same version is answered once.

    Raises:
        WarehouseError: There is no warehouse at the path, or there are too many or no starts.
    """
    session = own(spark)
    folder = Folder(session, warehouse)
    version = current(folder)
    asked = starts(session, version)
    summary = asked.selectExpr(
        "count(DISTINCT set)", "count(*)", "bit_xor(xxhash64(set, node))"
    ).first()
    assert summary is not None  # an aggregate of all rows has one
    if not 0 < summary[0] <= MOST_SETS:
        raise WarehouseError(f"There are {summary[0]} sets of starts. Expected 1 to {MOST_SETS}.")
    work = version.answer("closures", [list(question), list(summary)])
    steps = Steps(session, version, question)
    rounds = Rounds(Kept(session, folder, work), steps)
    try:
        number = rounds.run(asked, summary[0], progress)
        return Closed(rounds.answer(), number)
    finally:
        steps.close()


def current(folder: Folder) -> Version:
    """The current version; WarehouseError if nothing was built yet."""
    version = folder.current()
    if not version.number:
        raise WarehouseError(
            f"There is no warehouse at {folder.path}. Make it: colgraph warehouse build."
        )
    return version


class Kept:
    """Tables in a folder of the warehouse's, each made once: what a killed command goes on from."""

    def __init__(self, spark: SparkSession, folder: Folder, work: str) -> None:
        """The folder `work` below the warehouse's is made, or taken up as it was left."""
        self._spark, self._folder, self._work = spark, folder, work

    def path(self, name: str) -> str:
        """Where the table of the name is."""
        return f"{self._folder.path}/{self._work}/{name}"

    def read(self, name: str) -> DataFrame:
        """A table that is there."""
        return self._spark.read.parquet(self.path(name))

    def keep(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """The table of the name, made unless it is there whole."""
        if not self._folder.exists(f"{self._work}/{name}/_SUCCESS"):
            make().write.mode("overwrite").parquet(self.path(name))
        return self.read(name)

    def names(self, below: str) -> list[str]:
        """The names of the tables below a folder."""
        return self._folder.names(f"{self._work}/{below}")

    def remove(self, name: str) -> None:
        """Remove a table or folder."""
        self._folder.remove(f"{self._work}/{name}")


class Steps:
    """The edges that a question follows, for all rounds of all sets: read once, and in memory by
    the field that they start from, so that a round moves only what the last one found.
    """

    def __init__(self, spark: SparkSession, version: Version, question: Question) -> None:
        """The edges of the version; the session's shuffles have as many partitions as they need."""
        self.spark, self.version, self.question = spark, version, question
        edges = question.edges(version.table(spark, "edges"))
        partitions = max(
            -(-edges.count() // EDGES_OF_PARTITION), spark.sparkContext.defaultParallelism
        )
        spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
        pairs = edges.select("near", "far").repartition(partitions, "near")
        self.edges = pairs.distinct().persist()

    def close(self) -> None:
        """Free the memory."""
        self.edges.unpersist()


class Rounds:
    """The rounds of up to 1,024 sets, each a table in a folder of its own."""

    def __init__(self, kept: Kept, steps: Steps) -> None:
        """Rounds that are kept already are not done again."""
        self._kept, self._steps = kept, steps
        self._words: list[str] = []

    def run(self, starts: DataFrame, sets: int, progress: Progress) -> int:
        """Do the rounds that are not done yet; returns how many found something."""
        self._words = words(sets)
        numbered = starts.select("set").distinct()
        numbered = numbered.selectExpr("set", "row_number() OVER (ORDER BY set) - 1 AS index")
        index = self._kept.keep("sets", lambda: numbered)
        first = starts.join(index, "set").selectExpr("node", *of_index(self._words))
        latest = self._kept.keep(
            "rounds/00000", lambda: self._with_rows(self.united(first, "node"))
        )
        for number in itertools.count(1):
            if number - 1 == self._steps.question.depth:
                break
            latest = self._kept.keep(f"rounds/{number:05}", partial(self._next, latest, number))
            count = latest.count()
            progress(number, count)
            if not count:
                break
        return number - 1

    def reached(self) -> DataFrame:
        """Each field that was reached, at which distance, as bits of sets."""
        names = [name for name in self._kept.names("rounds") if name.isdigit()]
        return self._rounds(*map(int, names))

    def by_set(self, frame: DataFrame, *columns: str) -> DataFrame:
        """A row for each set of a row that has bits of sets."""
        rows = by_index(frame, list(columns), self._words)
        return rows.join(self._kept.read("sets"), "index").select("set", *columns)

    def united(self, frame: DataFrame, key: str) -> DataFrame:
        """One row for each value of the key, with the bits of all its rows."""
        return united(frame, key, self._words)

    def answer(self) -> str:
        """Write the answer's table; returns its path."""

        def named() -> DataFrame:
            fields = self._table("fields").withColumnRenamed("id", "node")
            rows = self.by_set(self.reached(), "node", "depth")
            return rows.join(fields, "node").select("set", "namespace", "name", "field", "depth")

        self._kept.keep("reached", named)
        return self._kept.path("reached")

    def _table(self, name: str) -> DataFrame:
        return self._steps.version.table(self._steps.spark, name)

    def _rounds(self, *numbers: int) -> DataFrame:
        frames = [
            self._kept.read(f"rounds/{number:05}").selectExpr("*", f"{number} AS depth")
            for number in numbers
        ]
        return reduce(lambda left, other: left.unionByName(other), frames)

    def _next(self, latest: DataFrame, number: int) -> DataFrame:
        """What is reached from the last round, and was not in a round before."""
        far = latest.withColumnRenamed("node", "near").join(self._steps.edges, "near")
        far = self.united(far.selectExpr("far AS node", *self._words), "node")
        seen = self.united(self._rounds(*range(number)), "node")
        return without(self._with_rows(far), seen, "node", self._words)

    def _with_rows(self, nodes: DataFrame) -> DataFrame:
        """The nodes and, with INDIRECT edges, those that share their rows: upstream a field's
        dataset as a whole, downstream each field of a dataset that was reached as a whole.
        """
        question = self._steps.question
        if not question.indirect:
            return nodes
        near, far = ("id", "dataset") if question.direction == UP else ("dataset", "id")
        members = self._table("fields").where("id = canonical")
        members = members.selectExpr(f"{near} AS node", f"{far} AS other").distinct()
        others = nodes.join(members, "node").selectExpr("other AS node", *self._words)
        return self.united(nodes.unionByName(others), "node")
