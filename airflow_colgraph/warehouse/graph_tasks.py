"""Traversals of a whole version in Spark's tasks: tasks share the sets of starts, not the edges.

So nothing moves between tasks while they follow edges, and a task needs memory for all edges
(docs/evidence.md has the figures of this and of a join for each round).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import TYPE_CHECKING

from airflow_colgraph.store.model.question import UP
from airflow_colgraph.warehouse.folder import Version
from airflow_colgraph.warehouse.graph_pairs import (
    STRUCT_PARTS,
    numbered_fields,
    numbered_jobs,
    part_of_graph,
)
from airflow_colgraph.warehouse.question import Question
from airflow_colgraph.warehouse.resumable_tables import ResumableTables
from airflow_colgraph.warehouse.struct_parts import structs

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

Worker = Callable[[Iterable["pyarrow.RecordBatch"]], Iterator["pyarrow.RecordBatch"]]
MOST_SETS = 1024
BYTES_OF_SETS = 64 << 20  # of the sets of all fields in a task, which has a few such arrays


class PackedGraph:
    """The edges that a question follows, in tables from which each task reads all of them.

    `listed` counts the fields that events name, which are the first of `size` numbered ones.
    """

    def __init__(
        self, tables: ResumableTables, version: Version, question: Question, *parts: str
    ) -> None:
        """Write the tables, with these parts besides edges and members (`graph_pairs.PAIRS`)."""
        spark = tables.spark
        fields = version.table(spark, "fields")
        self.fields = tables.keep("fields", lambda: numbered_fields(fields))
        if question.indirect:
            parts += ("members upstream" if question.direction == UP else "members",)
        frames = {
            "edges": question.edges(version.table(spark, "edges")),
            "fields": self.fields,
            "listed": self.fields,
            "transformations": version.table(spark, "transformations"),
            "jobs": numbered_jobs(version.table(spark, "jobs")),
        }
        summary = self.fields.selectExpr("count(*)", "max(contains(field, '.'))").first()
        assert summary is not None  # an aggregate of all rows has one
        self.listed = self.size = summary[0]
        if summary[1]:
            frames |= structs(tables, question.direction, **frames)
            self.fields = frames["fields"]
            self.size = self.fields.count()
            parts += STRUCT_PARTS
        packed = (part_of_graph(part, **frames) for part in ("edges", *parts))
        self._pairs = tables.keep(
            "pairs", lambda: reduce(lambda left, other: left.unionByName(other), packed)
        )
        self.cores = spark.sparkContext.defaultParallelism

    def in_tasks(
        self, firsts: range, worker: Worker, schema: str, starts: DataFrame | None = None
    ) -> DataFrame:
        """The worker's rows, by one task for each of the first sets, on first, part and pairs."""
        from pyspark.sql import functions as F

        pairs = self._pairs if starts is None else self._pairs.unionByName(starts)
        spark = self._pairs.sparkSession
        tasks = spark.range(firsts.start, firsts.stop, firsts.step, len(firsts)).toDF("first")
        return tasks.crossJoin(F.broadcast(pairs)).mapInArrow(worker, schema)


def sets_of_task(fields: int, share: int) -> int:
    """How many sets a task follows, a multiple of 64: it keeps the sets of each field.

    >>> [sets_of_task(fields, 100_000) for fields in (1_000, 1_000_000, 100_000_000)]
    [1024, 512, 64]
    >>> sets_of_task(1_000, 65)
    128
    """
    words = min(BYTES_OF_SETS // max(fields, 1) // 8, -(-share // 64), MOST_SETS // 64)
    return max(words, 1) * 64
