"""Impact: how much depends on each dataset, of all datasets in one job.

Each dataset is a set of starts of a closure downstream; 1,024 of them are traversed at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from airflow_colgraph.warehouse.bit_sets import MOST_SETS
from airflow_colgraph.warehouse.closure import Kept, Question, Rounds, Steps, current
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.session import own

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Progress = Callable[[int, int, int], None]  # a batch, how many there are, and a round of it
Round = Callable[[int], None]
COLUMNS = "namespace string, name string, columns bigint, datasets bigint, jobs bigint, dags bigint"
# A dataset (`set`) reaches itself and its own columns, which do not count.
_COUNTS = """
SELECT d.namespace, d.name, coalesce(c.count, 0L) - coalesce(o.count, 0L) AS columns,
    s.count - 1 AS datasets, coalesce(j.count, 0L) AS jobs, coalesce(g.count, 0L) AS dags
FROM {chosen} AS d JOIN {datasets} AS s ON s.set = CAST(d.id AS string)
LEFT JOIN {columns} AS c ON c.set = s.set LEFT JOIN {own} AS o ON o.dataset = d.id
LEFT JOIN {jobs} AS j ON j.set = s.set LEFT JOIN {dags} AS g ON g.set = s.set
"""


def impact(
    spark: SparkSession,
    warehouse: str,
    question: Question,
    progress: Progress = lambda batch, batches, number: None,
) -> str:
    """Count what depends on each dataset: columns, datasets, jobs and DAGs, without its own.

    Args:
        spark: The session whose application does the work.
        warehouse: The folder that `build` wrote.
        question: The time and kinds of edges; its direction is downstream.
        progress: Called after each round.

    Returns:
        The path of a table with the columns namespace, name, columns, datasets, jobs and dags. The
        same question about the same version is answered once.

    Raises:
        WarehouseError: There is no warehouse at the path.
    """
    session = own(spark)
    folder = Folder(session, warehouse)
    version = current(folder)
    work = version.answer("impact", list(question))
    answer = f"{folder.path}/{work}/answer"
    if folder.exists(f"{work}/answer/_SUCCESS"):
        return answer
    fields = version.table(session, "fields").where("id = canonical")
    datasets = version.table(session, "datasets").where("id = canonical")
    numbered = datasets.selectExpr("*", "row_number() OVER (ORDER BY id) - 1 AS number")
    total = datasets.count()
    batches = -(-total // MOST_SETS)
    kept, steps = Kept(session, folder, work), Steps(session, version, question)
    try:
        for batch in range(batches):
            name = f"counts/batch={batch}"
            chosen = numbered.where(f"number div {MOST_SETS} = {batch}")
            owners = chosen.selectExpr("id AS dataset")
            starts = fields.join(owners, "dataset")
            starts = starts.selectExpr("CAST(dataset AS string) AS set", "id AS node")
            rounds = Rounds(Kept(session, folder, f"{work}/{batch:05}"), steps)
            of_batch = partial(progress, batch + 1, batches)
            kept.keep(name, partial(_counted, rounds, steps, chosen, starts, of_batch))
            kept.remove(f"{batch:05}")  # its rounds: their counts are there
        empty = session.createDataFrame([], COLUMNS)
        kept.keep("answer", lambda: kept.read("counts").drop("batch") if batches else empty)
    finally:
        steps.close()
    return answer


def _counted(
    rounds: Rounds, steps: Steps, chosen: DataFrame, starts: DataFrame, progress: Round
) -> DataFrame:
    """The counts of a batch of datasets. Bits are united first, so that no row is counted twice."""
    rounds.run(starts, min(chosen.count(), MOST_SETS), lambda number, found: progress(number))
    fields, jobs = (steps.version.table(steps.spark, name) for name in ("fields", "jobs"))
    columns = fields.where("id = canonical AND field <> ''")
    nodes = rounds.united(rounds.reached(), "node")
    named = nodes.join(fields.selectExpr("id AS node", "dataset", "field"), "node")
    readers = nodes.join(steps.readers.withColumnRenamed("near", "node"), "node")
    readers = rounds.united(readers, "job")
    tasks = readers.join(jobs.selectExpr("id AS job", "dag_id").where("dag_id IS NOT NULL"), "job")
    return steps.spark.sql(
        _COUNTS,
        chosen=chosen,
        own=columns.groupBy("dataset").count(),
        columns=rounds.counts(named.where("field <> ''")),
        datasets=rounds.counts(rounds.united(named, "dataset")),
        jobs=rounds.counts(readers),
        dags=rounds.counts(rounds.united(tasks, "dag_id")),
    )
