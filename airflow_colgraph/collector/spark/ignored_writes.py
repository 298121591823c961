"""Writes with mode `ignore` that have met what they would make, and have written nothing.

Spark reports them as any other write. Files have no job that was committed, a Delta table has no
later version, and any other source has run nothing.
"""

from __future__ import annotations

import logging

from airflow_colgraph.collector.model import Query, Statistics, Write
from airflow_colgraph.collector.spark.jvm import Java, option, short_class_name, thrown
from airflow_colgraph.collector.spark.output_rows import ran_nothing
from airflow_colgraph.collector.spark.statistics import executed
from airflow_colgraph.collector.spark.table_versions import has_no_later_version

logger = logging.getLogger(__name__)


def wrote_nothing(query: Query, execution: Java, nanoseconds: int, session: Java) -> bool:
    """Whether a write with mode `ignore` is known to have written nothing."""
    write = query.write
    if write is None or query.root not in ("InsertIntoHadoopFsRelationCommand", SAVE):
        return False
    try:
        command = execution.analyzed()
        is_one_of_several = short_class_name(command) != query.root  # of an INSERT
        if is_one_of_several or str(command.mode().toString()) != "Ignore":
            return False
        if query.root != SAVE:
            return committed_no_job(write, execution)
        if write.format == "delta":
            return has_no_later_version(write, execution, nanoseconds, session)
        return ran_nothing(execution, command.dataSource())
    except thrown():  # Spark has removed what would tell
        logger.debug("a write was not looked at", exc_info=True)
        return False


SAVE = "SaveIntoDataSourceCommand"


def committed_no_job(write: Write, execution: Java) -> bool:
    """Whether a write of files has committed no job."""
    if write.statistics != Statistics(0, 0, 0):
        return False
    committed = option(executed(execution.executedPlan()).metrics().get("jobCommitTime"))
    return committed is not None and bool(committed.isZero())
