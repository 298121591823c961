"""The mixin of all our operators: collect the lineage that the task's Spark job reports.

A class is `TaskLineage` before the provider's operator, and overrides whatever describes the job:

    class ColgraphPySparkOperator(TaskLineage, PySparkOperator): ...

If the collector cannot be attached, the job runs unchanged, and one line in the task's log gives
the reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from functools import partial
from typing import Any

from airflow_colgraph import conf
from airflow_colgraph.collector.events.render import remarks
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.extractors.forward import NotForwarded, forward
from airflow_colgraph.extractors.spark import operator_lineage
from airflow_colgraph.extractors.task_event import of_task, task_event
from airflow_colgraph.extractors.task_lineage import Lineage
from airflow_colgraph.operators.assets import describe
from airflow_colgraph.operators.deadline import Budget, TooSlow, task_timeout_stopped, within
from airflow_colgraph.operators.inject import (
    SINK,
    inject,
    is_http,
    location,
    parent_run_id,
)
from airflow_colgraph.operators.job_events import lineage_in, runs_in, seconds_of
from airflow_colgraph.operators.links import with_link
from airflow_colgraph.operators.sink_token import SINK_TOKEN, VARIABLE
from airflow_colgraph.operators.submit_arguments import NotPossible
from airflow_colgraph.spools import task_spool
from airflow_colgraph.version_compat import (
    AirflowSkipException,
    TaskDeferred,
    identity,
    mask_secret,
)

KEPT_SINK = "colgraph_sink"  # in Airflow's task state store, where it has one (3.3)


class TaskLineage:
    """The lineage of one task instance, from before its job to its OpenLineage event."""

    log: Any
    operator_extra_links: Any
    # What a try found out, for the extractor. On the class, because the policy that turns a stock
    # operator into one of ours runs no __init__.
    colgraph_lineage: Lineage | None = None
    colgraph_sink: str | None = None
    colgraph_store: str | None = None
    colgraph_preparing = "adding the collector"  # for the log
    _colgraph_context: Any = None
    _colgraph_seen: frozenset[str] = frozenset()
    _colgraph_parent: str | None = None
    _colgraph_submitted: bool = True
    _colgraph_token_set: bool = False  # in the environment
    _colgraph_budget: Budget = Budget(0)  # of what is done now: before the job, or after it

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """An operator class that has lineage has the link to it."""
        super().__init_subclass__(**kwargs)
        cls.operator_extra_links = with_link(getattr(cls, "operator_extra_links", ()))

    def execute(self, context: Any, **sentinel: Any) -> Any:
        """Run the Spark job as the stock operator does, and collect its lineage.

        Airflow 2.9 to 2.11 hand a sentinel to the `execute` that they wrapped: the stock one.
        """
        self.colgraph_lineage = self.colgraph_sink = self.colgraph_store = None
        self._colgraph_submitted = True
        self._colgraph_context = None
        with self._guarded(self.colgraph_preparing):
            conf.check()
            if not conf.disabled():
                self._colgraph_budget = Budget(conf.deadline_seconds())
                self._colgraph_context = context
                self.colgraph_prepare(context)
        with self._collecting(context):
            return super().execute(context, **sentinel)  # type: ignore[misc]

    def resume_execution(self, next_method: str, next_kwargs: Any, context: Any) -> Any:
        """Go on after a deferral, in another process, and collect what the job reported."""
        with self._guarded("locating the lineage of the submitted job"):
            conf.check()
            if not conf.disabled():
                self._colgraph_budget = Budget(conf.deadline_seconds())
                self.colgraph_resume(context)
        with self._collecting(context):
            return super().resume_execution(next_method, next_kwargs, context)  # type: ignore[misc]

    def execute_resumable(self, *arguments: Any) -> Any:
        """Submit, or find the job that an earlier try submitted."""
        self._colgraph_submitted = False
        return super().execute_resumable(*arguments)  # type: ignore[misc]

    def submit_job(self, *arguments: Any) -> Any:
        """Submit a job that can be found again."""
        self._colgraph_submitted = True
        self._keep_sink(self._colgraph_context)
        return super().submit_job(*arguments)  # type: ignore[misc]

    def colgraph_properties(self) -> Mapping[Any, Any]:
        """The Spark properties that the DAG gives the job."""
        return {}

    def colgraph_resume(self, context: Any) -> None:
        """Find the lineage again that an earlier process was to collect."""
        properties = inject(self.colgraph_properties(), context)
        self.colgraph_sink = _kept_sink(context) or str(properties[SINK])
        self._colgraph_parent = parent_run_id(properties)

    def colgraph_prepare(self, context: Any) -> None:
        """Add the collector before the operator executes, where that is the time for it."""

    # What Airflow's OpenLineage listener asks, in a child process; see extractors/spark.py.

    def get_openlineage_facets_on_start(self) -> Any:
        """Empty: lineage is known after the job has run."""
        return operator_lineage(None)

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> Any:
        """The inputs, outputs and column lineage of all the job's queries."""
        return operator_lineage(self, task_instance)

    def get_openlineage_facets_on_failure(self, task_instance: Any) -> Any:
        """The lineage of what the job wrote before it failed."""
        return operator_lineage(self, task_instance)

    # Collecting -----------------------------------------------------------------------------

    @contextmanager
    def _guarded(self, doing: str) -> Iterator[None]:
        """Log an error of lineage collection in one line, so that it never fails the job.

        Nor does the task's time-out, which Airflow raises wherever the process is.
        """
        try:
            with task_timeout_stopped():
                yield
        except Exception as error:
            is_expected = isinstance(error, NotPossible)
            why = str(error) if is_expected else f"{type(error).__name__}: {error}"
            self.log.warning(
                "colgraph: lineage is missing or incomplete; %s failed: %s", doing, why
            )
            self.log.debug("colgraph: details", exc_info=True)

    @contextmanager
    def _collecting(self, context: Any) -> Iterator[None]:
        """Collect when the block ends, well or not; a deferred job has not ended."""
        event_type = "FAIL"
        try:
            yield
            event_type = "COMPLETE"
        except TaskDeferred:
            event_type = ""
            self._keep_sink(context)
            raise
        except AirflowSkipException:  # Airflow's own event is COMPLETE, too
            event_type = "COMPLETE"
            raise
        finally:
            self._colgraph_context = None
            if self._colgraph_token_set:
                self._colgraph_token_set = False
                os.environ.pop(VARIABLE, None)
            if event_type:
                with self._guarded("reading the lineage"):
                    self._colgraph_budget.renew()
                    self._collect(context, event_type)

    def _collector_added(self, properties: Mapping[Any, Any]) -> None:
        """Remember the sink and parent run of a job that has the collector."""
        if token := properties.get(SINK_TOKEN):
            mask_secret(str(token))  # the hook logs the command
        sink = str(properties[SINK])
        self._colgraph_seen = runs_in(sink)
        self._colgraph_parent = parent_run_id(properties)
        self.colgraph_sink = sink

    def _token_in_environment(
        self, properties: Mapping[Any, Any], dag_properties: Mapping[Any, Any]
    ) -> dict[Any, Any]:
        """The properties without the run's token: a driver that this process starts inherits it.

        So it is in sight of no list of processes. A token that the DAG gives stays where it is.
        """
        token = properties.get(SINK_TOKEN)
        if not token or dag_properties.get(SINK_TOKEN):
            return dict(properties)
        os.environ[VARIABLE] = str(token)
        self._colgraph_token_set = True
        return {key: value for key, value in properties.items() if key != SINK_TOKEN}

    def _keep_sink(self, context: Any) -> None:
        """Let a later process find the lineage of a job that outlives this one."""
        with self._guarded("saving the lineage's location"):
            store = (context or {}).get("task_state_store")
            if store is not None and self.colgraph_sink is not None:
                store.set(KEPT_SINK, self.colgraph_sink)

    def _collect(self, context: Any, event_type: str) -> None:
        sink = self.colgraph_sink
        if sink is None:  # the job has no collector
            return
        if not self._colgraph_submitted:
            self.colgraph_sink = sink = _kept_sink(context) or sink
        if is_http(sink):
            self.log.info(
                "colgraph: the job sends its lineage to %s itself; "
                "its driver's log names what was not accepted",
                sinks.without_userinfo(sink),
            )
            return
        read = partial(
            lineage_in,
            sink,
            seen=self._colgraph_seen,
            parent=self._colgraph_parent,
            submitted=self._colgraph_submitted,
        )
        try:
            with self._colgraph_budget.spent():
                bad, events, lineage = within(seconds_of(sink), read)
        except TooSlow as error:
            where = sinks.without_userinfo(sink)
            self.log.warning(
                "colgraph: no lineage of this task: reading %s: %s. "
                "Deliver it with: colgraph ingest %s",
                *(where, error, where),
            )
            return
        for line, why in bad:
            self.log.warning("colgraph: %s:%s is left out: %s", sink, line, why)
        self._set_lineage(context, lineage)
        if not events:
            self.log.warning("colgraph: no lineage of this task; the job reported none to %s", sink)
            return
        inputs, outputs = len(lineage.inputs), len(lineage.outputs)
        self.log.info("colgraph: %d inputs and %d outputs, see %s", inputs, outputs, sink)
        for remark in remarks(lineage.run_facets):
            self.log.warning("colgraph: %s", remark)
        self._publish(context, events, event_type)

    def _set_lineage(self, context: Any, lineage: Lineage) -> None:
        """Keep the task's lineage, which names the task instance, for its events."""
        self.colgraph_lineage = of_task(lineage, identity(context["ti"]))

    def _publish(self, context: Any, events: list[dict[str, Any]], event_type: str) -> None:
        """Send the lineage to the transport, asset events and the store, as configured."""
        lineage = self.colgraph_lineage
        assert lineage is not None
        if event_type == "COMPLETE":
            with self._guarded("describing the assets"):
                describe(context, lineage)
        is_stored = self._is_stored(context, lineage, event_type)
        is_forwarded = self._is_forwarded(events)
        sink = str(self.colgraph_sink)
        folder = location(conf.sink(), context["ti"]).rpartition("/")[0]  # of all tries
        is_own = sink.rpartition("/")[0] == folder and not conf.keep_events()
        if is_own and is_stored and is_forwarded and event_type == "COMPLETE":
            with self._guarded("removing the job's events"):
                within(seconds_of(sink), partial(sinks.remove, sink))

    def _is_stored(self, context: Any, lineage: Lineage, event_type: str) -> bool:
        """Write the task's event to the store; False if there is none, or it has not taken it."""
        store = conf.store()
        if store is None:
            return False
        with self._guarded("writing to the store"):
            from airflow_colgraph.operators.store_writer import NotStored, write_event

            now = datetime.now(timezone.utc).isoformat()
            task = identity(context["ti"])
            event = task_event(task, lineage, event_type=event_type, event_time=now)
            budget, spool = self._colgraph_budget, task_spool(conf.spool())
            try:
                with budget.spent():
                    self.colgraph_store = write_event(store, event, budget.left, spool)
                return True
            except NotStored as error:
                self.log.warning("colgraph: the lineage is not in the store: %s", error)
        return False

    def _is_forwarded(self, events: list[dict[str, Any]]) -> bool:
        """Send the job's own events to the transport, if configured; False if some are not sent."""
        if not conf.forward_events() or not events:
            return True
        with self._guarded("forwarding the job's events"):
            budget = self._colgraph_budget
            try:
                budget.run(partial(forward, events, budget.left))
                return True
            except (NotForwarded, TooSlow) as error:
                kept = sinks.without_userinfo(self.colgraph_sink or "")
                self.log.warning(
                    "colgraph: not all of the job's events are forwarded: %s. All are in %s",
                    *(error, kept),
                )
        return False


def _kept_sink(context: Any) -> str | None:
    """Where the job that an earlier process submitted writes, if that was kept."""
    store = context.get("task_state_store")
    return None if store is None else store.get(KEPT_SINK)
