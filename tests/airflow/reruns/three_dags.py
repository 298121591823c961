"""The DAGs of tests/check/twenty_tasks.py, for test_rerun.py. CASES_HOME is where they write."""

import os
from pathlib import Path

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG

from airflow_colgraph.operators.rerun import ColgraphRerunOperator
from airflow_colgraph.operators.sql import ColgraphSQLExecuteQueryOperator
from tests.check.twenty_tasks import DAGS, Step, write_file

HOME = Path(os.environ["CASES_HOME"])


def operator(dag: str, task: str, step: Step):
    if step.table:
        return ColgraphSQLExecuteQueryOperator(
            task_id=task, conn_id="shop", sql=step.statements, autocommit=True
        )
    return PythonOperator(task_id=task, python_callable=write_file, op_args=[HOME, dag, task])


def dag(name: str, steps: dict[str, Step]) -> DAG:
    with DAG(name, schedule=None) as made:
        tasks = {task: operator(name, task, step) for task, step in steps.items()}
        for task, step in steps.items():
            for before in step.before.split():
                tasks[before] >> tasks[task]
    return made


ingest, mart, report = (dag(*entry) for entry in DAGS.items())

with DAG("again", schedule=None, params={"changed": "csv.day"}):
    ColgraphRerunOperator(task_id="rerun", changed=["{{ params.changed }}"], conn_id="airflow_api")
