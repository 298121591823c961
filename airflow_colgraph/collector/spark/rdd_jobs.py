"""The files that a program's own RDDs have read: their jobs are no queries, and no listener of
queries hears of them.

Spark's status store keeps the graph of each stage's RDDs, each under the name of the call that has
made it. `SparkContext.textFile` and its like name the RDD that reads by its path, or, where a
format's own RDD reads, the one that comes from it: a program may have renamed that one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cache
from itertools import islice
from typing import NamedTuple

from airflow_colgraph.collector.model import NamedDataset, RddReads, Stage
from airflow_colgraph.collector.spark.catalog import paths_named
from airflow_colgraph.collector.spark.jvm import Java, java_class, option, seq, thrown
from airflow_colgraph.collector.spark.rdds import INPUT_PATHS
from airflow_colgraph.collector.spark.stages import next_stage, stages_since

READERS = {  # methods of SparkContext
    "binaryFiles",
    "binaryRecords",
    "hadoopFile",
    "hadoopRDD",  # whose RDD has no name
    "newAPIHadoopFile",
    "newAPIHadoopRDD",
    "objectFile",
    "sequenceFile",
    "textFile",
    "wholeTextFiles",
}
JOB = "org.apache.hadoop.mapred.JobConf"
BUS_MILLISECONDS = 1000  # how long Spark's own listener may take to hear of what has ended
MOST_STAGES = 300  # that are looked at one by one, at one time


LOOK_EVERY = 20  # queries: how often those that were not looked at are counted
MOST_UNSEEN = 500  # half of what Spark keeps (`spark.ui.retainedStages`)


class Name(NamedTuple):
    """What an RDD reads: the path as the program wrote it, or the class of what has no path."""

    path: str
    kind: str = ""


UNKNOWN = [Name("", "RDD")]  # of stages that cannot be looked at


class LookedAt(NamedTuple):
    """Stages that have read, those to look at again, and the number from which to go on."""

    reading: list[int]
    running: list[int]
    next: int


class RddJobs:
    """What the stages of one application have read for no query, each dataset once.

    Args:
        context: The JVM's SparkContext.
        of_queries: Tells the stages that belong to SQL executions: these have events of their own.
        first: The number of the first stage that counts.
    """

    def __init__(
        self, context: Java, of_queries: Callable[[], Collection[int]], first: int
    ) -> None:
        """Nothing is looked at yet."""
        self._context = context
        self._of_queries = of_queries
        self._next = first
        self._asked = 0
        self._running: list[int] = []  # before it, and looked at when they had read nothing yet
        self._reported: set[NamedDataset | str] = set()

    def is_behind(self) -> bool:
        """Whether Spark may soon forget stages that were not looked at; asked at each query."""
        self._asked += 1
        return self._asked % LOOK_EVERY == 0 and self._unseen() > MOST_UNSEEN

    def _unseen(self) -> int:
        return next_stage(self._context) - self._next

    def before(self, execution: Java) -> RddReads:
        """What was read, and not reported yet, before a query was run."""
        end = next_stage(self._context)
        self._wait()
        first = max(self._next, end - MOST_STAGES)
        of_queries = cache(self._of_queries)
        early, is_whole = self._early(first, of_queries)
        stages = self._looked_at(
            [*self._running, *early, *range(first, end)], end, planned_at(execution)
        )
        self._next = stages.next
        self._running = stages.running[-MOST_STAGES:]
        named = {number: names for number in stages.reading if (names := self._names(number))}
        rest = [named[number] for number in named if number not in of_queries()]
        return self._new(rest if is_whole else [*rest, UNKNOWN])

    def _looked_at(self, numbers: Iterable[int], end: int, time: float) -> LookedAt:
        """Look at stages in order, up to the first new one that began after the time.

        `numbers` are stages that ran when they were looked at last, then new ones. `time`
        is when the query was planned: what began later is no part of what was before.
        """
        reading: list[int] = []
        running: list[int] = []
        not_there_yet: int | None = None  # the first of those that no known stage follows
        for number in numbers:
            stage, is_new = self._attempt(number), number >= self._next
            if stage is None:  # not there yet, or gone
                if is_new and not_there_yet is None:
                    not_there_yet = number
                continue
            not_there_yet = None
            has_read = bool(stage.inputRecords())
            if not has_read and has_ended(stage):
                continue
            is_later = submitted_at(stage) > time
            if is_later and is_new:
                return LookedAt(reading, running, number)
            (reading if has_read and not is_later else running).append(number)
        return LookedAt(reading, running, end if not_there_yet is None else not_there_yet)

    def among(self, stages: Iterable[Stage]) -> RddReads:
        """What these stages, of no query, have read and was not reported yet."""
        reading = [stage.number for stage in stages if stage.read]
        names = [self._names(number) for number in reading[:MOST_STAGES]]
        return self._new([*names, UNKNOWN] if reading[MOST_STAGES:] else names)

    def _early(self, end: int, of_queries: Callable[[], Collection[int]]) -> tuple[list[int], bool]:
        """The stages of no query, before those that are looked at one by one, that have read.

        Also whether they are all: Spark keeps a thousand (`spark.ui.retainedStages`).
        """
        if end == self._next:
            return [], True
        since = stages_since(self._context, self._next)
        reading = {stage.number for stage in since if stage.read} - set(of_queries())
        early = sorted(number for number in reading if number < end)
        gone = set(range(self._next, self._first_kept(end))) - set(of_queries())
        return early[:MOST_STAGES], not gone and len(early) <= MOST_STAGES

    def _first_kept(self, end: int) -> int:
        """The first stage that Spark has not forgotten yet: it forgets the oldest."""
        low = self._next
        while low < end:
            middle = (low + end) // 2
            if self._attempt(middle) is None:
                low = middle + 1
            else:
                end = middle
        return low

    def _wait(self) -> None:
        try:
            self._context.listenerBus().waitUntilEmpty(BUS_MILLISECONDS)
        except thrown():  # java.util.concurrent.TimeoutException
            pass

    def _attempt(self, number: int) -> Java | None:
        try:
            return self._context.statusStore().lastStageAttempt(number)
        except thrown():  # java.util.NoSuchElementException: not yet, or no longer
            return None

    def _names(self, number: int) -> list[Name]:
        """What a stage's RDDs that read are named by."""
        try:
            graph = self._context.statusStore().operationGraphForStage(number)
        except thrown():  # java.util.NoSuchElementException
            return []
        clusters = seq(graph.rootCluster().childClusters())
        readers = [each for each in clusters if str(each.name()) in READERS]
        # in the order in which they were made: what reads comes first
        firsts = (
            [str(node.name()) for node in islice(seq(each.childNodes()), 2)] for each in readers
        )
        return [self._name(*names) for names in firsts]

    def _name(self, reader: str = "RDD", child: str = "RDD") -> Name:
        """The path by which one of the first two RDDs of a call is named, or what reads."""
        if not reader.endswith("RDD"):  # else its class: it has no name
            return Name(reader)
        if child.endswith("RDD") or not exists(self._context, child):
            return Name("", reader)
        return Name(child)

    def _new(self, stages: Iterable[Iterable[Name]]) -> RddReads:
        """Of what some stages have read, what was not reported before."""
        names = dict.fromkeys(name for stage in stages for name in stage)
        paths = [qualified(self._context, name.path) for name in names if name.path]
        files = dict.fromkeys(named for each in paths for named in paths_named(each))
        unnamed = dict.fromkeys(name.kind for name in names if not name.path)
        reads = RddReads(
            tuple(file for file in files if file not in self._reported),
            tuple(kind for kind in unnamed if kind not in self._reported),
        )
        self._reported.update(reads.files, reads.unnamed)
        return reads


def qualified(context: Java, path: str) -> list[str]:
    """A path, or several with commas between, with file systems and folders: as Hadoop reads it."""
    configuration = java_class(context, JOB)(context.hadoopConfiguration())
    reader = java_class(context, "org.apache.hadoop.mapred.FileInputFormat")
    reader.setInputPaths(configuration, path)
    return str(configuration.get(INPUT_PATHS)).split(",")


def exists(context: Java, path: str) -> bool:
    """Whether there is a file at a path, or at the first of several."""
    first = java_class(context, "org.apache.hadoop.fs.Path")(qualified(context, path)[0])
    files = first.getFileSystem(context.hadoopConfiguration()).globStatus(first)
    return files is not None and len(files) > 0


def planned_at(execution: Java) -> float:
    """When a query had its plan, before anything of it ran: milliseconds since 1970."""
    phases = execution.tracker().phases()
    return max((float(phase._2().endTimeMs()) for phase in seq(phases.toSeq())), default=0.0)


def has_ended(stage: Java) -> bool:
    """Whether a stage reads no more."""
    return str(stage.status()) not in ("ACTIVE", "PENDING")


def submitted_at(stage: Java) -> float:
    """When a stage was submitted: milliseconds since 1970."""
    time = option(stage.submissionTime())
    return float(time.getTime()) if time is not None else 0.0
