"""Impact: how much depends on each dataset, of all datasets in one job.

Each dataset is a set of starts of a closure downstream. A task counts for some of the datasets,
with all edges in its memory: for closures of everything that is far cheaper than to move the fields
of each round (docs/evidence.md has the figures).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from airflow_colgraph.store.model.question import DOWN
from airflow_colgraph.warehouse.bit_sets import MOST_SETS
from airflow_colgraph.warehouse.closure import Kept, Question, current
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.graph_pairs import numbered_fields, packed
from airflow_colgraph.warehouse.session import own

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Progress = Callable[[int, int], None]  # datasets that are counted, of how many
BYTES_OF_SETS = 64 << 20  # of the sets of all fields in a task, which has a few such arrays
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
    version = current(folder)
    question = Question(DOWN, at, indirect)
    work = version.answer("impact", list(question))
    kept = Kept(session, folder, work)
    if folder.exists(f"{work}/answer/_SUCCESS"):
        return kept.path("answer")
    tables = {name: version.table(session, name) for name in ("datasets", "fields", "jobs")}
    fields = kept.keep("fields", lambda: numbered_fields(tables["fields"]))
    edges = question.edges(version.table(session, "edges"))
    pairs = kept.keep("pairs", lambda: packed(edges, fields, tables["jobs"], indirect))
    sizes = fields.selectExpr("count(*)", "coalesce(max(owner) + 1, 0)").first()
    assert sizes is not None  # an aggregate of all rows has one
    count, total = sizes
    cores = session.sparkContext.defaultParallelism
    sets = sets_of_task(count, -(-total // cores))
    step = sets * TASKS_OF_CORE * cores
    for first in range(0, total, step):
        firsts = range(first, min(first + step, total), sets)
        counted = partial(_counted, pairs, firsts, total)
        kept.keep(f"counts/{step}/first={first}", counted)
        progress(min(first + step, total), total)
    counts = kept.read(f"counts/{step}") if total else session.createDataFrame([], COUNTS)
    named = {"fields": fields, "datasets": tables["datasets"], "counts": counts}
    kept.keep("answer", lambda: session.sql(_ANSWER, **named))
    for name in ("fields", "pairs", "counts"):
        kept.remove(name)
    return kept.path("answer")


def sets_of_task(fields: int, share: int) -> int:
    """How many datasets a task counts for, a multiple of 64.

    Args:
        fields: How many there are: a task keeps the sets of each.
        share: How many datasets there are for each core.

    >>> [sets_of_task(fields, 100_000) for fields in (1_000, 1_000_000, 100_000_000)]
    [1024, 512, 64]
    >>> sets_of_task(1_000, 65)
    128
    """
    words = min(BYTES_OF_SETS // max(fields, 1) // 8, -(-share // 64), MOST_SETS // 64)
    return max(words, 1) * 64


def _counted(pairs: DataFrame, firsts: range, total: int) -> DataFrame:
    """A row of counts for each dataset, by one task for each of the first ones."""
    from pyspark.sql import functions as F

    from airflow_colgraph.warehouse.impact_counts import count

    starts = pairs.sparkSession.range(firsts.start, firsts.stop, firsts.step, len(firsts))
    everything = starts.toDF("first").crossJoin(F.broadcast(pairs))
    return everything.mapInArrow(partial(count, firsts.step, total), COUNTS)
