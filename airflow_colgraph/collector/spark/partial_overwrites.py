"""Overwrites that replace some rows: those of partitions, or those that a condition selects.

OpenLineage's OVERWRITE says that all former rows are gone: a store would end the lineage of rows
that are still there. So such a write has no `lifecycleStateChange`, as one that adds rows.
"""

from __future__ import annotations

from airflow_colgraph.collector.model import SOME_ROWS, Dataset, Query
from airflow_colgraph.collector.spark.jvm import Java, seq, short_class_name, thrown
from airflow_colgraph.collector.spark.statistics import executed
from airflow_colgraph.collector.spark.table_versions import delta_log

MODE = "partitionOverwriteMode"
INSERT_INTO_FILES, SEVERAL = "InsertIntoHadoopFsRelationCommand", "UnionExec"
# Options of Delta, and of BigQuery's connector, that name the rows that a write replaces.
REPLACED_ROWS = ("replacewhere", "replaceon", "replaceusing", "datepartition")
DELTA = "DeltaDataSource"
BY_PARTITIONS = {DELTA, "BigQueryRelationProvider"}  # sources that know the mode


def lifecycle_of(is_partial: bool) -> str:
    """The state of a dataset that a command has overwritten."""
    return SOME_ROWS if is_partial else "OVERWRITE"


def is_of_source(source: str, options: dict[str, str], dataset: Dataset, session: Java) -> bool:
    """Whether a write to a source replaces some rows, by its options in lower case."""
    if any(options.get(name) for name in REPLACED_ROWS):
        return True
    if source not in BY_PARTITIONS:
        return False
    mode = options.get(MODE.lower()) or str(session.conf().get(f"spark.sql.sources.{MODE}"))
    return mode.lower() == "dynamic" and (source != DELTA or has_partitions(session, dataset))


def has_partitions(session: Java, dataset: Dataset) -> bool:
    """Whether a Delta table has partitions; also if it cannot be asked."""
    try:
        metadata = delta_log(session, dataset).unsafeVolatileSnapshot().metadata()
        return not metadata.partitionColumns().isEmpty()
    except thrown():
        return True


def is_of_table(command: Java, options: dict[str, str]) -> bool:
    """Whether a write to a table of DataSource V2 replaces some rows; options in lower case."""
    if any(options.get(name) for name in REPLACED_ROWS):
        return True
    if short_class_name(command) == "OverwritePartitionsDynamic":
        return len(command.table().table().partitioning()) > 0
    return str(command.deleteExpr().toString()) != "true"


def with_partitions_that_ran(query: Query, execution: Java) -> Query:
    """The query; its write of files replaces some partitions if a command did as it ran.

    The session's mode, which counts where the write has no option, may be another one by now.
    """
    write = query.write
    if write is None or write.lifecycle != "OVERWRITE" or query.root != INSERT_INTO_FILES:
        return query
    plan = executed(execution.executedPlan())
    plans = seq(plan.children()) if short_class_name(plan) == SEVERAL else [plan]
    commands = [each.cmd() for each in plans if short_class_name(each) == "DataWritingCommandExec"]
    files = [each for each in commands if short_class_name(each) == INSERT_INTO_FILES]
    if not any(command.dynamicPartitionOverwrite() for command in files):
        return query
    return query._replace(write=write._replace(lifecycle=SOME_ROWS))
