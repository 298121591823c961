"""Coverage: of how many writes the column lineage is known, by DAG and namespace. SQL only.

A write is a run that reported a dataset. It is exact if all columns that it used are known,
conservative if it has column lineage but not all are (`store.model.body_columns`, or the run's
diagnostics name something unresolved), else it has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_colgraph.store.model.clock import EARLIEST
from airflow_colgraph.warehouse.answers import Tables, answered, millis

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = ("dag_id", "namespace", "outputs", "known", "writes", "exact", "conservative", "none")
_WRITES = """
SELECT o.job_output, any_value(o.job) AS job, any_value(o.dataset) AS dataset, min(o.at) AS at,
    bool_or(b.has_columns) AS has_columns, bool_or(size(b.unknown) > 0) AS is_unknown
FROM {occurrences} AS o JOIN {bodies} AS b ON b.id = o.body
GROUP BY o.job_output, o.run, if(o.run = '', o.at, NULL)
"""
_JUDGED = """
SELECT w.*, CASE WHEN NOT w.has_columns THEN 'none'
    WHEN w.is_unknown OR i.job IS NOT NULL THEN 'conservative' ELSE 'exact' END AS lineage
FROM {writes} AS w
LEFT JOIN (SELECT DISTINCT job, output FROM {incomplete}) AS i
    ON i.job = w.job AND i.output = w.dataset
WHERE w.at >= SINCE
"""
_ANSWER = """
SELECT j.dag_id, d.namespace, count(DISTINCT w.dataset) AS outputs,
    count(DISTINCT if(e.job_output IS NOT NULL, w.dataset, NULL)) AS known,
    count(*) AS writes, count_if(lineage = 'exact') AS exact,
    count_if(lineage = 'conservative') AS conservative, count_if(lineage = 'none') AS none
FROM {judged} AS w JOIN {datasets} AS d ON d.id = w.dataset
LEFT JOIN {jobs} AS j ON j.id = w.job
LEFT JOIN (SELECT DISTINCT job_output FROM {edges} WHERE kind <> 'DATASET') AS e
    ON e.job_output = w.job_output
GROUP BY j.dag_id, d.namespace
"""


def coverage(spark: SparkSession, warehouse: str, since: int = EARLIEST) -> str:
    """Count the writes with exact, conservative and no column lineage.

    Args:
        spark: The session whose application does the work.
        warehouse: The folder that `build` wrote.
        since: Milliseconds since 1970; writes before it do not count.

    Returns:
        The path of a table with the columns in COLUMNS: by the DAG of the job (null: none) and the
        namespace of the dataset, how many datasets were written (`outputs`), how many of them have
        column edges (`known`), and the writes.

    Raises:
        WarehouseError: There is no warehouse at the path.
    """
    return answered(spark, warehouse, "coverage", [since], lambda tables: _coverage(tables, since))


def _coverage(tables: Tables, since: int) -> DataFrame:
    judged = tables.sql(_JUDGED.replace("SINCE", millis(since)), writes=tables.sql(_WRITES))
    return tables.sql(_ANSWER, judged=judged)
