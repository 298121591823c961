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
        "Add lineage to the stock operators of Airflow's Spark provider without a change to any\n"
        "DAG: SparkSubmitOperator, SparkSqlOperator, SparkJDBCOperator, SparkPipelinesOperator,\n"
        "PySparkOperator and @task.pyspark, including mapped tasks and subclasses. It takes\n"
        "effect when a DAG is parsed, so set it for the DAG processor and for the workers.\n",
        "boolean",
        example="True",
        default="False",
    ),
    "sql_tasks": option(
        "Add column lineage to SQL tasks without a change to any DAG: SQLExecuteQueryOperator and\n"
        "the operators built from it, PythonOperator and @task functions that use database hooks\n"
        "(Airflow 3.2), including mapped tasks and subclasses. It takes effect when a DAG is\n"
        "parsed, so set it for the DAG processor and for the workers.\n",
        "boolean",
        example="True",
        default="False",
    ),
    "deadline_seconds": option(
        "The longest time that a process of Airflow's waits for lineage: a task before its job,\n"
        "for the schemas of its tables, and after it, for reading, forwarding and storing its\n"
        "lineage; StoreTransport for each event; and the page for the store. The clock of the\n"
        "task's execution_timeout stands still meanwhile. What the store does not take in time is\n"
        "kept in spool. Where Hadoop's shell reads the sink, it has at least 30 seconds.\n",
        "integer",
        example="30",
        default="5",
    ),
    "spool": option(
        "The folder that keeps the events that the store does not take, one a file; the log names\n"
        "each with the command that delivers it. It may also be a URL that fsspec opens, e.g.\n"
        "s3a://bucket/folder, with its package on the workers. Drivers keep there what their sink\n"
        "does not take, too, if the option is set; they open a URL by Hadoop. The default is the\n"
        "folder colgraph-spool in AIRFLOW_HOME.\n",
        example="/mnt/shared/colgraph-spool",
        default="",
    ),
    "sink": option(
        "Where Spark jobs write their lineage events: a folder that the Spark driver can write\n"
        "and the Airflow worker can read, or an http(s) URL that accepts OpenLineage events (the\n"
        "task's own event then has no lineage). Each task instance has its own file in the\n"
        "folder: <dag>/<run>/<task>/task-<id>.ndjson, or <map index>-<id>.ndjson if mapped;\n"
        "before Airflow 3 without the id of the try. The default is the folder colgraph in\n"
        "AIRFLOW_HOME. A job's spark.colgraph.sink takes precedence.\n",
        example="/mnt/shared/lineage",
        default="",
    ),
    "sink_key": {
        **option(
            "The key that signs a short-lived token for each job's driver, with which it may send\n"
            "the events of its own run, and nothing else, to an http(s) sink of `colgraph serve`.\n"
            "`colgraph db key add airflow --scope sign` makes one. A token that the DAG or the\n"
            "worker's environment gives takes precedence.\n",
            example=None,
            default="",
        ),
        "sensitive": True,
    },
    "sink_token_seconds": option(
        "How long such a token is valid, from the job's submission.\n",
        "integer",
        example="7200",
        default="86400",
    ),
    "keep_events": option(
        "Keep a task's file in the sink when its lineage is in the store. Otherwise the file of a\n"
        "successful task is removed. Without a store it is always kept.\n",
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
    "store": {
        **option(
            "The lineage store's database, as a SQLAlchemy URL. If it is set, each task writes\n"
            "its whole lineage there: even without an OpenLineage transport, and including what\n"
            "max_input_fields cuts from the task's event. The environment variable\n"
            "COLGRAPH_STORE takes precedence.\n",
            example="postgresql+psycopg://colgraph@db/lineage",
            default="",
        ),
        "sensitive": True,
    },
    "airflow_database": option(
        "Keep the lineage store's tables in Airflow's own database: `airflow db migrate` creates\n"
        "and upgrades them, `airflow db reset` drops them. SQLite and PostgreSQL.\n"
        "To use them, set `store` to the URL of that database.\n",
        "boolean",
        example="True",
        default="False",
    ),
    "audit_reads": option(
        "Tags, as patterns of KEY or KEY=VALUE with commas between them: who reads a column with\n"
        "one of them on the page in Airflow, or by its routes, is written to the store's audit\n"
        "log (colgraph audit).\n",
        example="pii, sensitivity=high",
        default=None,
    ),
    "max_input_fields": option(
        "The maximum number of input fields in the column lineage of one task event. Beyond it,\n"
        "output fields are left out whole, in the order of the outputs, and the run facet\n"
        "colgraph_diagnostics names the datasets that were cut and the location of the whole\n"
        "lineage.\n",
        "integer",
        example="50000",
        default="20000",
    ),
    "max_event_bytes": option(
        "The maximum size of the datasets in one task event, in bytes of JSON. Beyond it, parts\n"
        "are left out until it fits, starting with the last dataset: outputs' operations, their\n"
        "column lineage, schemas, other facets, datasets. The run facet colgraph_diagnostics\n"
        "names what was cut and the location of the whole lineage.\n",
        "integer",
        example="20000000",
        default="3000000",
    ),
    "scratch": option(
        "A regular expression for the names of intermediate datasets of a job, such as staging\n"
        "folders. A matching dataset that the job wrote and read again is left out of the task's\n"
        "event, and its outputs are connected to its inputs. The syntax is that of RE2, which has\n"
        "no lookaround and no backreferences.\n",
        example="/tmp/|_stage$",
        default="",
    ),
    "forward_events": option(
        "Also send the Spark job's own events, one for each query, to the OpenLineage transport.\n"
        "They are runs of a job <dag>.<task>.spark whose parent is the task.\n",
        "boolean",
        example="True",
        default="False",
    ),
    "properties": {
        **option(
            "Spark properties for the collector of every job, as a JSON object. The configuration\n"
            "of the job takes precedence.\n",
            example='{"spark.colgraph.lineageFacet": "true"}',
            default="",
        ),
        "sensitive": True,  # spark.colgraph.sinkToken may be among them
    },
}

OPERATORS = (
    "spark_submit",
    "spark_sql",
    "spark_jdbc",
    "spark_pipelines",
    "spark_pyspark",
    "livy",
    "sql",
    "export",
    "policy",
)


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
