"""Column lineage of Python tasks: of the SQL that their hooks ran, and what they state themselves.

Airflow's hooks report each statement to the hook lineage collector (3.2). With `[colgraph]
sql_tasks` Python tasks, and `@task` functions, have those statements' lineage on their own event,
and that of stated_lineage.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from airflow_colgraph import conf
from airflow_colgraph.extractors.task_lineage import DIAGNOSTICS, Lineage
from airflow_colgraph.operators.hook_statements import collected, is_full
from airflow_colgraph.operators.lineage_mixin import TaskLineage
from airflow_colgraph.operators.sql_connections import Connected
from airflow_colgraph.operators.sql_reading import connected, known, lineage_of, merged
from airflow_colgraph.sql.facets import diagnosed

STOCK = "PythonOperator"
LEFT_OUT = (
    "statements of hooks are left out: Airflow collects no more of them in a task "
    "([lineage] max_extras_per_collector)"
)


def _resolved(hook: Any, statements: list[str], connection: Connected, seconds: float) -> Lineage:
    return lineage_of(statements, known(hook, connection, statements, conf.store(), seconds))


class HookSqlLineage(TaskLineage):
    """For operators whose code uses database hooks, or states its lineage."""

    colgraph_stated: tuple[Lineage, ...] = ()  # by StatedLineage.report, in this try

    @property
    def task_type(self) -> str:
        """Another name than the class has: to `PythonOperator` Airflow's own extractor is bound."""
        name = type(self).__name__
        return f"Colgraph{name}" if name == STOCK else name

    @property
    def operator_name(self) -> str:
        """What Airflow's pages show: the name of the stock operator."""
        return str(getattr(self, "custom_operator_name", None) or type(self).__name__)

    def colgraph_prepare(self, context: Any) -> None:
        """Drop what an earlier try has stated."""
        self.colgraph_stated = ()

    def colgraph_resume(self, context: Any) -> None:
        """Nothing is to be found again: what ran before the deferral is not known."""

    def _collect(self, context: Any, event_type: str) -> None:
        lineages = list(self.colgraph_stated)
        if event_type != "COMPLETE":
            return
        texts: dict[int, tuple[Any, list[str]]] = {}
        for hook, text in collected():
            texts.setdefault(id(hook), (hook, []))[1].append(text)
        if not texts and not lineages:
            return
        budget = self._colgraph_budget
        for hook, statements in texts.values():
            with self._guarded("reading a hook's statements"):
                resolve = partial(_resolved, hook, statements, connected(hook), budget.left)
                lineages.append(budget.run(resolve))
        if is_full():
            self.log.warning("colgraph: %s", LEFT_OUT)
            lineages.append(Lineage([], [], {DIAGNOSTICS: diagnosed(truncated=LEFT_OUT)}))
        lineage = merged(lineages)
        self._set_lineage(context, lineage)
        inputs, outputs = len(lineage.inputs), len(lineage.outputs)
        self.log.info("colgraph: %d inputs and %d outputs of hooks and statements", inputs, outputs)
        if lineage.inputs or lineage.outputs:
            self._publish(context, [], event_type)
