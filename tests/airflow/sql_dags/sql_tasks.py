"""SQL tasks of every form against the PostgreSQL of AIRFLOW_CONN_SHOP; some must not have lineage.

The stock operators have it by the policy (`[colgraph] sql_tasks`), `merged` by one import.
"""

import time
from unittest.mock import patch

from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.openlineage.api import emit_query_lineage
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.sdk import DAG, BaseHook, task

from airflow_colgraph.operators.sql import ColgraphSQLExecuteQueryOperator


class Slow(SQLExecuteQueryOperator):
    """The first connection of its hooks takes longer than lineage may."""

    def get_db_hook(self):
        hook = super().get_db_hook()
        connect, waited = hook.get_conn, self.__dict__.setdefault("waited", [])

        def get_conn():
            if not waited:
                waited.append(True)
                time.sleep(30)
            return connect()

        return_value = patch.object(hook, "get_conn", get_conn)
        return_value.start()
        return hook


class Broken(SQLExecuteQueryOperator):
    """Its hook can be had by the task only, and not by whoever asks before."""

    asked = 0

    def get_db_hook(self):
        self.asked += 1
        if self.asked == 1:
            raise RuntimeError("not yet")
        return super().get_db_hook()


@task
def by_hook():
    """A Python task whose hook runs two statements."""
    hook = PostgresHook("shop")
    hook.run("CREATE TABLE days AS SELECT day, sum(amount) AS total FROM orders GROUP BY day")
    hook.run("INSERT INTO kept (name) SELECT name FROM customers")


@task
def emitted():
    """A Python task that states what it had a client of its own run."""
    connection = BaseHook.get_connection("shop")
    emit_query_lineage(
        query_source_namespace=f"postgres://{connection.host}:{connection.port}",
        query_text="INSERT INTO kept (name) SELECT upper(c.name) FROM customers c WHERE c.cid > 1",
        default_database="postgres",
        default_schema="public",
    )


with DAG("sql_tasks", schedule=None, default_args={"conn_id": "shop"}):
    two = SQLExecuteQueryOperator(
        task_id="two",
        sql=[
            "INSERT INTO mart (id, name) SELECT oid, name FROM orders JOIN customers USING (cid) "
            "WHERE state = 's3cret'",
            "INSERT INTO kept SELECT name, state FROM customers, orders WHERE customers.cid = oid",
        ],
        split_statements=False,
    )
    temporary = SQLExecuteQueryOperator(
        task_id="temporary",
        sql="""
        CREATE TEMP TABLE t AS
        SELECT oid, upper(state) AS s FROM orders WHERE amount > {{ 40 + 2 }};
        CREATE TABLE made AS SELECT s, md5(oid::text) AS m FROM t;
        """,
    )
    merged = ColgraphSQLExecuteQueryOperator(
        task_id="merged",
        sql="MERGE INTO mart USING orders ON id = oid WHEN MATCHED THEN UPDATE SET total = amount "
        "WHEN NOT MATCHED THEN INSERT (id) VALUES (oid)",
    )
    copied = SQLExecuteQueryOperator(
        task_id="copied", sql="COPY (SELECT id, name AS who FROM mart) TO '/dev/null'"
    )
    called = SQLExecuteQueryOperator(task_id="called", sql="CALL refresh('s3cret')")
    slow = Slow(task_id="slow", sql="INSERT INTO kept (name) SELECT customers.name FROM customers")
    broken = Broken(task_id="broken", sql="INSERT INTO kept (name) SELECT name FROM customers")
    failing = SQLExecuteQueryOperator(
        task_id="failing",
        sql=["INSERT INTO kept (name) SELECT name FROM customers", "SELECT nothing FROM nowhere"],
    )
    [two, temporary, merged] >> copied >> [called, slow, broken, by_hook(), emitted(), failing]
