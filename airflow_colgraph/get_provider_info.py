"""What Airflow shows of us: `airflow providers list`, `airflow config list --section colgraph`."""

from __future__ import annotations

from typing import Any


def option(
    description: str, kind: str = "string", *, example: str | None, default: str | None
) -> dict[str, Any]:
    """An entry of Airflow's configuration reference."""
    return {
        "description": description,
        "version_added": "0.1.0",
        "type": kind,
        "example": example,
        "default": default,
    }


OPTIONS = {
    "disabled": option(
        "Run every Spark job exactly as the stock operator does, without lineage.\n",
        "boolean",
        example="True",
        default="False",
    ),
    "wrap_spark_submit": option(
        "Give the stock operators of Airflow's Spark provider lineage, in every DAG and without a\n"
        "change to one: SparkSubmitOperator, SparkSqlOperator, PySparkOperator and @task.pyspark,\n"
        "mapped tasks and subclasses of these included. It takes effect when a DAG is\n"
        "parsed, so set it for the DAG processor and the workers alike.\n",
        "boolean",
        example="True",
        default="False",
    ),
    "sink": option(
        "Where Spark jobs write their lineage events: a folder that the Spark driver can write\n"
        "and the Airflow worker can read, or an http(s) address that takes OpenLineage events\n"
        "(the task's own event then stays without lineage). Each task instance gets its own file\n"
        "beneath the folder: <dag>/<run>/<task>/task.ndjson, or <map index>.ndjson if mapped.\n"
        "The default is the folder colgraph in AIRFLOW_HOME. A job's spark.colgraph.sink wins.\n",
        example="/mnt/shared/lineage",
        default="",
    ),
    "keep_events": option(
        "Keep a task's file beneath the sink when its lineage is in the store. Otherwise the file\n"
        "of a task that ended well is removed then. Without a store it always stays.\n",
        "boolean",
        example="True",
        default="False",
    ),
    "collector_path": option(
        "The folder or URI that holds the files of `colgraph collector`, where Spark drivers can\n"
        "read it. Livy, EMR, Dataproc, Databricks and Kubernetes in cluster mode need it; where\n"
        "spark-submit ships local files itself, leave it empty.\n",
        example="s3://bucket/colgraph",
        default="",
    ),
    "store": option(
        "The lineage store's database, as a SQLAlchemy URL. When it is set, each task writes its\n"
        "whole lineage there itself: also without an OpenLineage transport, and also what\n"
        "max_input_fields cuts from the task's event. COLGRAPH_STORE in the environment wins.\n",
        example="postgresql+psycopg://colgraph@db/lineage",
        default="",
    ),
    "airflow_database": option(
        "Keep the lineage store's tables in Airflow's own database: `airflow db migrate` makes\n"
        "and upgrades them, `airflow db reset` drops them. SQLite and PostgreSQL.\n"
        "To use them let `store` be that database's URL.\n",
        "boolean",
        example="True",
        default="False",
    ),
    "max_input_fields": option(
        "The most input fields that the column lineage of one task event may name. Above it\n"
        "output fields are left out whole, in the order of the outputs, and the run facet\n"
        "colgraph_diagnostics says which datasets were cut and where the whole lineage is.\n",
        "integer",
        example="50000",
        default="20000",
    ),
    "max_event_bytes": option(
        "The most bytes of datasets in one task event, as JSON. Above it parts are left out until\n"
        "it fits, of the last dataset first: outputs' operations, then their columns' lineage,\n"
        "then schemas, then other facets, then datasets; colgraph_diagnostics says what was cut\n"
        "and where the whole lineage is.\n",
        "integer",
        example="20000000",
        default="3000000",
    ),
    "scratch": option(
        "A regular expression for the names of datasets that only pass data on within one job,\n"
        "such as staging folders. A dataset that the job wrote and read again, and that matches,\n"
        "is left out of the task's event; its readers get its inputs instead.\n",
        example="/tmp/|_stage$",
        default="",
    ),
    "forward_events": option(
        "Send the Spark job's own events, one for each query, to OpenLineage's transport too.\n"
        "They are runs of a job <dag>.<task>.spark whose parent is the task.\n",
        "boolean",
        example="True",
        default="False",
    ),
    "properties": option(
        "Spark properties for every job's collector, as a JSON object. A job's own conf wins.\n",
        example='{"spark.colgraph.lineageFacet": "true"}',
        default="",
    ),
}

OPERATORS = ("spark_submit", "spark_sql", "spark_pyspark", "livy", "export")


def get_provider_info() -> dict[str, Any]:
    """The provider metadata that Airflow reads at start-up."""
    return {
        "package-name": "airflow-colgraph",
        "name": "Column lineage (colgraph)",
        "description": "Column-level lineage of Spark jobs, on Airflow's own OpenLineage events.",
        "integrations": [
            {"integration-name": "Column lineage", "tags": ["software"]},
        ],
        "operators": [
            {
                "integration-name": "Column lineage",
                "python-modules": [f"airflow_colgraph.operators.{name}" for name in OPERATORS],
            }
        ],
        "task-decorators": [
            {"name": name, "class-name": f"airflow_colgraph.operators.decorators.{name}"}
            for name in ("colgraph_submit", "colgraph_pyspark")
        ],
        "extra-links": ["airflow_colgraph.operators.links.LineageLink"],
        "db-managers": ["airflow_colgraph.db_manager.ColgraphDBManager"],
        "cli": ["airflow_colgraph.airflow_cli.get_cli_commands"],
        "config": {
            "colgraph": {
                "description": "Column lineage of Spark jobs: where it goes and how much of it.",
                "options": OPTIONS,
            }
        },
    }
