"""Tables of what events state: each is the union of what is known and what is new, merged.

Merging is associative, commutative and idempotent, so neither the order of events nor repeated
ones change a table. The rules are those of the store's `ingest`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from airflow_colgraph.store.model.runs import STATES
from airflow_colgraph.warehouse.body_rows import parse
from airflow_colgraph.warehouse.row_schema import BODY, ddl

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PARTITIONS = 4  # of bodies for each core, so that all cores end at about the same time
Step = tuple[Callable[["DataFrame"], "DataFrame"], Callable[["DataFrame"], "DataFrame"]]
_STATES = f"array({', '.join(map(repr, STATES))})"


def exploded(rows: DataFrame, name: str, *columns: str) -> DataFrame:
    """One row for each element of a list of the events' rows, beside columns of the event."""
    return rows.selectExpr(*columns, f"explode({name}) AS one").select(*columns, "one.*")


def _merged(frame: DataFrame, keys: list[str], **values: str) -> DataFrame:
    from pyspark.sql import functions as F

    return frame.groupBy(*keys).agg(*(F.expr(sql).alias(name) for name, sql in values.items()))


def merged_jobs(rows: DataFrame) -> DataFrame:
    """A job's task is named by any of its events."""
    names = {"namespace": "any_value(namespace)", "name": "any_value(name)"}
    return _merged(rows, ["id"], **names, dag_id="max(dag_id)", task_id="max(task_id)")


def runs(rows: DataFrame) -> DataFrame:
    """Each event's statement of its run, and of the runs that started it."""
    return exploded(rows, "runs").selectExpr(
        "id",
        "job",
        "parent",
        "timestamp_millis(started_at) AS started_at",
        "timestamp_millis(ended_at) AS ended_at",
        f"{_STATES}[state] AS state",
        "attempt",
        "map_index",
        "name",
    )


def merged_runs(rows: DataFrame) -> DataFrame:
    """The last end of a run decides, else its furthest state (`run_rows.merged`)."""
    end = f"struct(ended_at IS NOT NULL, ended_at, array_position({_STATES}, state), state)"
    return _merged(
        rows,
        ["id"],
        job="max(job)",
        parent="max(parent)",
        started_at="min(started_at)",
        ended_at=f"max({end}).ended_at",
        state=f"max({end}).state",
        attempt="max(attempt)",
        map_index="max(map_index)",
        name="max(name)",
    )


def _statements(name: str, keys: list[str], value: str) -> Step:
    """Each statement of a list of the events' rows, with the first and the last time of it."""
    at = "timestamp_millis(at)"
    times = {"first_at": "min(first_at)", "last_at": "max(last_at)"}

    def read(rows: DataFrame) -> DataFrame:
        elements = exploded(rows, name, "at")
        return elements.selectExpr(*keys, f"{at} AS first_at", f"{at} AS last_at", value)

    def merged(rows: DataFrame) -> DataFrame:
        return _merged(rows, keys, **times, **{value: f"any_value({value}, true)"})

    return read, merged


def occurrences(rows: DataFrame) -> DataFrame:
    """Which run (or '': an event without a run) reported which lineage body for which dataset."""
    return exploded(rows, "outputs", "at", "job", "run").selectExpr(
        "job_output", "job", "dataset", "run", "body", "timestamp_millis(at) AS at", "replaces"
    )


def merged_occurrences(rows: DataFrame) -> DataFrame:
    """A run's body counts once, at its first time; each declaration without a run counts."""
    keyed = rows.selectExpr("*", "if(run = '', at, NULL) AS declared_at")
    keys = ["job_output", "run", "body", "declared_at"]
    return _merged(
        keyed,
        keys,
        job="any_value(job)",
        dataset="any_value(dataset)",
        at="min(at)",
        replaces="bool_or(replaces)",
    ).drop("declared_at")


def readings(rows: DataFrame) -> DataFrame:
    """Which run read datasets with which properties: the list is in a body."""
    return rows.where("reading IS NOT NULL").selectExpr(
        "job", "run", "reading AS body", "timestamp_millis(at) AS at"
    )


def merged_readings(rows: DataFrame) -> DataFrame:
    """A run's reading counts once, at its first time."""
    keyed = rows.selectExpr("*", "if(run = '', at, NULL) AS declared_at")
    return _merged(keyed, ["job", "run", "body", "declared_at"], at="min(at)").drop("declared_at")


def new_bodies(rows: DataFrame, before: DataFrame | None) -> DataFrame:
    """The lineage bodies that no version has, each once, and what they name, as in BODY.

    Read by the store's own function, as events are. That is work for few bytes: of partitions
    that Spark chooses by their size there would be too few.
    """
    bodies = exploded(rows, "bodies").dropDuplicates(["id"])
    if before is not None:
        bodies = bodies.join(before.select("id"), "id", "left_anti")
    parallelism = rows.sparkSession.sparkContext.defaultParallelism
    bodies = bodies.repartition(PARTITIONS * parallelism, "id")
    return bodies.mapInArrow(parse, ddl(BODY))


# Each table: its rows in the events' rows, and how rows are merged.
FACTS: dict[str, Step] = {
    "jobs": (partial(exploded, name="jobs"), merged_jobs),
    "runs": (runs, merged_runs),
    "symlinks": (partial(exploded, name="symlinks"), lambda rows: rows.distinct()),
    "schemas": _statements("schemas", ["id", "dataset"], "columns"),
    "descriptions": _statements("descriptions", ["id", "dataset"], "body"),
    "tags": _statements("tags", ["id", "dataset", "job"], "body"),
    "occurrences": (occurrences, merged_occurrences),
    "readings": (readings, merged_readings),
    "gaps": _statements("gaps", ["id", "job"], "body"),
}
