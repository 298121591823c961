"""Queries in, events out: one thread resolves what the listener has queued.

The thread that Spark calls only puts a query into the queue. Whatever goes wrong here is caught in
one place, said once in one line, and harms neither the job nor the next query.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

from airflow_colgraph.collector import load_rules as load_rules
from airflow_colgraph.collector.driver.session_state import Scripts
from airflow_colgraph.collector.driver.warnings import say_once
from airflow_colgraph.collector.events import facets
from airflow_colgraph.collector.events.facets import Job, Json
from airflow_colgraph.collector.events.remove_path_pattern import renamed
from airflow_colgraph.collector.events.truncation import cut
from airflow_colgraph.collector.lineage.checkpoints import Checkpoints
from airflow_colgraph.collector.lineage.descriptions import Descriptions
from airflow_colgraph.collector.lineage.frame import EMPTY, Frame
from airflow_colgraph.collector.lineage.insert_casts import unfitted
from airflow_colgraph.collector.lineage.operation_steps import MOST_OPERATIONS, TooMany
from airflow_colgraph.collector.lineage.operations import Operations
from airflow_colgraph.collector.lineage.resolution import OverBudget, Resolution
from airflow_colgraph.collector.lineage.rules.variables import MADE_BY, session_of
from airflow_colgraph.collector.model import Dataset, Field, KnownFrame, Query, Read, Write
from airflow_colgraph.collector.plan import Rows
from airflow_colgraph.collector.settings import Settings
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.jvm import Java, give_back
from airflow_colgraph.collector.spark.rdds import parent_of_checkpoint
from airflow_colgraph.collector.spark.running_commands import Commands, Held
from airflow_colgraph.collector.spark.streaming import BATCHES, Stream
from airflow_colgraph.collector.spark.translate import CHECKPOINTS, LOOP, in_words, plans_of, read

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.2  # how often is looked whether a write can be told again
MOST_HELD_SECONDS = 60.0  # after which it is written all the same
MOST_TOLD = 1000  # such writes that are remembered
WRITERS = "foreachPartition"  # what Spark's own writing to databases is called


class Item(NamedTuple):
    """One finished query, as the listener was handed it."""

    function: str
    execution: Java
    catalog: Catalog


Act = partial[None]


class Worker:
    """Resolves the queries of one application, one at a time, on one thread."""

    def __init__(
        self,
        job: Job,
        settings: Settings,
        write: Callable[[Json], None],
        commands: Commands | None = None,
    ) -> None:
        """Events go to `write`, in order; without `commands` a write waits for `release`."""
        self._job = job
        self._settings = settings
        self._write = write
        self._queue: queue.Queue[Item | Act | None] = queue.Queue(settings["maxQueue"])
        self.on = True  # until the sink refuses
        self._checkpoints = Checkpoints()
        self._scripts = Scripts()
        self._commands = commands
        self._held: list[Held] = []  # writes that a command around them may tell again
        self._told: OrderedDict[Dataset, Held] = OrderedDict()  # and those that could not wait
        self._batches: set[int] = set()  # what batches of streams have been told to write
        self._warned = False
        self._idle = threading.Condition()
        self._pending = 0
        self.dropped = 0
        self.failed = 0  # queries whose lineage is not whole as something went wrong here
        self._thread = threading.Thread(target=self._run, name="colgraph", daemon=True)
        self._thread.start()

    def offer(self, item: Item) -> None:
        """Queue a query; returns at once. A full queue drops it, and the end event says so."""
        if self.on:
            self._put(item)

    def do(self, act: Callable[..., None], *arguments: Any) -> None:
        """Have something done by the worker's thread, after what is queued."""
        self._put(partial(act, *arguments))

    def _put(self, item: Item | Act) -> None:
        try:
            self._queue.put_nowait(item)
        except queue.Full:
            self.dropped += 1
            return
        with self._idle:
            self._pending += 1

    def wait(self, seconds: float) -> bool:
        """Wait until all queued queries are written; False when the time is over."""
        deadline = monotonic() + seconds
        try:
            self._queue.put(None, timeout=seconds)
        except queue.Full:
            return False
        with self._idle:
            self._pending += 1
            while self._pending > 0:
                left = deadline - monotonic()
                if left <= 0 or not self._thread.is_alive():
                    return False
                self._idle.wait(left)
        return True

    def _run(self) -> None:
        while True:
            try:
                item = self._queue.get(timeout=LOOK_SECONDS if self._held else None)
            except queue.Empty:
                self._safely(self._look)
                continue
            if item is None:  # someone waits: nothing may stay held
                self._safely(self.release)
            elif isinstance(item, partial):
                self._safely(item)
            elif self.on:
                self._safely(self._take, item)
            if isinstance(item, Item):
                self._safely(give_back, item.execution)
                item = None  # nothing is held while there is nothing to do
            with self._idle:
                self._pending -= 1
                self._idle.notify_all()

    def _safely(self, act: Callable[..., None], *arguments: Any) -> None:
        try:
            act(*arguments)
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            self.warn(f"a query's lineage is missing: {in_words(error)}")

    def warn(self, text: str) -> None:
        """One line on stderr, once for an application; the traceback at debug."""
        log.debug("%s", text, exc_info=True)
        if log.isEnabledFor(logging.DEBUG):
            traceback.print_exc()
        if not self._warned:
            self._warned = True
            first = (text.splitlines() or [""])[0]
            say_once(f"colgraph: {first}")

    def release(self) -> None:
        """Write the events that are held; one that may be told again is remembered."""
        if self._held and self._commands is not None and self._commands.may_tell_more():
            self._told |= {held.dataset: held for held in self._held if held.dataset is not None}
            while len(self._told) > MOST_TOLD:
                self._told.popitem(last=False)
        self._let_go(self._held)

    def _let_go(self, found: list[Held]) -> None:
        self._held = [held for held in self._held if held not in found]
        for held in found:
            self._write(held.event)

    def _look(self) -> None:
        """Write what is held if nobody can tell more about it."""
        if self._commands is None:
            return
        if not self._commands.may_tell_more() and self._queue.empty():
            self._let_go(self._held)
        elif monotonic() - self._held[0].since > MOST_HELD_SECONDS:
            self.release()

    def _take(self, item: Item) -> None:
        """Write the event of a query; of one that can not be asked, that it was there."""
        started = monotonic()
        try:
            self._read(item, started)
        except Exception as error:  # noqa: BLE001 - the event says so
            self.tell(Query(item.function, "", [], {}, {}, failure=in_words(error)), started)

    def _read(self, item: Item, started: float) -> None:
        streams = isinstance(item.execution, Stream)
        target = item.execution.target(item.catalog) if streams else None
        number = 0 if streams else int(item.execution.id())
        inner = [h for h in (*self._held, *self._told.values()) if h.number >= number]
        told = {held.dataset for held in inner}
        parent = parent_of_checkpoint(item.execution) if item.function in CHECKPOINTS else None
        for plan in plans_of(item.function, item.execution):
            names = self._scripts.names()
            query = read(item.function, plan, item.catalog, told, target, names, parent)
            if query is not None and not infers_schema(query):
                if item.function == BATCHES:
                    query = query._replace(session=item.execution.session())
                elif query.session is not None and not streams:
                    query = query._replace(session=session_of(item.execution))
                self.tell(query._replace(number=number), started)

    def tell(self, query: Query, started: float) -> None:
        """Write a query's event; a write waits for the command that may have run it."""
        query = renamed(query, self._settings["removePathPattern"])
        write = query.write
        if write is not None and write.is_duplicate and self._is_told_again(query, write):
            return
        event = self.event(query, started)
        if event is None:
            return
        if write is not None and (query.plan or query.failure):
            self._held = [held for held in self._held if not _is_part_of(held, query, event)]
            self._held.append(Held(event, write.named.dataset, query.number, started))
        elif query.function == WRITERS:
            self._held.append(Held(event, None, query.number, started))
        else:
            if write is not None:  # what was written before it is dropped, truncated, ..
                self._let_go([h for h in self._held if h.dataset == write.named.dataset])
            self._write(event)

    def _is_told_again(self, query: Query, write: Write) -> bool:
        """Whether an inner command has told a write; its event learns what this one knows."""
        dataset = write.named.dataset
        for index, held in reversed(list(enumerate(self._held))):
            if held.dataset == dataset and held.number >= query.number:
                self._held[index] = held._replace(event=facets.told_again(held.event, write))
                return True
        told = self._told.get(dataset)
        if told is None or told.number < query.number:
            return False
        del self._told[dataset]
        self._held.append(told._replace(event=facets.told_again(told.event, write)))
        return True

    def event(self, query: Query, started: float) -> Json | None:
        """The RUNNING event of a query."""
        settings = self._settings
        resolution = Resolution(
            {ids: _datasets(found) for ids, found in query.reads.items()},
            query.expansions,
            {ids: _origins(found) for ids, found in query.rdds.items() if found.origins},
            self._checkpoints.frames(
                {ids: found.rdd for ids, found in query.rdds.items() if found.rdd is not None}
            ),
            self._scripts.variables(query.session or ""),
            frozenset(name.lower() for name in settings["maskingFunctions"]),
            deadline=started + settings["queryBudgetSeconds"],
            descriptions=Descriptions() if settings["descriptions"] else None,
        )
        plan = query.plan
        if query.write is not None and query.write.fits:
            plan = unfitted(plan)
            query = query._replace(plan=plan)
        if query.failure:
            resolution.failures[query.failure] += 1
        frame: Frame = EMPTY
        try:
            frame = resolution.resolve(plan) if plan else EMPTY
        except OverBudget as error:
            resolution.truncated = f"the query budget was spent at {error}"
        except Exception as error:  # noqa: BLE001 - the event says so, with what is known
            resolution.failures[in_words(error)] += 1
        self._remember(query, frame, resolution)
        if not resolution.failures and not is_told(query):
            return None
        outputs = []
        if query.write is not None:
            outputs = [self._output(query, query.write, frame, resolution)]
        inputs = facets.inputs_of(_reads(query, resolution))
        for failure in resolution.failures:
            self.warn(f"a query's lineage is not whole: {failure}")
        self.failed += bool(resolution.failures)
        said = facets.diagnostics(resolution, monotonic() - started)
        if is_streamed(resolution) and self._is_told(inputs, outputs):
            return None
        job_facets = {"lineage": facets.lineage_facet(outputs)} if settings["lineageFacet"] else {}
        run_facets = {"colgraph_diagnostics": said}
        event = facets.event(self._job, "RUNNING", inputs, outputs, run_facets, job_facets)
        cut(event, settings["maxEventBytes"])
        return event

    def _output(self, query: Query, write: Write, frame: Frame, resolution: Resolution) -> Json:
        """The dataset that a query wrote; without what can not be made of its lineage."""
        plain = {"schema": facets.schema_facet(write.columns)} if write.columns else {}
        output = facets.dataset(write.named, plain)
        settings = self._settings
        try:
            output = facets.output_of(query, write, frame, resolution, settings)
            is_whole = not (resolution.truncated or resolution.failures)
            if query.plan and settings["operations"] and is_whole:
                output["facets"].update(operations_of(query.plan, write, resolution))
        except Exception as error:  # noqa: BLE001 - the event says so, with what is known
            resolution.failures[in_words(error)] += 1
        return output

    def _remember(self, query: Query, frame: Frame, resolution: Resolution) -> None:
        """Keep what later queries may start from: checkpoints, streams' batches, variables."""
        if query.function == BATCHES:
            batch = known_frame(query, frame, resolution)._replace(is_streamed=True)
            self._checkpoints.add_batches(query.session or "", frame.output, batch)
        elif query.function in CHECKPOINTS:
            known = known_frame(query, frame, resolution)
            self._checkpoints.add(frame.output, query.parent, known)
        elif query.root in MADE_BY or query.function == LOOP:
            self._scripts.hear(query, frame, resolution, tuple(_reads(query, resolution)))

    def _is_told(self, inputs: list[Json], outputs: list[Json]) -> bool:
        """Whether an earlier batch of a stream has told the same."""
        said = hash(json.dumps([inputs, outputs], sort_keys=True))
        known = said in self._batches
        self._batches.add(said)
        return known


def known_frame(query: Query, frame: Frame, resolution: Resolution) -> KnownFrame:
    """What later queries that start from the rows of this one know of them."""
    return KnownFrame(
        tuple(resolution.decoded(value.inputs) for value in frame.in_order()),
        resolution.decoded(frame.rows),
        tuple(_reads(query, resolution)),
        is_streamed(resolution),
        tuple((resolution.unresolved + resolution.failures).items()),
        tuple(resolution.opaque.items()),
    )


def is_streamed(resolution: Resolution) -> bool:
    """Whether a query starts from a batch of a stream."""
    return any(known.is_streamed for known in resolution.recalled.values())


def is_told(query: Query) -> bool:
    """Whether a query has an event: it writes, or reads datasets itself, for no later query."""
    if query.function in CHECKPOINTS or query.function == BATCHES:
        return False
    reads = bool(query.reads) or any(found.origins for found in query.rdds.values())
    return query.write is not None or reads


def _is_part_of(held: Held, query: Query, event: Json) -> bool:
    """Whether an event that is held is the inner work of a write that has now come."""
    if held.number < query.number or query.write is None:
        return False
    if held.dataset is not None:
        return query.write.supersedes and query.write.named.dataset == held.dataset
    return bool(held.event["inputs"] == event["inputs"])


def operations_of(plan: Rows, write: Write, resolution: Resolution) -> dict[str, Json]:
    """The colgraph_operations facet; none where there are too many to be read."""
    operations = Operations(resolution)
    names = [name for name, _ in write.columns or ()]
    try:
        found = operations.of(plan, write.named.dataset, names)
    except TooMany:
        resolution.truncated = f"operations are left out: more than {MOST_OPERATIONS}"
        return {}
    return {"colgraph_operations": facets.facet("colgraph_operations", operations=found)}


def infers_schema(query: Query) -> bool:
    """Whether Spark itself reads lines of text, to find a CSV's columns: no query of the user's."""
    looks = query.write is None and query.function in ("head", "rdd") and not query.failure
    found = (*query.reads.values(), *query.rdds.values())
    return looks and all(read.format == "text" for read in found)


def _reads(query: Query, resolution: Resolution) -> list[Read]:
    """What a query read, and what the checkpoints that it starts from had read."""
    found: list[Read] = []
    found += query.reads.values()
    for ids, leaf in query.rdds.items():
        if ids not in resolution.known:
            found += leaf.origins
    earlier = [known.reads for known in resolution.recalled.values()]
    earlier += [known.reads for known in resolution.variables_read.values()]
    for reads in earlier:
        found += [read for read in reads if read not in found]
    return found


def _origins(found: Read) -> tuple[Field, ...]:
    """All columns of what an RDD was made of."""
    return tuple(
        Field(named.dataset, (name,))
        for read in found.origins
        for named in read.datasets
        for name, _ in read.columns
    )


def _datasets(found: Read) -> tuple[Dataset, ...]:
    return tuple(named.dataset for named in found.datasets)
