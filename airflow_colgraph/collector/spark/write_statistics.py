"""How much a query has written: by the metrics of Spark's own commands that write files.

What Iceberg and Delta have written is in the snapshot or commit (`table_versions`). Spark counts
the rows of no other write in a way that is the query's alone.
"""

from __future__ import annotations

from airflow_colgraph.collector.model import Query, Statistics
from airflow_colgraph.collector.spark.jvm import Java, option, short_class_name

WITH_METRICS = {"InsertIntoHadoopFsRelationCommand", "InsertIntoHiveTable"}
METRICS = ("numOutputRows", "numOutputBytes", "numFiles")
INSIDE = {  # plans that stand for another one, and what they call it
    "AdaptiveSparkPlanExec": "executedPlan",
    "ResultQueryStageExec": "plan",
    "WholeStageCodegenExec": "child",
}


def with_statistics(query: Query, execution: Java) -> Query:
    """The query, whose write has the rows, bytes and files that Spark counted."""
    if query.write is None or query.root not in WITH_METRICS:
        return query
    metrics = executed(execution.executedPlan()).metrics()
    counts = [option(metrics.get(name)) for name in METRICS]
    if any(count is None for count in counts):
        return query
    statistics = Statistics(*(int(count.value()) for count in counts if count is not None))
    return query._replace(write=query.write._replace(statistics=statistics))


def executed(plan: Java) -> Java:
    """The plan that ran, behind those that only hold it."""
    while (inside := INSIDE.get(short_class_name(plan))) is not None:
        plan = getattr(plan, inside)()
    return plan
