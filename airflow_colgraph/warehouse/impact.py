"""Impact: how much depends on each dataset, of all datasets in one job.

Each dataset is a set of starts of a closure downstream; 1,024 of them are traversed at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING

from airflow_colgraph.warehouse.bit_sets import MOST_SETS
from airflow_colgraph.warehouse.closure import Question, Rounds, current
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.session import own

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Progress = Callable[[int, int, int], None]  # a batch, how many there are, and a round of it
_COUNTS = """
SELECT d.namespace, d.name, coalesce(r.columns, 0L) AS columns,
    coalesce(r.datasets, 0L) AS datasets, coalesce(j.jobs, 0L) AS jobs, coalesce(j.dags, 0L) AS dags
FROM {datasets} AS d
LEFT JOIN (
    SELECT set, count(if(f.field <> '', f.id, NULL)) AS columns,
        count(DISTINCT f.dataset) AS datasets
    FROM {reached} AS n JOIN {fields} AS f ON f.id = n.node AND f.dataset <> CAST(n.set AS bigint)
    GROUP BY set
) AS r ON CAST(r.set AS bigint) = d.id
LEFT JOIN (
    SELECT set, count(DISTINCT id) AS jobs, count(DISTINCT dag_id) AS dags
    FROM {jobs_of_sets} AS s JOIN {jobs} AS w ON w.id = s.job GROUP BY set
) AS j ON CAST(j.set AS bigint) = d.id
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
    key = json.dumps([version.path.rpartition("/")[2], list(question)])
    work = f"impact/{blake2b(key.encode(), digest_size=8).hexdigest()}"
    answer = f"{folder.path}/{work}/answer"
    if folder.exists(f"{work}/answer/_SUCCESS"):
        return answer
    fields, jobs = (version.table(session, name) for name in ("fields", "jobs"))
    datasets = version.table(session, "datasets").where("id = canonical")
    numbered = datasets.selectExpr("*", "row_number() OVER (ORDER BY id) - 1 AS number")
    total = datasets.count()
    batches = -(-total // MOST_SETS)
    counts: DataFrame | None = None
    for batch in range(batches):
        chosen = numbered.where(f"number div {MOST_SETS} = {batch}")
        owners = chosen.selectExpr("id AS dataset")
        starts = fields.where("id = canonical").join(owners, "dataset")
        starts = starts.selectExpr("CAST(dataset AS string) AS set", "id AS node")
        rounds = Rounds(session, folder, f"{work}/{batch:05}", version, question)
        rounds.run(
            starts,
            min(MOST_SETS, total),
            lambda number, found, batch=batch: progress(batch + 1, batches, number),  # type: ignore[misc]
        )
        found = session.sql(
            _COUNTS,
            datasets=chosen,
            reached=rounds.by_set(rounds.reached(), "node"),
            fields=fields,
            jobs_of_sets=rounds.by_set(_jobs(rounds), "job"),
            jobs=jobs,
        )
        counts = found if counts is None else counts.unionByName(found)
    assert counts is not None  # a version that was committed has read a file
    counts.write.mode("overwrite").parquet(answer)
    return answer


def _jobs(rounds: Rounds) -> DataFrame:
    """The jobs that read a field that was reached, with the bits of their sets."""
    near = rounds.edges().where("job IS NOT NULL").selectExpr("near AS node", "job").distinct()
    return rounds.united(rounds.reached().join(near, "node"), "job")
