"""What Spark has written and no event accounts for. Pure.

Spark counts the rows and bytes that each stage writes, and knows the SQL execution that a stage is
part of. A stage that writes outside of any execution with an event is output without lineage: a
jar's `saveAsTextFile`, a command without a rule, a session that nobody listens to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from airflow_colgraph.collector.model import Execution, Stage
from airflow_colgraph.collector.openlineage import CompletenessCounts, UnaccountedOutput

MOST_GAPS = 20  # that are named
SAVER = "SparkHadoopWriter"  # in the name of a stage that saves an RDD
STREAM = re.compile(r"\brunId = ([0-9a-f-]{36})")  # in the description of a stream's batch


class Gap(NamedTuple):
    """Output that no event accounts for, and who has written it."""

    by: str
    rows: int
    bytes: int


class Completeness(NamedTuple):
    """How many of the writes that Spark knows have lineage."""

    writes: int = 0
    gaps: tuple[Gap, ...] = ()
    executions: int = 0


def completeness(
    stages: Iterable[Stage],
    executions: Iterable[Execution],
    written: Collection[int],
    streams: Collection[str],
    unplaced: int = 0,
    nameless: Iterable[str] = (),
    saves: int = 0,
) -> Completeness:
    """Compare what Spark has written with what the events report.

    Args:
        stages: The stages that wrote something.
        executions: The SQL executions that Spark knows.
        written: A metric of the plan of each query whose event has an output: the listener is not
            given the execution of a query.
        streams: The `runId` of each stream whose event has an output.
        unplaced: How many more such queries there are, whose plans have no metrics. So many of the
            gaps may be theirs.
        nameless: Who wrote each output whose event has no name for it. Their queries are among
            `written`, `streams` and `unplaced`.
        saves: How many RDDs have an event that were saved to files. So many of the gaps that Spark
            itself names by such a save, or that have no name yet, are theirs.
    """
    by_number = {execution.number: execution for execution in executions}
    of_stage = {stage: execution for execution in by_number.values() for stage in execution.stages}
    oldest = min(of_stage, default=0) if min(by_number, default=0) > 0 else 0
    roots = {
        execution.root
        for execution in by_number.values()
        if not execution.metrics.isdisjoint(written)
    }
    gaps: dict[tuple[str, int], Gap] = {}
    for stage in stages:
        execution = of_stage.get(stage.number)
        if execution is None:
            if stage.number < oldest:  # Spark may have forgotten its execution
                continue
            key, by = ("stage", stage.number), stage.name
        else:
            stream = STREAM.search(execution.description)
            is_reported = not roots.isdisjoint({execution.number, execution.root})
            if is_reported or (stream is not None and stream[1] in streams):
                continue
            root = by_number.get(execution.root, execution)
            key, by = ("execution", root.number), root.description
        before = gaps.get(key, Gap(by, 0, 0))
        gaps[key] = Gap(before.by, before.rows + stage.rows, before.bytes + stage.bytes)
    for key in [key for key, gap in gaps.items() if is_save(key, gap)][:saves]:
        del gaps[key]
    left = list(gaps.values())[unplaced:]
    reported = len(written) + len(streams) + unplaced + saves
    gaps_without_names = (Gap(by, 0, 0) for by in nameless)
    return Completeness(reported + len(left), (*left, *gaps_without_names), len(by_number))


def is_save(key: tuple[str, int], gap: Gap) -> bool:
    """Whether output may be that of an RDD that was saved to files."""
    return key[0] == "stage" and (not gap.by or SAVER in gap.by)


def completeness_body(summary: Completeness, counts: Mapping[str, int]) -> CompletenessCounts:
    """The member `completeness` of an application's diagnostics, for the event at its end."""
    gaps: list[UnaccountedOutput] = [
        {"by": gap.by, "rows": gap.rows, "bytes": gap.bytes} for gap in summary.gaps[:MOST_GAPS]
    ]
    return {
        "executions": max(
            summary.executions, counts.get("reported", 0) + counts.get("withoutDatasets", 0)
        ),
        "reported": counts.get("reported", 0),
        "withoutDatasets": counts.get("withoutDatasets", 0),
        "failed": counts.get("failed", 0),
        "dropped": counts.get("dropped", 0),
        "writes": summary.writes,
        "writesWithoutLineage": len(summary.gaps),
        "unaccounted": gaps,
    }
