"""The way of a query, from Spark's listener to the sink, on one screen.

    translate  (spark/)    the JVM's QueryExecution -> Query: plain data, what it reads and writes
    resolve    (lineage/)  plan + sources -> QueryLineage: which fields each column is made of
    build      (events/)   QueryLineage -> the RUNNING event, cut to its limits
    buffer     (events/)   a write waits for the command around it, which may know it better
    sink       (sinks/)    whatever `emit` is: one JSON document a line

Nothing here has a thread or a queue: `driver.worker` calls `process` for one query after the other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic, thread_time

from airflow_colgraph.collector import load_rules as load_rules
from airflow_colgraph.collector.events.build import job_event, query_event
from airflow_colgraph.collector.events.facets import ApplicationRun
from airflow_colgraph.collector.events.remove_path_pattern import renamed
from airflow_colgraph.collector.events.write_buffer import RunningCommands, WriteBuffer
from airflow_colgraph.collector.lineage.insert_casts import unfitted
from airflow_colgraph.collector.lineage.query_lineage import QueryLineage, has_local_rows, reads_of
from airflow_colgraph.collector.lineage.resolution import resolve
from airflow_colgraph.collector.lineage.rules.variables import MADE_BY
from airflow_colgraph.collector.lineage.session_state import SessionState
from airflow_colgraph.collector.lineage.sources import Options
from airflow_colgraph.collector.model import (
    CHECKPOINTS,
    FOREACH_BATCH,
    LOCAL_ITERATOR,
    RDD_JOBS,
    VIEW,
    Dataset,
    Query,
    RddReads,
    Read,
    Write,
)
from airflow_colgraph.collector.openlineage import JobEvent, RunEvent
from airflow_colgraph.collector.plan import Rows
from airflow_colgraph.collector.settings import Settings
from airflow_colgraph.collector.spark.stages import metric_of
from airflow_colgraph.collector.spark.streaming import Stream
from airflow_colgraph.collector.spark.translate import FinishedQuery, infers_schema, translate
from airflow_colgraph.openlineage.redaction import exception_text

MOST_COLLECTED = 1000  # datasets that are remembered as read for a program itself
UNKNOWN_ROWS = "rows of the driver"  # of a program that has read what has no name
MOST_RUNS = 1000  # for which they are: a Spark Connect server has one for each client


@dataclass
class Collected:
    """What a program has read for itself, and whether it has also read what has no name here."""

    datasets: dict[Dataset, None] = field(default_factory=dict)
    is_more: bool = False


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
        self._collected: dict[str, Collected] = {}  # by run
        self._batch_events: set[int] = set()  # of streams: one that stays the same is emitted once
        self.buffer = WriteBuffer(emit, commands)
        self.failed = 0
        self.reported = 0  # executions that have an event
        self.without_datasets = 0  # executions that have none: they touch no dataset
        self.written: set[int] = set()  # a metric of each of those whose event has an output
        self.unplaced = 0  # those among them whose plan has no metric
        self.streams: set[str] = set()  # the same of streams, by `runId`
        self.nameless: Counter[str] = Counter()  # outputs without a name, by the class of the sink

    def process(self, finished: FinishedQuery) -> None:
        """Emit the events of a finished query.

        Args:
            finished: The JVM's `QueryExecution` (org.apache.spark.sql.execution) and the name of
                the action, as Spark's `QueryExecutionListener.onSuccess` has them.

        It does not raise for a query that cannot be read or resolved: the query's event has the
        failure in its `colgraph_diagnostics`, and `failed` counts it.
        """
        started = monotonic()
        run = self._run
        names = self._state.variable_names()
        try:
            run = self._run_of(finished)
            queries = 0
            for query in translate(finished, self.buffer.datasets_since, names):
                queries += not infers_schema(query)
                query = self._with_files_before(finished, query)
                self.add(query, started, run)
                if query.write is not None or query.sink:
                    self._wrote(finished, query.write)
                    self.nameless.update([query.sink] if query.sink else [])
            self.reported += bool(queries)
            self.without_datasets += not queries
        except Exception as error:  # noqa: BLE001 - the event reports it
            failed = Query(finished.function, "", [], {}, {}, failure=exception_text(error))
            self.add(failed, started, run)

    def _with_files_before(self, finished: FinishedQuery, query: Query) -> Query:
        """The query, once what RDDs have read before it is reported."""
        try:
            self.read_by_rdds(self._files_before(finished, query.has_local_rows))
        except Exception as error:  # noqa: BLE001 - the query's event reports it
            return query._replace(failure=query.failure or exception_text(error))
        return query

    def read_by_rdds(self, found: RddReads) -> None:
        """Emit what RDDs have read for the program itself, which may be nothing.

        Which of it the program has used is unknown, as of the rows that it has collected.
        """
        known: list[tuple[Rows, Read]] = [([], Read(found.files, ()))] if found.files else []
        unknown = ([{"class": kind, "num-children": 0}] for kind in found.unnamed)
        for plan, read in [*known, *((leaf, Read((), ())) for leaf in unknown)]:
            # by the id of no leaf in the plan
            self.add(Query(RDD_JOBS, "", plan, {(0,): read}, {}), monotonic())

    def wrote_elsewhere(self, function: str) -> None:
        """Remember that a function of the program's has had effects that Spark knows nothing of."""
        self.nameless[function] += 1
        self.written.add(-sum(self.nameless.values()))  # no metric of a plan has such a number

    def _wrote(self, finished: FinishedQuery, write: Write | None) -> None:
        """Remember that a query's output has an event, with a name or without."""
        if isinstance(finished.execution, Stream):
            self.streams.add(finished.execution.run_id)
            return
        metric = metric_of(finished.execution)
        if metric is not None:
            self.written.add(metric)
        elif write is None or (not write.is_duplicate and write.columns != ()):
            self.unplaced += 1

    def add(self, query: Query, started: float, run: ApplicationRun | None = None) -> None:
        """Emit the event of a query; a write waits for the command that may have run it."""
        query = renamed(query, self.settings["removePathPattern"])
        write = query.write
        if write is not None and write.is_duplicate and self.buffer.merge(query, write):
            return
        event = self.event(query, started, run)
        if event is not None:
            self.buffer.add(query, event, started)

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
        heard = without_fitting(query)
        query = self._state.with_origins(heard, self.resolve)
        lineage = self.resolve(query)
        self._state.learn(query, lineage, heard)
        if not is_reported(query) and not is_lacking(query, lineage):
            return None
        run = run or self._run
        through = self._through_driver(run, query, lineage)
        if through.is_more:
            diagnostics = lineage.diagnostics.with_unresolved(UNKNOWN_ROWS)
            lineage = lineage._replace(diagnostics=diagnostics)
        event, diagnostics = query_event(
            run, query, lineage, self.settings, started, through.datasets
        )
        for failure in diagnostics.failures:
            self._warn(f"a query's lineage is incomplete: {failure}")
        self.failed += bool(diagnostics.failures)
        if lineage.is_streamed and self._is_repeated(event):
            return None
        return event

    def _through_driver(
        self, run: ApplicationRun, query: Query, lineage: QueryLineage
    ) -> Collected:
        """What the program had asked for rows of, if it writes rows that it made itself."""
        known = self._collected.setdefault(run.run_id, Collected())
        if len(self._collected) > MOST_RUNS:
            del self._collected[next(iter(self._collected))]
        if query.write is not None:
            return known if has_local_rows(query, lineage) else Collected()
        if not query.sink:
            reads = reads_of(query, lineage)
            known.datasets.update(
                (named.dataset, None) for read in reads for named in read.datasets
            )
            while len(known.datasets) > MOST_COLLECTED:
                known.datasets.popitem()
                known.is_more = True
            known.is_more |= bool(lineage.diagnostics.unresolved or lineage.diagnostics.failures)
        return Collected()

    def resolve(self, query: Query) -> QueryLineage:
        """The lineage of a query, within its budget."""
        options = Options(
            frozenset(name.lower() for name in self.settings["maskingFunctions"]),
            thread_time() + self.settings["queryBudgetSeconds"],
            self.settings["descriptions"],
        )
        failures = [query.failure] if query.failure else []
        return resolve(query.plan, self._state.sources(query), options, failures)

    def _is_repeated(self, event: RunEvent) -> bool:
        """Whether an earlier batch of a stream had the same event."""
        found = hash(json.dumps([event["inputs"], event["outputs"]], sort_keys=True))
        is_known = found in self._batch_events
        self._batch_events.add(found)
        return is_known


def without_fitting(query: Query) -> Query:
    """The query without the Project that Spark put on top to fit it to an existing table."""
    if query.write is None or not query.write.fits:
        return query
    return query._replace(plan=unfitted(query.plan, query.notes))


def is_lacking(query: Query, lineage: QueryLineage) -> bool:
    """Whether a query has an event only as its lineage is not whole, and later ones need it.

    What a checkpoint or a stream's batch lacks is in the events of the queries that start from it.
    """
    found = lineage.diagnostics
    is_needed = query.root in MADE_BY or query.function == LOCAL_ITERATOR
    return bool(found.failures) or (is_needed and bool(found.unresolved or found.opaque))


def is_reported(query: Query) -> bool:
    """Whether a query has an event: it writes, or reads datasets itself, for no later query."""
    if query.function in CHECKPOINTS or query.function == FOREACH_BATCH or infers_schema(query):
        return False
    reads = bool(query.reads) or any(found.origins for found in query.rdds.values())
    return query.write is not None or bool(query.sink) or reads
