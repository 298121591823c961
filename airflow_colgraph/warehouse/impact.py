"""Impact: how much depends on each dataset. Each is a set of starts of a closure downstream."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from airflow_colgraph.store.model.question import DOWN
from airflow_colgraph.warehouse.folder import Folder, Version
from airflow_colgraph.warehouse.graph_tasks import PackedGraph, sets_of_task
from airflow_colgraph.warehouse.question import Question
from airflow_colgraph.warehouse.resumable_tables import ResumableTables
from airflow_colgraph.warehouse.session import own

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Progress = Callable[[int, int], None]  # datasets that are counted, of how many
TASKS_OF_CORE = 8  # in a Spark job: what a killed command has to do again
COUNTS = "dataset bigint, columns bigint, datasets bigint, jobs bigint, dags bigint"
_ANSWER = """
SELECT d.namespace, d.name, c.columns, c.datasets, c.jobs, c.dags
FROM (SELECT DISTINCT dataset, owner FROM {fields}) AS f
JOIN {datasets} AS d ON d.id = f.dataset JOIN {counts} AS c ON c.dataset = f.owner
"""


def impact(
    spark: SparkSession,
    warehouse: str,
    at: int | None = None,
    indirect: bool = False,
    progress: Progress = lambda counted, total: None,
) -> str:
    """Count what depends on each dataset: columns, datasets, jobs and DAGs, without its own.

    Args:
        spark: The session whose application does the work.
        warehouse: The folder that `build` wrote.
        at: Edges that held at this time, in milliseconds since 1970; None: those that hold now.
        indirect: Also over edges of type INDIRECT (filters, joins, grouping).
        progress: Called when some of the datasets are counted.

    Returns:
        The path of a table with the columns namespace, name, columns, datasets, jobs and dags. The
        same question about the same version is answered once, and a command that was killed goes
        on from the datasets that are counted.

    Raises:
        WarehouseError: There is no warehouse at the path.
    """
    session = own(spark)
    folder = Folder(session, warehouse)
    version = folder.built()
    question = Question(DOWN, at, indirect)
    tables = ResumableTables(session, folder, version.answer("impact", list(question)))
    return tables.answer(lambda: _impact(tables, version, question, progress))


def _impact(
    tables: ResumableTables, version: Version, question: Question, progress: Progress
) -> DataFrame:
    from airflow_colgraph.warehouse.impact_counts import count

    session = tables.spark
    graph = PackedGraph(tables, version, question, "owners", "columns", "readers", "dags")
    last = graph.fields.selectExpr("coalesce(max(owner) + 1, 0)").first()
    assert last is not None  # an aggregate of all rows has one
    (total,) = last
    sets = sets_of_task(graph.size, -(-total // graph.cores))
    step = sets * TASKS_OF_CORE * graph.cores
    for first in range(0, total, step):
        firsts = range(first, min(first + step, total), sets)
        counted = partial(graph.in_tasks, firsts, partial(count, sets, total, graph.listed), COUNTS)
        tables.keep(f"counts/{step}/first={first}", counted)
        progress(min(first + step, total), total)
    counts = tables.read(f"counts/{step}") if total else session.createDataFrame([], COUNTS)
    datasets = version.table(session, "datasets")
    return session.sql(_ANSWER, fields=graph.fields, datasets=datasets, counts=counts)
