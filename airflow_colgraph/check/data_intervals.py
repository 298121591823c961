"""Data intervals: the part of the data that a DAG run is for, as its `nominalTime` says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy.engine import Connection

from airflow_colgraph.check.rerun import DagRun, Plan, TaskWrite, affected, plan
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.kept_facets import Facets, reports_of_runs


class Interval(NamedTuple):
    """Milliseconds since 1970; the end is no part of it, unless it equals the start."""

    start: int
    end: int

    @property
    def behind(self) -> int:
        """The first time behind it."""
        return max(self.end, self.start + 1)

    def overlaps(self, other: Interval) -> bool:
        """Whether both have a time in common."""
        return self.start < other.behind and other.start < self.behind


def parse_given(text: str | None) -> Interval | None:
    """The interval of `START/END`, each a time as `clock.parse` reads it, if one is given.

    >>> parse_given("1970-01-01/1970-01-02")
    Interval(start=0, end=86400000)
    """
    if text is None:
        return None
    start, slash, end = text.partition("/")
    if not (slash and start.strip() and end.strip()):
        raise QuestionError(f"{text!r} is not an interval. Expected START/END.")
    interval = Interval(clock.parse(start), clock.parse(end))
    if interval.end < interval.start:
        raise QuestionError(f"{text!r} ends before it starts.")
    return interval


def limited_plan(
    changed: Collection[Field],
    writes: Sequence[TaskWrite],
    dag_runs: Mapping[tuple[str, str], DagRun],
    intervals: Mapping[tuple[str, str], Interval],
    interval: Interval,
) -> Plan:
    """The plan of the DAG runs whose data interval overlaps one, or is not in `intervals`."""
    inside = [
        write for write in writes if interval.overlaps(intervals.get(write.task[:2], interval))
    ]
    limited = plan(changed, inside, dag_runs, in_time=True)
    planned = {step[:2] for step in limited.steps}
    every = {task[:2] for task in affected(changed, writes, in_time=True) if task.dag_id}
    return replace(
        limited, left_out=len(every - planned), without_interval=len(planned - intervals.keys())
    )


def of_runs(connection: Connection, runs: Mapping[bytes, Any]) -> dict[bytes, Interval]:
    """The data intervals of runs of `run_rows`: that of their DAG run, or their own."""
    parents = {bytes(run.parent) for run in runs.values() if run.parent is not None}
    reports = reports_of_runs(connection, {*runs, *parents})
    intervals = {id: _interval(report.facets) for id, report in reports.items()}
    of_dag_runs = {
        id: intervals.get(bytes(run.parent or b"")) or intervals.get(id) for id, run in runs.items()
    }
    return {id: interval for id, interval in of_dag_runs.items() if interval}


def _interval(facets: Facets) -> Interval | None:
    """The nominal time; None if there is none, or it cannot be read."""
    times = facets.get("nominalTime") or {}
    start = times.get("nominalStartTime")
    end = times.get("nominalEndTime") or start
    try:
        return Interval(clock.parse_iso(str(start)), clock.parse_iso(str(end))) if start else None
    except ValueError:
        return None
