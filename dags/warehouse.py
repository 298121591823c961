"""The lineage of all jobs as tables, by Spark, every night; with the lineage of these tables.

Reads the event logs that are new, then counts what depends on each dataset. The tables are in
WAREHOUSE_HOME/lineage, the event logs in WAREHOUSE_EVENTS: where `[colgraph] sink` or Airflow's
file transport writes (default: the folder colgraph in AIRFLOW_HOME). See docs/warehouse.md.
"""

import os
from pathlib import Path

from airflow.sdk import DAG

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

AIRFLOW_HOME = Path(os.environ.get("AIRFLOW_HOME", "~/airflow")).expanduser()
HOME = os.environ.get("WAREHOUSE_HOME", str(AIRFLOW_HOME / "warehouse"))
EVENTS = os.environ.get("WAREHOUSE_EVENTS", str(AIRFLOW_HOME / "colgraph"))
# Each build writes a folder of its own: without its name they are one dataset over all builds.
CONF = {
    "spark.colgraph.removePathPattern": r"(?<remove>/(versions|closures|impact)/[^/]+)",
    "spark.ui.enabled": "false",
}


def command(task_id: str, *arguments: str) -> ColgraphSparkSubmitOperator:
    """A command of `colgraph warehouse`."""
    return ColgraphSparkSubmitOperator(
        task_id=task_id,
        application=str(Path(__file__).parent / "jobs" / "warehouse.py"),
        application_args=[task_id, *arguments],
        conf=CONF,
        name=f"warehouse {task_id}",
    )


with DAG("warehouse", schedule=None, catchup=False, tags=["colgraph", "lesson"], doc_md=__doc__):
    build = command("build", "--events", EVENTS, "--to", f"{HOME}/lineage")
    impact = command("impact", "--warehouse", f"{HOME}/lineage", "--indirect")
    build >> impact
