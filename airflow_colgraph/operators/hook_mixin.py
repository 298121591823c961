"""Lineage for operators of Airflow's Spark provider whose hook runs a command line."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from airflow_colgraph import conf
from airflow_colgraph.operators.collector_archive import CollectorFiles, collector_files
from airflow_colgraph.operators.lineage_mixin import TaskLineage


class HookLineage(TaskLineage):
    """For operators that make a hook of their arguments: the collector is added to the hook."""

    _hook: Any

    def execute(self, context: Any, **sentinel: Any) -> Any:
        """Run the job as the stock operator does, and collect its lineage."""
        if self.colgraph_sink is not None:  # executed before: the hook has that try's arguments
            self._hook = None
        return super().execute(context, **sentinel)

    def _get_hook(self) -> Any:
        """The stock hook; while the operator executes, with the collector added to it."""
        hook = super()._get_hook()  # type: ignore[misc]
        if self._colgraph_context is not None:
            with self._guarded("adding the collector"):
                self._add_collector(
                    hook, self._colgraph_context, collector_files(conf.collector_path())
                )
        return hook

    @abstractmethod
    def _add_collector(self, hook: Any, context: Any, at: CollectorFiles) -> None:
        """Change the hook's arguments, all of them or none, and remember the sink."""
