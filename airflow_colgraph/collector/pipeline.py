"""Process one finished query: translate, resolve, build the event, buffer it, emit it.

    translate  (spark/)    the JVM's QueryExecution -> Query: plain data, what it reads and writes
    resolve    (lineage/)  plan + sources -> QueryLineage: which fields each column comes from
    build      (events/)   QueryLineage -> the RUNNING event, cut to its limits
    buffer     (events/)   a write waits for the command around it, which may know it better
    sink       (sinks/)    whatever `emit` is: one JSON document a line

Nothing here has a thread or a queue: `driver.worker` calls `process` for one query after the other.
What was written is counted in `accounting`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from time import monotonic, thread_time

from airflow_colgraph.collector import load_rules as load_rules
from airflow_colgraph.collector.accounting import Accounting
from airflow_colgraph.collector.events.build import job_event, query_event
from airflow_colgraph.collector.events.facets import ApplicationRun
from airflow_colgraph.collector.events.remove_path_pattern import renamed
from airflow_colgraph.collector.events.write_buffer import RunningCommands, WriteBuffer
from airflow_colgraph.collector.lineage.driver_rows import UNKNOWN_ROWS, DriverRows
from airflow_colgraph.collector.lineage.insert_casts import without_insert_casts
from airflow_colgraph.collector.lineage.query_lineage import QueryLineage
from airflow_colgraph.collector.lineage.resolution import resolve
from airflow_colgraph.collector.lineage.rules.variables import MADE_BY
from airflow_colgraph.collector.lineage.session_state import SessionState
from airflow_colgraph.collector.lineage.sources import Options
from airflow_colgraph.collector.model import (
    CHECKPOINTS,
    FOREACH_BATCH,
    LOCAL_ITERATOR,
    RDD_JOBS,
    TO_PANDAS,
    VIEW,
    Query,
    RddReads,
    Read,
    Statistics,
    Write,
)
from airflow_colgraph.collector.openlineage import JobEvent, RunEvent
from airflow_colgraph.collector.plan import Rows
from airflow_colgraph.collector.python_functions.rdd_frames import known_frames, without_local_rows
from airflow_colgraph.collector.python_functions.remembered import FUNCTIONS
from airflow_colgraph.collector.settings import Settings
from airflow_colgraph.collector.spark.translate import FinishedQuery, infers_schema, translate
from airflow_colgraph.openlineage.redaction import exception_text


class Pipeline:
    """The queries of one application, one at a time; it keeps what later ones start from.

    Args:
        run: The application's OpenLineage run, to which all events belong.
        settings: The `spark.colgraph.*` properties.
        emit: Called with each event, a `RunEvent` of OpenLineage 2-0-2, in order.
        commands: Tells whether Spark still runs a command that may report a write again; without
            it a write is emitted by `buffer.release()` only.
        warn: Called with one line for each query whose lineage is incomplete because of a failure.
        run_of: Tells the run of a query that has another one: a Spark Connect client's.
        files_before: Tells what RDDs of the program's have read before a query, each file once; it
            may put that off unless it is asked for a query whose rows depend on it (True).
    """

    def __init__(
        self,
        run: ApplicationRun,
        settings: Settings,
        emit: Callable[[RunEvent | JobEvent], None],
        commands: RunningCommands | None = None,
        warn: Callable[[str], None] = lambda text: None,
        run_of: Callable[[FinishedQuery], ApplicationRun] | None = None,
        files_before: Callable[[FinishedQuery, bool], RddReads] = lambda *_: RddReads(),
    ) -> None:
        """Events go to `emit`, in order; what is wrong with a query's lineage goes to `warn`."""
        self._run = run
        self._emit = emit
        self.settings = settings
        self._warn = warn
        self._run_of = run_of or (lambda finished: run)
        self._files_before = files_before
        self._state = SessionState()
        self._driver_rows = DriverRows()
        self._batch_events: set[int] = set()  # of streams: one that stays the same is emitted once
        self.buffer = WriteBuffer(emit, commands)
        self.accounting = Accounting()

    def process(self, finished: FinishedQuery) -> None:
        """Emit the events of a finished query.

        Args:
            finished: The JVM's `QueryExecution` (org.apache.spark.sql.execution) and the name of
                the action, as Spark's `QueryExecutionListener.onSuccess` has them.

        It does not raise for a query that cannot be read or resolved: the query's event has the
        failure in its `colgraph_diagnostics`, and `accounting.failed` counts it.
        """
        started = monotonic()
        run = self._run
        names = self._state.variable_names()
        try:
            run = self._run_of(finished)
            queries = 0
            for query in self._translated(finished, names):
                queries += not infers_schema(query)
                query = self._with_files_before(finished, query)
                self.add(query, started, run)
                self.accounting.wrote(finished, query)
            if finished.function != TO_PANDAS:  # Spark's listener has reported that
                self.accounting.processed(queries)
        except Exception as error:  # noqa: BLE001 - the event reports it
            failed = Query(finished.function, "", [], {}, {}, failure=exception_text(error))
            self.add(failed, started, run)

    def _translated(self, finished: FinishedQuery, names: Collection[str]) -> Iterator[Query]:
        since = self.buffer.datasets_since
        with_filters = self.settings["icebergReports"]
        return translate(finished, since, names, self.settings["sql"], with_filters)

    def _with_files_before(self, finished: FinishedQuery, query: Query) -> Query:
        """The query, once what RDDs have read before it is reported."""
        try:
            self.read_by_rdds(self._files_before(finished, query.has_local_rows))
        except Exception as error:  # noqa: BLE001 - the query's event reports it
            return query._replace(failure=query.failure or exception_text(error))
        return query

    def read_by_rdds(self, reads: RddReads) -> None:
        """Emit what RDDs have read for the program itself, which may be nothing.

        Which of it the program has used is unknown, as of the rows that it has collected.
        """
        files: list[tuple[Rows, Read]] = [([], Read(reads.files, ()))] if reads.files else []
        unnamed = ([{"class": kind, "num-children": 0}] for kind in reads.unnamed)
        for plan, read in [*files, *((leaf, Read((), ())) for leaf in unnamed)]:
            # by the id of no leaf in the plan
            self.add(Query(RDD_JOBS, "", plan, {(0,): read}, {}), monotonic())

    def saved(self, query: Query) -> None:
        """Emit the event of an RDD that was saved."""
        self.add(query, monotonic())
        self.accounting.saves += 1

    def add(self, query: Query, started: float, run: ApplicationRun | None = None) -> None:
        """Emit the event of a query; a write waits for the command that may have run it."""
        query = renamed(query, self.settings["removePathPattern"])
        if self.settings["planned"]:  # it has read and written no rows, and its run may
            query = uncounted(query)
        elif not self.settings["icebergReports"]:
            query = counted_by(query, without_report)
        write = query.write
        if write is not None and write.is_duplicate and self._is_settled(query, write):
            return
        event = self.event(query, started, run)
        if event is not None:
            self.buffer.add(query, event, started)

    def _is_settled(self, query: Query, write: Write) -> bool:
        """Whether an inner command has reported a write, or there was none: the table exists."""
        return self.buffer.merge(query, write) or write.unless_exists

    def plan(self, queries: Iterable[Query]) -> None:
        """Emit the lineage of queries that are resolved and not run, as job events."""
        for query in queries:
            event = self.event(query, monotonic())
            if event is not None:
                self._emit(job_event(event))

    def add_views(self, queries: Iterable[Query]) -> None:
        """Emit the lineage of those queries that make a view."""
        for query in queries:
            if query.write is not None and query.write.format == VIEW:
                self.add(query, monotonic())

    def event(
        self, query: Query, started: float, run: ApplicationRun | None = None
    ) -> RunEvent | None:
        """The RUNNING event of a query; None where it only leaves something for later ones."""
        submitted = as_submitted(query)
        query = self._state.with_origins(submitted, self.resolve)
        lineage = self.resolve(query)
        query = without_local_rows(query, lineage.sources.known)
        self._state.learn(query, lineage, submitted)
        if not is_reported(query) and not is_incomplete(query, lineage):
            return None
        run = run or self._run
        through = self._driver_rows.read_before(run.run_id, query, lineage)
        if through.is_more:
            diagnostics = lineage.diagnostics.with_unresolved(UNKNOWN_ROWS)
            lineage = lineage._replace(diagnostics=diagnostics)
        event, diagnostics = query_event(
            run,
            of_any_batch(query) if lineage.is_streamed else query,
            lineage,
            self.settings,
            started,
            through.datasets,
        )
        for failure in diagnostics.failures:
            self._warn(f"a query's lineage is incomplete: {failure}")
        self.accounting.failed += bool(diagnostics.failures)
        if lineage.is_streamed and self._is_repeated(event):
            return None
        return event

    def resolve(self, query: Query) -> QueryLineage:
        """The lineage of a query, within its budget."""
        options = Options(
            frozenset(name.lower() for name in self.settings["maskingFunctions"]),
            thread_time() + self.settings["queryBudgetSeconds"],
            self.settings["descriptions"],
            FUNCTIONS if self.settings["pythonFunctions"] else None,
            self.settings["digests"],
        )
        failures = [query.failure] if query.failure else []
        sources = self._state.sources(query)
        if options.functions is not None:
            chained = known_frames(query, options.functions, self._state.frame_of_rdd)
            sources = replace(sources, known={**chained, **sources.known})
        return resolve(query.plan, sources, options, failures)

    def _is_repeated(self, event: RunEvent) -> bool:
        """Whether an earlier batch of a stream had the same event."""
        digest = hash(json.dumps([event["inputs"], event["outputs"]], sort_keys=True))
        is_repeated = digest in self._batch_events
        self._batch_events.add(digest)
        return is_repeated


def of_any_batch(query: Query) -> Query:
    """The query of a stream's batch without what differs in each: versions and statistics.

    A batch whose event an earlier one had is not reported again.
    """
    query = uncounted(query)
    reads = {
        ids: read._replace(datasets=tuple(named._replace(version="") for named in read.datasets))
        for ids, read in query.reads.items()
    }
    write = query.write
    if write is not None:
        write = write._replace(named=write.named._replace(version=""))
    return query._replace(reads=reads, write=write)


def uncounted(query: Query) -> Query:
    """The query without statistics."""
    return counted_by(query, lambda _: None)


def counted_by(query: Query, change: Callable[[Statistics], Statistics | None]) -> Query:
    """The query with other statistics of what it has read and written."""

    def changed(statistics: Statistics | None) -> Statistics | None:
        return None if statistics is None else change(statistics)

    write = query.write and query.write._replace(statistics=changed(query.write.statistics))
    reads = {
        ids: read._replace(statistics=changed(read.statistics)) for ids, read in query.reads.items()
    }
    return query._replace(write=write, reads=reads)


def without_report(statistics: Statistics) -> Statistics | None:
    """Statistics without what Iceberg counts besides rows, bytes and files."""
    return Statistics(*statistics[:3]) if any(each is not None for each in statistics[:3]) else None


def as_submitted(query: Query) -> Query:
    """The query without the Project that Spark put on top to fit it to an existing table."""
    if query.write is None or not query.write.casts_to_table:
        return query
    return query._replace(plan=without_insert_casts(query.plan, query.notes))


def is_incomplete(query: Query, lineage: QueryLineage) -> bool:
    """Whether a query has an event only as its lineage is not whole, and later ones need it.

    What a checkpoint or a stream's batch lacks is in the events of the queries that start from it.
    """
    diagnostics = lineage.diagnostics
    is_needed = query.root in MADE_BY or query.function == LOCAL_ITERATOR
    is_partial = bool(diagnostics.unresolved or diagnostics.opaque)
    return bool(diagnostics.failures) or (is_needed and is_partial)


def is_reported(query: Query) -> bool:
    """Whether a query has an event: it writes, or reads datasets itself, for no later query."""
    if query.function in CHECKPOINTS | {FOREACH_BATCH, TO_PANDAS} or infers_schema(query):
        return False
    reads = bool(query.reads) or any(leaf.origins for leaf in query.rdds.values())
    return query.write is not None or bool(query.sink) or reads
