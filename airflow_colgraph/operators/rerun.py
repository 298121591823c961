"""An operator that runs the tasks again that depend on changed columns, and only those."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow_colgraph import conf
from airflow_colgraph.check.clear import Airflow, log_in
from airflow_colgraph.check.clear import rerun as run_again
from airflow_colgraph.check.rerun import Plan, Step
from airflow_colgraph.check.rerun_text import lines, rows, warnings
from airflow_colgraph.check.task_runs import plan_of
from airflow_colgraph.operators.urls import HidesPasswords, base_url
from airflow_colgraph.store.store import Store
from airflow_colgraph.version_compat import BaseHook, BaseOperator


class ColgraphRerunOperator(HidesPasswords, BaseOperator):  # type: ignore[misc]
    """Clear the tasks, over all DAGs, whose outputs depend on changed columns, and wait for them.

    Args:
        changed: The columns as DATASET.FIELD, for example `/lake/orders.amount`.
        conn_id: An Airflow connection with the host and port of Airflow's API, and the login and
            password of a user who may clear the tasks; without a login the password is a token.
            None: only plan.
        namespace: The datasets' namespace, where several have a dataset of that name.
        since: Every run since this time that used the changed values, e.g. `now-2d`. Default: the
            latest DAG run of each task.
        interval: Only DAG runs whose data interval overlaps `START/END`, e.g.
            `{{ data_interval_start }}/{{ data_interval_end }}`.
        store: The store's URL. Default: `[colgraph] store`.

    Returns:
        The plan, a row for each task, as the task's XCom: `step`, `dag_id`, `run_id`, `task_id`
        and `reason`.

    Raises:
        ValueError: When the DAG is parsed, if `changed` is empty.
        NoStore: There is no store at the URL.
        UnknownNode: A column is not in the store.
        QuestionError: A time cannot be read.
        RerunError: A DAG run has failed, or nothing was cleared as the plan cannot be carried out.
            This is also the case if a task of the operator's own DAG run is in the plan.
    """

    template_fields: Sequence[str] = ("changed", "namespace", "since", "interval", "store")

    def __init__(
        self,
        *,
        changed: Sequence[str],
        conn_id: str | None = None,
        namespace: str = "",
        since: str | None = None,
        interval: str | None = None,
        store: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Check the arguments, so that a wrong one fails the DAG's import."""
        super().__init__(**kwargs)
        self.changed = changed
        self.conn_id = conn_id
        self.namespace = namespace
        self.since = since
        self.interval = interval
        self.store = store
        if not changed or isinstance(changed, str):
            raise ValueError("Give `changed` as a list of DATASET.FIELD.")

    def execute(self, context: Any) -> list[dict[str, Any]]:
        """Plan, log the plan, carry it out, and return it."""
        plan = self._plan()
        for line in lines(plan):
            self.log.info("%s", line)
        for line in warnings(plan):
            self.log.warning("%s", line)
        if self.conn_id and plan.steps:
            run_again(plan, self._airflow(self.conn_id), self._tell)
        return rows(plan)

    def _plan(self) -> Plan:
        times = self.since or None, self.interval or None
        opened = Store.open(self.store or conf.store(), create=False)
        with opened as store, store.connection() as connection:
            return plan_of(connection, self.changed, self.namespace, *times)

    def _airflow(self, conn_id: str) -> Airflow:
        connection = BaseHook.get_connection(conn_id)
        url, password = base_url(connection), connection.password or ""
        if connection.login:
            return Airflow(url, log_in(url, connection.login, password))
        return Airflow(url, password)

    def _tell(self, number: int, step: Step) -> None:
        self.log.info("step %d: %s %s is cleared", number, step.dag_id, step.run_id)
