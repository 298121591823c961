"""The third lesson: mapped tasks, a job for each day that another task finds.

Each instance has a sink file and an OpenLineage run of its own, so their lineage never mixes,
however many run at a time. `@task.colgraph_submit` is for arguments that are known when the task
runs; `partial` and `expand` do the same with the operator.
"""

import os
from pathlib import Path

from airflow.sdk import DAG, Asset, AssetAlias, task

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

JOBS = Path(__file__).parent / "jobs"
HOME = Path(os.environ.get("LESSONS_HOME", Path.home() / "lessons"))
JOB = {"application": str(JOBS / "daily.py"), "conf": {"spark.ui.enabled": "false"}}

with DAG("mapped_tasks", schedule=None, tags=["colgraph", "lesson"], doc_md=__doc__):

    @task
    def days() -> list[str]:
        lines = (JOBS / "orders.csv").read_text().splitlines()[1:]
        return sorted({line.split(",")[1] for line in lines})

    # What these write becomes assets with their lineage as extra: an alias of our group asks so.
    @task.colgraph_submit(**JOB, outlets=[AssetAlias("daily", group="colgraph")])
    def daily(day: str) -> list[str]:
        return [str(JOBS / "orders.csv"), str(HOME / f"daily-{day}"), "--day", day]

    daily.expand(day=days())

    ColgraphSparkSubmitOperator.partial(
        task_id="whole",
        outlets=[Asset(f"file://{HOME}/whole-1", extra={"colgraph": True})],
        **JOB,
    ).expand(
        application_args=[[str(JOBS / "orders.csv"), str(HOME / f"whole-{n}")] for n in (1, 2)]
    )
