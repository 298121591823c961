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
    "sink": option(
        "Where Spark jobs write their lineage events: a folder that the Spark driver can write\n"
        "and the Airflow worker can read, or an http(s) address that takes OpenLineage events\n"
        "(the task's own event then stays without lineage). Each task instance gets its own file\n"
        "beneath the folder: <dag>/<run>/<task>/task.ndjson, or <map index>.ndjson if mapped.\n"
        "The default is the folder colgraph in AIRFLOW_HOME. A job's spark.colgraph.sink wins.\n",
        example="/mnt/shared/lineage",
        default="",
    ),
    "store": option(
        "The lineage store's database, as a SQLAlchemy URL. When it is set, each task writes its\n"
        "whole lineage there itself: also without an OpenLineage transport, and also what\n"
        "max_input_fields cuts from the task's event. COLGRAPH_STORE in the environment wins.\n",
        example="postgresql+psycopg://colgraph@db/lineage",
        default="",
    ),
    "max_input_fields": option(
        "The most input fields that the column lineage of one task event may name. Above it\n"
        "output fields are left out whole, in the order of the outputs, and the run facet\n"
        "colgraph_diagnostics says which datasets were cut and where the whole lineage is.\n",
        "integer",
        example="50000",
        default="20000",
    ),
    "properties": option(
        "Spark properties for every job's collector, as a JSON object. A job's own conf wins.\n",
        example='{"spark.colgraph.lineageFacet": "true"}',
        default="",
    ),
}


def get_provider_info() -> dict[str, Any]:
    """The provider metadata that Airflow reads at start-up."""
    return {
        "package-name": "airflow-colgraph",
        "name": "Column lineage (colgraph)",
        "description": "Column-level lineage of Spark jobs, on Airflow's own OpenLineage events.",
        "cli": ["airflow_colgraph.airflow_cli.get_cli_commands"],
        "config": {
            "colgraph": {
                "description": "Column lineage of Spark jobs: where it goes and how much of it.",
                "options": OPTIONS,
            }
        },
    }
