"""Closure: every field that sets of fields are derived from, or that is derived from them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.folder import Folder, Version
from airflow_colgraph.warehouse.graph_pairs import packed
from airflow_colgraph.warehouse.graph_tasks import MOST_SETS, PackedGraph, sets_of_task
from airflow_colgraph.warehouse.question import Question
from airflow_colgraph.warehouse.resumable_tables import ResumableTables
from airflow_colgraph.warehouse.session import own

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Progress = Callable[[str], None]  # what is done now
PACKING, FOLLOWING = "packing the edges", "following the edges"
REACHED = "index bigint, number bigint, depth bigint"
_SETS = """
SELECT set, CAST(row_number() OVER (ORDER BY set) - 1 AS bigint) AS index
FROM (SELECT DISTINCT set FROM {starts})
"""
_STARTS = """
SELECT s.index AS near, f.number AS far FROM {starts} AS a
JOIN {sets} AS s ON s.set = a.set JOIN {fields} AS f ON f.id = a.node
"""
_ANSWER = """
SELECT s.set, f.namespace, f.name, f.field, CAST(r.depth AS int) AS depth FROM {reached} AS r
JOIN {sets} AS s ON s.index = r.index JOIN {fields} AS f ON f.number = r.number
"""
# A field that has two numbers (`struct_parts`) is as far as the nearer one.
_NEAREST = """
SELECT set, namespace, name, field, min(depth) AS depth FROM {answer}
GROUP BY set, namespace, name, field
"""


def closure(
    spark: SparkSession,
    warehouse: str,
    starts: Callable[[SparkSession, Version], DataFrame],
    question: Question,
    progress: Progress = lambda step: None,
) -> str:
    """Find all that the starts reach, each set for itself.

    Args:
        spark: The session whose application does the work.
        warehouse: The folder that `build` wrote.
        starts: Returns the starts in a version, with the columns `set` (a name) and `node`.
        question: The direction, time and kinds of edges.
        progress: Called before each step.

    Returns:
        The path of a table with the columns set, namespace, name, field and depth. The same
        question about the same version is answered once.

    Raises:
        WarehouseError: There is no warehouse at the path, or there are too many or no starts.
    """
    session = own(spark)
    folder = Folder(session, warehouse)
    version = folder.built()
    asked = starts(session, version)
    summary = asked.selectExpr(
        "count(DISTINCT set)", "count(*)", "bit_xor(xxhash64(set, node))"
    ).first()
    assert summary is not None  # an aggregate of all rows has one
    if not 0 < summary[0] <= MOST_SETS:
        raise WarehouseError(f"There are {summary[0]} sets of starts. Expected 1 to {MOST_SETS}.")
    work = version.answer("closures", [list(question), list(summary)])
    tables = ResumableTables(session, folder, work)
    return tables.answer(lambda: _reached(tables, version, question, asked, summary[0], progress))


def _reached(
    tables: ResumableTables,
    version: Version,
    question: Question,
    starts: DataFrame,
    total: int,
    progress: Progress,
) -> DataFrame:
    from airflow_colgraph.warehouse.reach import closure_rows

    sql = tables.spark.sql
    sets = tables.keep("sets", lambda: sql(_SETS, starts=starts))
    progress(PACKING)
    graph = PackedGraph(tables, version, question)
    first = packed("starts", sql(_STARTS, starts=starts, sets=sets, fields=graph.fields))
    progress(FOLLOWING)
    sets_at_once = sets_of_task(graph.size, -(-total // graph.cores))
    worker = partial(closure_rows, sets_at_once, graph.size, question.depth)
    reached = graph.in_tasks(range(0, total, sets_at_once), worker, REACHED, first)
    answer = sql(_ANSWER, reached=reached, sets=sets, fields=graph.fields)
    return answer if graph.size == graph.listed else sql(_NEAREST, answer=answer)
