"""Every module that registers rules, in one list: importing this one loads them all."""

from airflow_colgraph.collector.lineage.rules import complex_types as complex_types
from airflow_colgraph.collector.lineage.rules import ctes as ctes
from airflow_colgraph.collector.lineage.rules import expressions as expressions
from airflow_colgraph.collector.lineage.rules import generators as generators
from airflow_colgraph.collector.lineage.rules import joins as joins
from airflow_colgraph.collector.lineage.rules import relational as relational
from airflow_colgraph.collector.lineage.rules import row_level as row_level
from airflow_colgraph.collector.lineage.rules import udfs as udfs
from airflow_colgraph.collector.lineage.rules import variables as variables
from airflow_colgraph.collector.python_functions import rules as rules
from airflow_colgraph.collector.spark import connectors as connectors
from airflow_colgraph.collector.spark import ddl as ddl
from airflow_colgraph.collector.spark import rdds as rdds
from airflow_colgraph.collector.spark import reads as reads
from airflow_colgraph.collector.spark import row_level as commands  # noqa: F401
from airflow_colgraph.collector.spark import schema_changes as schema_changes
from airflow_colgraph.collector.spark import streaming as streaming
from airflow_colgraph.collector.spark import writes as writes
