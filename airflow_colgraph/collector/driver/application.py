"""One Spark application: its run, its sink, and the listeners of its sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from airflow_colgraph.collector import extensions
from airflow_colgraph.collector.driver.application_run import run_of, settings_of
from airflow_colgraph.collector.driver.audit import Audit
from airflow_colgraph.collector.driver.connect_clients import ConnectClients
from airflow_colgraph.collector.driver.event_writer import EventWriter
from airflow_colgraph.collector.driver.first_command import FirstCommand
from airflow_colgraph.collector.driver.session_listeners import SessionListeners
from airflow_colgraph.collector.driver.standard_modules import standard_modules
from airflow_colgraph.collector.driver.timed_calls import at_exit
from airflow_colgraph.collector.driver.warnings import warn, warn_off
from airflow_colgraph.collector.driver.worker import Worker
from airflow_colgraph.collector.events.build import run_event
from airflow_colgraph.collector.events.facets import ApplicationRun
from airflow_colgraph.collector.model import AS_RDD, TO_PANDAS, Execution, RddReads
from airflow_colgraph.collector.pipeline import Pipeline
from airflow_colgraph.collector.python_functions.effects import effects_of
from airflow_colgraph.collector.sinks.sink import load as load_sink
from airflow_colgraph.collector.spark.dataflow_graphs import graph_of, planned, resolved_graph
from airflow_colgraph.collector.spark.ddl import expect_drop
from airflow_colgraph.collector.spark.drops import is_drop
from airflow_colgraph.collector.spark.iceberg_commits import IcebergCommits
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.collector.spark.rdd_jobs import RddJobs
from airflow_colgraph.collector.spark.rdd_saves import save
from airflow_colgraph.collector.spark.running_commands import JvmCommands
from airflow_colgraph.collector.spark.schema_changes import expect_creation
from airflow_colgraph.collector.spark.sessions import (
    is_a_clone,
    listeners_of,
    on_new_session,
    open_sessions,
    serves_connect,
)
from airflow_colgraph.collector.spark.stages import next_stage, stages_of
from airflow_colgraph.collector.spark.streaming import Stream, follow
from airflow_colgraph.collector.spark.translate import FinishedQuery


class Application:
    """The lineage of one Spark application: its run, its sink, its sessions' listeners."""

    def __init__(self, context: Java, *, is_whole: bool = False) -> None:
        """Start the run; the sink is opened and START written by the worker's thread.

        `is_whole`: what has run before belongs to it, too.
        """
        self.context = context
        first_stage = 0 if is_whole else next_stage(context)
        self.settings = settings_of(context)
        self.run = run_of(context, self.settings)
        with standard_modules():
            load_sink(self.settings["sink"])
        self._ended = False
        self._session: Java | None = None
        self._first_command: FirstCommand | None = None  # before which sessions are listened to
        self._context_in_python: Any = None  # of these sessions
        self._commits = IcebergCommits()
        self._clients = ConnectClients(context, self.run, self._commits.tables)
        self._rdd_jobs = RddJobs(context, lambda: stages_of(self._executions()), first_stage)
        self._events = EventWriter(self.settings, self.run, self._clients.deliver, self._refused)
        self.write = self._events.write
        self.pipeline = Pipeline(
            self.run,
            self.settings,
            self.write,
            JvmCommands(context),
            warn,
            self._run_of,
            self._files_before,
        )
        self.worker = Worker(self.pipeline)
        self._audit = Audit(
            context, self.worker, self._commits, self._rdd_jobs, lambda: self._session, first_stage
        )
        still = partial(open_sessions, context) if self._clients.is_on else None
        self._listeners = SessionListeners(self.worker, still)
        for problem in self.settings.problems:
            warn(problem)
        extensions.load(self.settings["extensions"], warn)
        self.worker.do(self._events.begin, run_event(self.run, "START"))

    @property
    def has_session(self) -> bool:
        """Whether a session of the application is listened to, or will be once it is used."""
        return self._session is not None or self._first_command is not None

    @property
    def has_ended(self) -> bool:
        """Whether the last event is written, or the context stopped."""
        return self._ended or bool(self.context.isStopped())

    def _files_before(self, finished: FinishedQuery, is_needed: bool) -> RddReads:
        self._commits.look()
        is_behind = self._rdd_jobs.is_behind() and not isinstance(finished.execution, Stream)
        if is_needed or is_behind:
            return self._rdd_jobs.before(finished.execution)
        return RddReads()

    def await_use(self, context: Any, listen: Callable[[], None]) -> None:
        """Call `listen` just before the next command of a program with this SparkContext."""
        if self._first_command is None:
            self._first_command = FirstCommand(context._gateway._gateway_client)
            self._context_in_python = context
        self._first_command.add(listen)

    def await_no_more(self, context: Any = None) -> None:
        """Leave sessions alone that were not used until now: the process, or a context, stops."""
        if self._first_command is not None and context in (None, self._context_in_python):
            self._first_command.cancel()

    def _refused(self) -> None:
        """Once a sink has refused an event, only clients of Spark Connect may ask for some."""
        self.worker.on = self._clients.is_on

    def _run_of(self, finished: FinishedQuery) -> ApplicationRun:
        return self._clients.run_of(
            finished, self.pipeline.buffer.release, self.write, self.worker.dropped
        )

    def listen(self, session: Java, gateway: Any) -> None:
        """Register for the queries of a session and of its clones, once."""
        if str(session.sessionUUID()) in self._listeners:
            return
        from pyspark.java_gateway import ensure_callback_server_started

        ensure_callback_server_started(gateway)
        if self._session is None:
            self._session = session
            self._commits.listen(gateway.jvm)
        if serves_connect(self.context):  # its clones are asked for themselves
            self._listeners.register(session, listeners_of(session, session, gateway), gateway.jvm)
            self._follow_clients(session, gateway)
        else:
            self._listeners.register(session, session.listenerManager(), gateway.jvm)
        self._follow_streams(session, gateway)

    def session_begins(self, session: Java) -> None:
        """A session that was made by another cannot have run anything yet; Spark waits."""
        self._clients.session_begins(session)

    def used_as_rdd(self, frame: Java) -> None:
        """Report what a Dataset of a session that is listened to reads."""
        uuid = str(frame.sparkSession().sessionUUID())
        if uuid in self._listeners:
            catalog = self._listeners[uuid].catalog()
            self.worker.offer(FinishedQuery(AS_RDD, frame.queryExecution(), catalog))

    def read_by_driver(self, number: int, frame: Java) -> None:
        """Resolve a Dataset, which later queries start from by a number, if it is listened to."""
        uuid = str(frame.sparkSession().sessionUUID())
        if uuid in self._listeners:
            catalog = self._listeners[uuid].catalog()
            execution = frame.queryExecution()
            self.worker.offer(FinishedQuery(TO_PANDAS, execution, catalog, rdd=number))

    def saved_rdd(self, rdd: Java, method: str, path: str) -> None:
        """Report what was saved of an RDD."""
        self.worker.do(self.pipeline.saved, save(self.context, rdd, method, path))

    def effects_of(self, *functions: Any) -> tuple[str, ...]:
        """What functions of the program reach beside Spark, unless they are not to be read."""
        read = functions if self.settings["pythonFunctions"] else ()
        return tuple(effect for function in read for effect in effects_of(function))

    def about_to_run(self, session: Java, text: str) -> Callable[[], None] | None:
        """Look at what a SQL text will drop, or create, in a session that is listened to."""
        uuid = str(session.sessionUUID())
        if uuid not in self._listeners:
            return None
        expect = expect_drop if is_drop(text) else expect_creation
        return expect(self._listeners[uuid].catalog(), text)

    def _follow_streams(self, session: Java, gateway: Any) -> None:
        catalog = self._listeners[str(session.sessionUUID())].catalog
        follow(
            session,
            gateway,
            lambda stream: self.worker.offer(
                FinishedQuery(stream.function, stream, catalog(), rdd=stream.memory)
            ),
            lambda clone: self.worker.do(self._listeners.forget, clone),
            warn_off,
        )

    def _follow_clients(self, first: Java, gateway: Any) -> None:
        """Register for the sessions that Spark Connect's clients begin beside this one."""

        def follow_streams(begun: Java) -> None:  # it asks the session, which must be ready
            try:
                self._follow_streams(begun, gateway)
            except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
                warn_off(error)

        def on_begin(begun: Java) -> None:  # Spark waits for the answer
            try:
                if str(begun.sessionUUID()) in self._listeners:
                    return
                self.session_begins(begun)
                manager, is_stream = listeners_of(begun, first, gateway), is_a_clone(begun)
                self._listeners.register(begun, manager, gateway.jvm, is_stream=is_stream)
            except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
                warn_off(error)
                return
            if not is_stream:
                run = partial(follow_streams, begun)
                threading.Thread(target=run, name="colgraph", daemon=True).start()

        on_new_session(first, on_begin)

    def pipeline_resolved(self, graph: str, is_dry: bool) -> None:
        """Write the lineage of a declarative pipeline's flows; of a run only that of its views.

        Spark makes these without a query that a listener is told of.
        """
        self.worker.do(self._graph, graph, is_dry)
        self.worker.wait(self.settings["exitTimeoutSeconds"])

    def _graph(self, number: str, is_dry: bool) -> None:
        assert self._session is not None
        try:
            session, graph = graph_of(self._session, number)
            if not is_dry and graph.persistedViews().isEmpty():
                return
            catalog = self._listeners[str(session.sessionUUID())].catalog()
            queries = planned(resolved_graph(session, graph), catalog)
            if is_dry:
                self.pipeline.plan(queries)
            else:
                self.pipeline.add_views(queries)
        except Exception:
            self.pipeline.accounting.failed += 1  # the last event has it
            raise

    def drain(self, seconds: float) -> bool:
        """Wait until all that has happened is written; False when the time is over."""
        deadline = monotonic() + seconds
        if not self._drained(seconds):
            return False
        return self._events.flush(deadline)

    def _drained(self, seconds: float) -> bool:
        """Wait until the sink has all that has happened; False when the time is over."""
        deadline = monotonic() + seconds  # one limit for the bus and the queue together
        if not at_exit.call(partial(self._has_posted_all, seconds), seconds):
            return False
        return self.worker.wait(max(0.0, deadline - monotonic()))

    def _has_posted_all(self, seconds: float) -> bool:
        """Wait until Spark's bus is empty; False when the time is over."""
        from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped,unused-ignore]

        try:
            self.context.listenerBus().waitUntilEmpty(int(seconds * 1000))
        except Py4JJavaError:  # java.util.concurrent.TimeoutException
            return False
        except (Py4JError, OSError):  # the JVM is gone: what it reported before is still written
            pass
        return True

    def audit(self, *, is_stopping: bool = False) -> None:
        """Compare what Spark has written with the events, while Spark can be asked."""
        self._audit.run(is_stopping=is_stopping)

    def _executions(self) -> list[Execution]:
        return self._audit.executions()

    def end(self, kind: str, reason: str, deadline: float, last: float) -> None:
        """The last event of the run, once; pending work until `deadline`, this event until `last`.

        Both are of `time.monotonic`.
        """
        if self._ended:
            return
        self._ended = True
        self.await_no_more()
        is_complete = self._drained(max(0.0, deadline - monotonic()))
        at_exit.call(self._take_leave, last - monotonic())
        facets = self._audit.last_facets(reason, is_complete)
        event = run_event(self.run, kind, run_facets=facets)
        if is_complete:
            self.worker.do(self.write, event)
            is_complete = is_written = self.worker.wait(max(0.0, last - monotonic()))
        else:
            is_written = self._events.write_within(event, last - monotonic())
        self._events.end(last, is_complete)
        if not is_written and self.worker.on and self.settings["sink"]:
            limit = self.settings["exitTimeoutSeconds"]
            warn(f"lineage is missing: it was not written within {limit:g} s at exit.")

    def _take_leave(self) -> None:
        """Ask the JVM for the last time."""
        self.audit()
        self._listeners.stop()
