"""Closure: every field that sets of fields are derived from, or that is derived from them.

Semi-naive: a round follows only what the round before found first, of all sets at once. Each round
is a table, so a run that was killed goes on where it was, and the number of a round is the distance
from the start. The edges that count, and INDIRECT ones, are those of `store.query.graph`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from airflow_colgraph.store.model.question import UP
from airflow_colgraph.warehouse.bit_sets import (
    MOST_SETS,
    indexes,
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

Progress = Callable[[int, int], None]  # a round, and how many fields it found first


class Question(NamedTuple):
    """Which edges are followed.

    Attributes:
        direction: "upstream" or "downstream".
        at: Those that held at this time, in milliseconds since 1970; None: those that hold now.
        indirect: Also edges of type INDIRECT (filters, joins, grouping).
    """

    direction: str = UP
    at: int | None = None
    indirect: bool = False

    def edges(self, edges: DataFrame) -> DataFrame:
        """The edges that count, each from a field that was reached (`near`) to the next (`far`)."""
        near, far = ("output", "input") if self.direction == UP else ("input", "output")
        kinds = "('DIRECT', 'INDIRECT')" if self.indirect else "('DIRECT')"
        when = "is_current"
        if self.at is not None:
            time = f"timestamp_millis({self.at})"
            when = f"first_seen <= {time} AND (is_current OR closed_at > {time})"
        found = edges.where(f"kind IN {kinds} AND {when}")
        return found.selectExpr(f"{near} AS near", f"{far} AS far", "job")


class Closed(NamedTuple):
    """The answer: the table at `path` has the columns set, namespace, name, field and depth."""

    path: str
    rounds: int


def closure(
    spark: SparkSession,
    warehouse: str,
    starts: Callable[[SparkSession, Version], DataFrame],
    question: Question,
    progress: Progress = lambda number, found: None,
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
    key = json.dumps([version.path.rpartition("/")[2], list(question), list(summary)])
    work = f"closures/{blake2b(key.encode(), digest_size=8).hexdigest()}"
    rounds = Rounds(session, folder, work, version, question)
    number = rounds.run(asked, summary[0], progress)
    return Closed(rounds.answer(), number)


def current(folder: Folder) -> Version:
    """The current version; WarehouseError if nothing was built yet."""
    version = folder.current()
    if not version.number:
        raise WarehouseError(
            f"There is no warehouse at {folder.path}. Make it: colgraph warehouse build."
        )
    return version


class Rounds:
    """The rounds of one question, each a table in a folder of its own."""

    def __init__(
        self,
        spark: SparkSession,
        folder: Folder,
        work: str,
        version: Version,
        question: Question,
    ) -> None:
        """The folder `work` below the warehouse's is made, or taken up as it was left."""
        self._spark, self._folder, self._work = spark, folder, work
        self._version, self._question = version, question
        self._words: list[str] = []

    def run(self, starts: DataFrame, sets: int, progress: Progress) -> int:
        """Do the rounds that are not done yet; returns how many found something."""
        self._words = words(sets)
        numbered = starts.select("set").distinct()
        numbered = numbered.selectExpr("set", "row_number() OVER (ORDER BY set) - 1 AS index")
        index = self._keep("sets", lambda: numbered)
        first = starts.join(index, "set").selectExpr("node", *of_index(self._words))
        self._keep("edges", lambda: self._question.edges(self._version.table(self._spark, "edges")))
        number = 0
        found = self._keep("rounds/00000", lambda: self._with_rows(first))
        while not found.isEmpty():
            number += 1
            found = self._keep(f"rounds/{number:05}", partial(self._next, found, number))
            progress(number, found.count())
        return number - 1

    def reached(self) -> DataFrame:
        """Each field that was reached, at which distance, as bits of sets."""
        names = [n for n in self._folder.names(f"{self._work}/rounds") if n.isdigit()]
        frames = [
            self._read(f"rounds/{name}").selectExpr("*", f"{int(name)} AS depth") for name in names
        ]
        found = frames[0]
        for frame in frames[1:]:
            found = found.unionByName(frame)
        return found

    def by_set(self, found: DataFrame, *columns: str) -> DataFrame:
        """A row for each set of a row that has bits of sets."""
        rows = found.selectExpr(*columns, indexes(self._words))
        return rows.join(self._read("sets"), "index").select("set", *columns)

    def edges(self) -> DataFrame:
        """The edges that count: near, far and the job."""
        return self._read("edges")

    def united(self, found: DataFrame, key: str) -> DataFrame:
        """One row for each value of the key, with the bits of all its rows."""
        return united(found, key, self._words)

    def answer(self) -> str:
        """Write the answer's table; returns its path."""

        def named() -> DataFrame:
            fields = self._version.table(self._spark, "fields")
            rows = self.by_set(self.reached(), "node", "depth")
            return rows.join(fields.withColumnRenamed("id", "node"), "node").select(
                "set", "namespace", "name", "field", "depth"
            )

        self._keep("reached", named)
        return f"{self._folder.path}/{self._work}/reached"

    def _next(self, found: DataFrame, number: int) -> DataFrame:
        """What is reached from the last round, and was not in a round before."""
        steps = self.edges().select("near", "far").distinct()
        far = found.withColumnRenamed("node", "near").join(steps, "near")
        far = united(far.selectExpr("far AS node", *self._words), "node", self._words)
        before = self._read("rounds/00000")
        for each in range(1, number):
            before = before.unionByName(self._read(f"rounds/{each:05}"))
        seen = united(before, "node", self._words)
        return without(self._with_rows(far), seen, "node", self._words)

    def _with_rows(self, found: DataFrame) -> DataFrame:
        """The nodes and, with INDIRECT edges, those that share their rows: upstream a field's
        dataset as a whole, downstream each field of a dataset that was reached as a whole.
        """
        if self._question.indirect:
            near, far = ("id", "dataset") if self._question.direction == UP else ("dataset", "id")
            members = self._version.table(self._spark, "fields").where("id = canonical")
            members = members.selectExpr(f"{near} AS node", f"{far} AS other").distinct()
            others = found.join(members, "node").selectExpr("other AS node", *self._words)
            found = found.unionByName(others)
        return united(found, "node", self._words)

    def _read(self, name: str) -> DataFrame:
        return self._spark.read.parquet(f"{self._folder.path}/{self._work}/{name}")

    def _keep(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """The table of the name, made unless it is there whole."""
        if not self._folder.exists(f"{self._work}/{name}/_SUCCESS"):
            frame = make()
            frame.write.mode("overwrite").parquet(f"{self._folder.path}/{self._work}/{name}")
        return self._read(name)
