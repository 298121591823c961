"""SQL tasks with column lineage on the task's events.

It has the arguments of the common SQL provider's `SQLExecuteQueryOperator`. The statements are read
as rendered, with the schemas that the task's own connection has for their tables. If that is slow
or fails, the task runs as the stock operator does, and one line in its log gives the reason.
"""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import Any

from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

from airflow_colgraph import conf
from airflow_colgraph.operators.deadline import TooSlow
from airflow_colgraph.operators.hook_statements import collected
from airflow_colgraph.operators.lineage_mixin import TaskLineage
from airflow_colgraph.operators.sql_reading import Known, connected, known, lineage_of, named


class SqlLineage(TaskLineage):
    """For SQLExecuteQueryOperator and your subclasses of it."""

    sql: Any
    colgraph_preparing = "reading the schemas"
    _colgraph_known: Known | None = None
    _colgraph_seconds: float = 0.0

    def colgraph_prepare(self, context: Any) -> None:
        """Read the schemas of the tables, which the statements may change."""
        self._colgraph_known = None
        started = monotonic()
        hook = self.get_db_hook()  # type: ignore[attr-defined]
        connection, budget = connected(hook), self._colgraph_budget
        try:
            self._colgraph_known = budget.run(
                partial(known, hook, connection, self.sql, conf.store(), budget.left)
            )
        except TooSlow as error:
            self.log.warning("colgraph: the schemas are unknown: %s", error)
            self._colgraph_known = Known(named(connection), {})
        self._colgraph_seconds = monotonic() - started

    def colgraph_resume(self, context: Any) -> None:
        """Go on after a deferral, in another process."""
        self.colgraph_prepare(context)

    def _collect(self, context: Any, event_type: str) -> None:
        tables = self._colgraph_known
        if tables is None or (event_type == "FAIL" and not getattr(self, "autocommit", False)):
            return  # nothing is known, or all was rolled back
        started = monotonic()
        texts = self.sql
        if event_type == "FAIL":  # what was committed before
            hook = self.get_db_hook()  # type: ignore[attr-defined]
            texts = [statement.text for statement in collected() if statement.hook is hook]
        lineage = self._colgraph_budget.run(partial(lineage_of, texts, tables))
        seconds = round(self._colgraph_seconds + monotonic() - started, 3)
        for facet in lineage.run_facets.values():
            facet["seconds"] = seconds
        self._set_lineage(context, lineage)
        inputs, outputs = len(lineage.inputs), len(lineage.outputs)
        self.log.info("colgraph: %d inputs and %d outputs", inputs, outputs)
        self._publish(context, [], event_type)


class ColgraphSQLExecuteQueryOperator(SqlLineage, SQLExecuteQueryOperator):  # type: ignore[misc]
    """The common SQL provider's SQLExecuteQueryOperator, with column lineage.

    Args: those of `airflow.providers.common.sql.operators.sql.SQLExecuteQueryOperator`. Raises
    what it raises.
    """
