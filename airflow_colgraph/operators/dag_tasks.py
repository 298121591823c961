"""What the tasks of a DAG would submit or execute, without running them.

    for task in tasks_of("flights", None, datetime(2026, 1, 31, tzinfo=timezone.utc)):
        print(task.name, task.work)

The DAG file is parsed as Airflow's DAG processor parses it, templates are rendered for one logical
date, and connections are looked up; no task instance is made, so values of other tasks (XComs) are
not there.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

from airflow_colgraph.operators.sql_reading import connected, named
from airflow_colgraph.operators.submit_arguments import NotPossible
from airflow_colgraph.sql.facets import Naming
from airflow_colgraph.version_compat import conf, dag_bag, variable

NOTHING_TO_PLAN = {"EmptyOperator", "_BranchPythonDecoratedOperator", "BranchPythonOperator"}


class Submit(NamedTuple):
    """The arguments of spark-submit, the application and its own among them."""

    arguments: list[str]


class Statements(NamedTuple):
    """What a SQL task executes, and how its connection's tables are called."""

    sql: Any
    naming: Naming


class NotPlanned(NamedTuple):
    """Why a task's work is not known before it runs."""

    reason: str


Work = Submit | Statements | NotPlanned


class DagTask(NamedTuple):
    """A task of a DAG: the OpenLineage name of its job, and what it does."""

    namespace: str
    name: str  # flights.typed.type_flights
    work: Work


class NoSuchDag(Exception):
    """There is no such DAG; the message names those that there are, or why files do not parse."""


def tasks_of(dag_id: str, folder: Path | None, at: datetime) -> list[DagTask]:
    """The tasks of a DAG in the order in which they depend on each other.

    Tasks that move no data by their class, such as EmptyOperator, are left out. `at` is the
    logical date and both ends of the data interval.
    """
    bag = dag_bag(folder)
    dag = bag.dags.get(dag_id)
    if dag is None:
        raise NoSuchDag(_missing(dag_id, bag))
    namespace = conf.get("openlineage", "namespace", fallback="") or "default"
    return [
        DagTask(namespace, f"{dag_id}.{task.task_id}", work_of(task, context(dag, task, at)))
        for task in dag.topological_sort()
        if type(task).__name__ not in NOTHING_TO_PLAN
    ]


def _missing(dag_id: str, bag: Any) -> str:
    where = bag.dag_folder
    if bag.import_errors:
        file, text = next(iter(bag.import_errors.items()))
        last = str(text).strip().splitlines()[-1]
        return f"there is no DAG {dag_id!r} in {where}; {file} cannot be imported: {last}"
    names = ", ".join(sorted(bag.dags)) or "none"
    return f"there is no DAG {dag_id!r} in {where}. Its DAGs are: {names}."


def work_of(task: Any, values: dict[str, Any]) -> Work:
    """What a task does, its templates rendered with these values."""
    kind = type(task).__name__
    if kind == "MappedOperator" or getattr(task, "is_mapped", False):
        return NotPlanned("it is mapped over values that are known when it runs")
    if not isinstance(task, SparkSubmitOperator | SQLExecuteQueryOperator):
        return NotPlanned(f"{kind} is neither a spark-submit nor a SQL task")
    try:
        task.render_template_fields(values)
    except Exception as error:  # noqa: BLE001 -- each template and argument has its own
        return NotPlanned(f"its templates cannot be rendered: {_one_line(error)}")
    try:
        if isinstance(task, SQLExecuteQueryOperator):
            return Statements(task.sql, named(connected(task.get_db_hook())))
        command = task._get_hook()._build_spark_submit_command(task.application)
    except NotPossible as error:
        return NotPlanned(str(error))
    except Exception as error:  # noqa: BLE001 -- connections, and providers that are not there
        return NotPlanned(f"its connection cannot be read: {_one_line(error)}")
    return Submit([str(word) for word in command[1:]])


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def context(dag: Any, task: Any, at: datetime) -> dict[str, Any]:
    """What templates may name of a run at a logical date; not its task instance."""
    day, moment = at.strftime("%Y-%m-%d"), at.isoformat()
    return {
        "dag": dag,
        "task": task,
        "run_id": f"plan__{moment}",
        "params": {**dag.params, **task.params},
        "macros": Macros(),
        "var": {"value": Variables(is_json=False), "json": Variables(is_json=True)},
        "logical_date": at,
        "data_interval_start": at,
        "data_interval_end": at,
        "ds": day,
        "ds_nodash": day.replace("-", ""),
        "ts": moment,
        "ts_nodash": at.strftime("%Y%m%dT%H%M%S"),
        "ts_nodash_with_tz": moment.replace("-", "").replace(":", ""),
    }


class Variables:
    """Airflow's variables as templates name them: `var.value.bucket`."""

    def __init__(self, *, is_json: bool) -> None:
        """Variables, as texts or as what their JSON says."""
        self._is_json = is_json

    def __getattr__(self, name: str) -> Any:
        """The value of a variable."""
        return variable(name, is_json=self._is_json)


class Macros:
    """The macros that Airflow has without plugins."""

    datetime = datetime
    timedelta = timedelta

    @staticmethod
    def ds_add(day: str, days: int) -> str:
        """A day that is some days later."""
        later = datetime.strptime(day, "%Y-%m-%d") + timedelta(days=days)
        return later.strftime("%Y-%m-%d")

    @staticmethod
    def ds_format(day: str, old: str, new: str) -> str:
        """A day in another form."""
        return datetime.strptime(day, old).strftime(new)
