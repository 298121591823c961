"""Python tasks whose lineage is that of their hooks' statements, stated by their author, or both.

CASES_HOME is where they write. AIRFLOW_CONN_SHOP is a SQLite database.
"""

import os

from airflow.providers.sqlite.hooks.sqlite import SqliteHook
from airflow.sdk import DAG, task

from airflow_colgraph.operators.stated_lineage import StatedLineage

HOME = os.environ["CASES_HOME"]
EXPORT = StatedLineage(
    """
    daily.csv
      day   <- daily.day    DIRECT:IDENTITY
      total <- daily.total  DIRECT:TRANSFORMATION masking
      made  <-
      *     <- daily.total  INDIRECT:FILTER
    """,
    {"daily.csv": ("file", f"{HOME}/daily.csv"), "daily": (f"sqlite:{HOME}/shop.db", "daily")},
)


@task
def load():
    """By a hook only."""
    hook = SqliteHook("shop")
    hook.run("DROP TABLE IF EXISTS daily")
    hook.run("CREATE TABLE daily AS SELECT day, sum(amount) AS total FROM orders GROUP BY day")


@task
def export():
    """By hand only."""
    EXPORT.report()


@task
def both():
    """A statement, and what came from its rows outside of the database."""
    SqliteHook("shop").get_records("SELECT day, total FROM daily")
    SqliteHook("shop").run("INSERT INTO kept SELECT day FROM daily")
    EXPORT.report()


@task(trigger_rule="all_done")
def failed():
    """Nothing that it states is true."""
    EXPORT.report()
    raise ValueError("no such partner")


@task
def many():
    """More statements than Airflow collects of a task: 8, by the test's configuration."""
    for number in range(9):
        SqliteHook("shop").run(f"INSERT INTO kept SELECT day FROM orders WHERE amount > {number}")


@task.branch
def branch():
    """A decorator of Airflow's whose operator is a subclass of PythonOperator."""
    EXPORT.report()
    return "failed"


with DAG("python_tasks", schedule=None):
    load() >> export() >> both() >> many() >> branch() >> failed()
