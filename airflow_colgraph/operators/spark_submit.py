"""A SparkSubmitOperator whose task events say which columns each output column is made of.

    from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

It takes what the provider's operator takes and does what that does. Around it, `execute` adds the
collector to this one submit and reads back what the job reported. If that is not possible the job
runs as it would have, and one line in the task's log says why it has no lineage.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from airflow_colgraph import conf
from airflow_colgraph.collector import sink as sinks
from airflow_colgraph.extractors.event import task_event
from airflow_colgraph.extractors.lineage import Lineage, merge, of_this_try, run_ids
from airflow_colgraph.extractors.spark import operator_lineage
from airflow_colgraph.operators.arguments import Arguments, NotPossible, with_collector
from airflow_colgraph.operators.bundle import bundle, launcher
from airflow_colgraph.operators.inject import SINK, inject, is_http, parent_run_id
from airflow_colgraph.version_compat import identity


class ColgraphSparkSubmitOperator(SparkSubmitOperator):  # type: ignore[misc]
    """The provider's SparkSubmitOperator, with column lineage."""

    application: str
    # What a try found out, for the extractor. On the class, because the policy that turns a stock
    # operator into this one runs no __init__.
    colgraph_lineage: Lineage | None = None
    colgraph_sink: str | None = None
    _colgraph_context: Any = None
    _colgraph_seen: frozenset[str] = frozenset()
    _colgraph_parent: str | None = None
    _colgraph_submitted: bool = True

    def execute(self, context: Any) -> Any:
        """Run the Spark job as the stock operator does, and collect its lineage."""
        if self.colgraph_sink is not None:  # executed before: the hook has that try's arguments
            self._hook = None
        self.colgraph_lineage = self.colgraph_sink = None
        self._colgraph_submitted = True
        application, failed = self.application, True
        with self._unharmed("reading [colgraph] options"):
            self._colgraph_context = None if conf.disabled() else context
        try:
            result = super().execute(context)
            failed = False
            return result
        finally:
            self.application = application
            self._colgraph_context = None
            with self._unharmed("reading the lineage"):
                self._collect(context, "FAIL" if failed else "COMPLETE")

    def _get_hook(self) -> Any:
        """The stock hook; while the operator executes, with the collector added to it."""
        hook = super()._get_hook()
        if self._colgraph_context is not None:
            with self._unharmed("adding the collector"):
                self._add_collector(hook, self._colgraph_context)
        return hook

    def execute_resumable(self, context: Any) -> Any:
        """Submit, or find the job that an earlier try submitted."""
        self._colgraph_submitted = False
        return super().execute_resumable(context)

    def submit_job(self, context: Any) -> Any:
        """Submit a job that can be found again."""
        self._colgraph_submitted = True
        return super().submit_job(context)

    # What Airflow's OpenLineage listener asks, in a child process; see extractors/spark.py.

    def get_openlineage_facets_on_start(self) -> Any:
        """Nothing is known before the job has run."""
        return operator_lineage(None)

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> Any:
        """The inputs, outputs and column lineage of all the job's queries."""
        return operator_lineage(self, task_instance)

    def get_openlineage_facets_on_failure(self, task_instance: Any) -> Any:
        """What the job had written before it failed."""
        return operator_lineage(self, task_instance)

    # The edge ---------------------------------------------------------------------------------

    @contextmanager
    def _unharmed(self, doing: str) -> Iterator[None]:
        """Nothing that goes wrong with lineage reaches the job: one line says what it was."""
        try:
            yield
        except Exception as error:
            known = isinstance(error, NotPossible)
            why = str(error) if known else f"{type(error).__name__}: {error}"
            self.log.warning(
                "colgraph: lineage is missing or incomplete; %s failed: %s", doing, why
            )
            self.log.debug("colgraph: details", exc_info=True)

    def _add_collector(self, hook: Any, context: Any) -> None:
        properties = inject(hook._conf, context)
        given = Arguments(
            application=self.application,
            application_args=list(hook._application_args or []),
            py_files=hook._py_files,
            jars=hook._jars or properties.get("spark.jars"),
            java_class=hook._java_class,
            name=hook._name,
            properties=properties,
        )
        ours = with_collector(
            given,
            bundle=str(bundle()),
            launcher=str(launcher()),
            master=hook._connection["master"],
            deploy_mode=hook._connection["deploy_mode"],
        )
        sink = str(properties[SINK])
        self._colgraph_seen = _runs_in(sink)
        self._colgraph_parent = parent_run_id(properties)
        # Only now, when nothing can go wrong any more: all of it or nothing.
        hook._conf, hook._py_files = ours.properties, ours.py_files
        if ours.application != self.application:
            hook._jars, hook._java_class, hook._name = ours.jars, ours.java_class, ours.name
            hook._application_args = ours.application_args
            self.application = ours.application
        self.colgraph_sink = sink

    def _collect(self, context: Any, event_type: str) -> None:
        sink = self.colgraph_sink
        if sink is None:  # the collector did not go along
            return
        if is_http(sink):
            self.log.info("colgraph: the job's lineage went to %s", sinks.without_userinfo(sink))
            return
        reading = _read(sink)
        for line, why in reading.bad:
            self.log.warning("colgraph: %s:%s is left out: %s", sink, line, why)
        events = of_this_try(
            reading.events,
            seen=self._colgraph_seen,
            parent=self._colgraph_parent,
            submitted=self._colgraph_submitted,
        )
        lineage = merge(events)
        if not events:
            self.log.warning("colgraph: no lineage of this task; the job reported none to %s", sink)
        else:
            self.log.info(
                "colgraph: %d inputs and %d outputs, see %s",
                len(lineage.inputs),
                len(lineage.outputs),
                sink,
            )
        self.colgraph_lineage = lineage
        store = conf.store()
        if store is not None and events:
            event = task_event(
                identity(context["ti"]),
                lineage,
                event_type=event_type,
                event_time=datetime.now(timezone.utc).isoformat(),
            )
            with self._unharmed("writing to the store"):
                from airflow_colgraph.operators.keep import keep

                keep(store, event)


def _read(sink: str) -> sinks.Reading:
    """What is in the sink by now: nothing if there is none, or if it only takes events."""
    if not sink or is_http(sink):
        return sinks.Reading([], [])
    try:
        reading = sinks.read(sink)
    except FileNotFoundError:
        return sinks.Reading([], [])
    return reading._replace(events=[event for event in reading.events if "run" in event])


def _runs_in(sink: str) -> frozenset[str]:
    try:
        return frozenset(run_ids(_read(sink).events))
    except OSError:  # it may be readable later; until then the parent run tells the tries apart
        return frozenset()
