"""Light tasks whose lineage goes to a store: each writes one row, and every tenth fails."""

import os

from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.sdk import DAG

from airflow_colgraph.operators.sql import ColgraphSQLExecuteQueryOperator

SHOP = "shop"
STATEMENTS = [
    f"INSERT INTO mart SELECT {number}, sum(amount) FROM {'orders' if number % 10 else 'nothing'}"
    for number in range(1, 1 + int(os.environ["TASKS"]))
]
Operator = ColgraphSQLExecuteQueryOperator if os.environ["WITH_US"] else SQLExecuteQueryOperator

with DAG("many_tasks", schedule=None):
    Operator.partial(task_id="load", conn_id=SHOP).expand(sql=STATEMENTS)
