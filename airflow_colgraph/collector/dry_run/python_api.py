"""PySpark's own doors out: actions are named, and what leaves Spark is skipped or refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property, partial, wraps
from types import FrameType
from typing import Any

from airflow_colgraph.collector.dry_run import branches, stand_ins
from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.python_functions.effects import effects_of, named_with
from airflow_colgraph.collector.spark.rdd_saves import FORMATS

FRAME_ACTIONS: tuple[str, ...] = (
    *("collect", "count", "first", "head", "isEmpty", "tail", "take", "toArrow", "toLocalIterator"),
    "toPandas",
)
RDD_ACTIONS: tuple[str, ...] = (
    *("aggregate", "collect", "collectAsMap", "count", "countByKey", "countByValue", "first"),
    *("fold", "isEmpty", "lookup", "max", "mean", "min", "reduce", "stats", "sum", "take"),
    *("takeOrdered", "takeSample", "toLocalIterator", "top", "treeAggregate", "treeReduce"),
)
SKIPPED: tuple[str, ...] = (
    "foreach",
    "foreachPartition",
)  # they call the program's code for each row
NO_ROWS, OWN, SAMPLED = range(3)
HAS_A_ROW = "_colgraph_has_a_row"  # set on the frame that foreachBatch hands to its function
BRANCHED = "_colgraph_branched"  # set on a frame that a branch was planned for as if it had a row
OF_A_ROW = {"DataFrame.count": 1, "DataFrame.isEmpty": False}
OF_NO_ROW = {"DataFrame.count": 0, "DataFrame.isEmpty": True, "RDD.count": 0, "RDD.isEmpty": True}
OF_ROWS = {f"DataFrame.{name}" for name in ("collect", "first", "head", "tail", "take")}
MOST_BRANCHES = 100  # at one place: then the answer is that of no rows, and a loop ends
ADAPTIVE = "spark.sql.adaptive.enabled"
CHECKPOINTS = ("checkpoint", "localCheckpoint", "toJSON")
RDD_REFUSED = (  # they read by Hadoop's input formats, which the guards do not cover
    *("binaryFiles", "binaryRecords", "pickleFile", "textFile", "wholeTextFiles"),
    *("hadoopFile", "hadoopRDD", "newAPIHadoopFile", "newAPIHadoopRDD", "sequenceFile"),
)


class NotPlannedError(Exception):
    """A part of the program cannot be planned without data."""


def attach(notes: Notes) -> None:
    """Replace the methods for this process."""
    from pyspark import RDD, SparkContext

    frame = frame_class()
    for owner, label, names in (
        (frame, "DataFrame", FRAME_ACTIONS),
        (RDD, "RDD", RDD_ACTIONS),
    ):
        for name in names:
            replace(owner, name, partial(noted, notes, f"{label}.{name}"))
    for owner, label, names in (
        (frame, "DataFrame", SKIPPED),
        (RDD, "RDD", (*SKIPPED, *FORMATS)),
    ):
        for name in names:
            replace(owner, name, partial(skipped, notes, f"{label}.{name}", None))
    replace(frame, "persist", uncached)
    replace(frame, "cache", lambda original: frame.persist)
    for name in CHECKPOINTS:
        replace(frame, name, keeping_scans)
    original = vars(frame)["rdd"]
    rdd = cached_property(keeping_scans(getattr(original, "func", None) or original.fget))
    rdd.__set_name__(frame, "rdd")
    frame.rdd = rdd
    replace(SparkContext, "union", partial(lossy, notes, "SparkContext.union"))
    replace(RDD, "union", partial(lossy, notes, "RDD.union"))
    for name in RDD_REFUSED:
        replace(SparkContext, name, partial(refused, f"SparkContext.{name}"))


def uncached(original: Any) -> Any:
    """A `persist` that keeps no rows: Spark counts those of a cache as rows that were read."""
    from pyspark import StorageLevel

    def act(self: Any, *arguments: Any, **options: Any) -> Any:
        return original(self, StorageLevel(False, False, False, False))

    return act


def keeping_scans(original: Any) -> Any:
    """A method that makes an RDD of a frame's plan: the scans stay among the RDD's parents.

    Adaptive execution plans anew from the logical plan until it meets its stages there. With other
    scans in the plan it would never meet them.
    """

    def act(self: Any, *arguments: Any, **options: Any) -> Any:
        strategy, conf = self.sparkSession._jvm.colgraph.DryRunStrategy, self.sparkSession.conf
        adaptive = conf.get(ADAPTIVE)
        strategy.keepScans(True)
        conf.set(ADAPTIVE, "false")
        try:
            return original(self, *arguments, **options)
        finally:
            conf.set(ADAPTIVE, adaptive)
            strategy.keepScans(False)

    return act


def frame_class() -> Any:
    """The class of DataFrames that are not Spark Connect's."""
    import pyspark.sql

    try:
        from pyspark.sql.classic.dataframe import DataFrame
    except ImportError:  # before Spark 4
        return pyspark.sql.DataFrame
    return DataFrame


def replace(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """Replace a method that a class has by one that `make` makes of it."""
    original = getattr(owner, name, None)
    if original is not None:
        setattr(owner, name, wraps(original)(make(original)))


def noted(
    notes: Notes, shown: str, original: Any, *, when: Callable[..., bool] | None = None
) -> Any:
    """An action that is noted: each call, or those for which `when` holds."""

    from pyspark.sql import Row

    branched: Counter[str] = Counter()

    def counted(self: Any, answer: Any) -> Any:
        """The answer as if there were a row; None if that of no rows holds."""
        if answer != OF_NO_ROW[shown] or not is_for_rows(self, shown, notes.caller()):
            return None
        branched[notes.place()] += 1
        return type(answer)(not answer) if branched[notes.place()] <= MOST_BRANCHES else None

    def of_a_row(self: Any, answer: Any) -> Any:
        """A row, in a list where the action returns one; None if Spark's answer holds.

        Its values are null only if the program tests whether they are, as those of a maximum.
        """
        is_list, caller, name = isinstance(answer, list), notes.caller(), original.__name__
        if answer:
            rows = answer if is_list else [answer]
            if len(rows) > 1 or None not in tuple(rows[0]):
                return None
        elif branches.is_indexed(caller, name, is_row=not is_list) or branches.is_for_rows(
            caller, name
        ):
            rows = [Row(*self.columns)(*[None for _ in self.columns])]
        else:
            return None
        number = branches.number_for(caller, name)
        if number is None and answer:
            return None
        row = rows[0] if number is None else stand_ins.row_of(self.schema, rows[0], number)
        return [row] if is_list else row

    def act(self: Any, *arguments: Any, **options: Any) -> Any:
        rows = rows_of(self)
        if rows != SAMPLED and shown in OF_A_ROW and getattr(self, HAS_A_ROW, False):
            notes.assume(shown, "as if the batch had a row")
            return OF_A_ROW[shown]
        if rows == NO_ROWS and shown in {*OF_NO_ROW, *OF_ROWS} and not notes.is_inside:
            answer = notes.inside(lambda: original(self, *arguments, **options))
            with_row = (of_a_row if shown in OF_ROWS else counted)(self, answer)
            if with_row is None:
                notes.action(shown)
                return answer
            notes.branch(shown)
            return with_row
        if when is None or when(self, *arguments, **options):
            if rows == SAMPLED:
                notes.assume(shown, "from the rows of --rows")
            elif rows != OWN:
                notes.action(shown)
        return notes.inside(lambda: original(self, *arguments, **options))

    return act


def is_for_rows(instance: Any, shown: str, caller: FrameType | None) -> bool:
    """Whether the branch that the program takes if there are rows is planned, now or before."""
    if not getattr(instance, BRANCHED, False):
        setattr(instance, BRANCHED, branches.is_for_rows(caller, shown.rpartition(".")[2]))
    return bool(getattr(instance, BRANCHED))


def rows_of(instance: Any) -> int:
    """Where the rows are from that an action looks at, as SampleRows.java has it."""
    frame = instance if isinstance(instance, frame_class()) else vars(instance).get("_df")
    if not isinstance(frame, frame_class()):
        return NO_ROWS
    return int(frame.sparkSession._jvm.colgraph.SampleRows.known(frame._jdf))


def lossy(notes: Notes, shown: str, original: Any) -> Any:
    """A method whose result has lost its parents: Spark leaves out RDDs without partitions."""

    def act(self: Any, *arguments: Any, **options: Any) -> Any:
        notes.skip(f"the sources of {shown}")
        return original(self, *arguments, **options)

    return act


def skipped(notes: Notes, shown: str, answer: Any, original: Any) -> Any:
    """A method that is not called."""

    def act(self: Any, *arguments: Any, **options: Any) -> Any:
        effects = [effect for function in arguments for effect in effects_of(function)]
        notes.skip(named_with(shown, tuple(effects)))
        return answer

    return act


def refused(shown: str, original: Any) -> Any:
    """A method that ends the program."""

    def act(self: Any, *arguments: Any, **options: Any) -> Any:
        raise NotPlannedError(
            f"colgraph plan: {shown} reads by an input format of Hadoop, which cannot be planned"
        )

    return act
