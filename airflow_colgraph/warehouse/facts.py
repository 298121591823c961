"""Tables of what events state: each is the union of what is known and what is new, merged.

Merging is associative, commutative and idempotent, so neither the order of events nor repeated
ones change a table. The rules are those of the store's `ingest`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from airflow_colgraph.store.model.runs import STATES
from airflow_colgraph.warehouse.body_rows import parse
from airflow_colgraph.warehouse.row_schema import BODY, ddl

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PARTITIONS = 4  # of bodies for each core, so that all cores end at about the same time
_STATES = f"array({', '.join(map(repr, STATES))})"


def exploded(rows: DataFrame, name: str, *columns: str) -> DataFrame:
    """One row for each element of a list of the events' rows, beside columns of the event."""
    return rows.selectExpr(*columns, f"explode({name}) AS one").select(*columns, "one.*")


def _merged(frame: DataFrame, keys: list[str], **values: str) -> DataFrame:
    from pyspark.sql import functions as F

    return frame.groupBy(*keys).agg(*(F.expr(sql).alias(name) for name, sql in values.items()))


def jobs(rows: DataFrame) -> DataFrame:
    """Jobs under their OpenLineage names, and the Airflow tasks that they are."""
    return exploded(rows, "jobs")


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


def fields(rows: DataFrame) -> DataFrame:
    """Every field that an event or a body names, and with the empty name every dataset."""
    return exploded(rows, "fields")


def merged_fields(rows: DataFrame) -> DataFrame:
    """Each field once."""
    return rows.dropDuplicates(["id"])


def symlinks(rows: DataFrame) -> DataFrame:
    """Pairs of names of one dataset."""
    return exploded(rows, "symlinks")


def merged_symlinks(rows: DataFrame) -> DataFrame:
    """Each pair once."""
    return rows.distinct()


def _stated(rows: DataFrame, name: str, *columns: str) -> DataFrame:
    """The elements of a list of the events' rows, each with the event's time as both its times."""
    at = "timestamp_millis(at)"
    *keys, value = columns
    elements = exploded(rows, name, "at")
    return elements.selectExpr(*keys, f"{at} AS first_at", f"{at} AS last_at", value)


def _merged_statements(rows: DataFrame, keys: list[str], value: str) -> DataFrame:
    values = {"first_at": "min(first_at)", "last_at": "max(last_at)"}
    return _merged(rows, keys, **values, **{value: f"any_value({value}, true)"})


def schemas(rows: DataFrame) -> DataFrame:
    """The columns and types of a dataset as an event states them."""
    return _stated(rows, "schemas", "id", "dataset", "columns")


def merged_schemas(rows: DataFrame) -> DataFrame:
    """Each schema of a dataset with the times between which it was stated."""
    return _merged_statements(rows, ["id", "dataset"], "columns")


def descriptions(rows: DataFrame) -> DataFrame:
    """The description and owners of a dataset, as an event states them."""
    return _stated(rows, "descriptions", "id", "dataset", "body")


def merged_descriptions(rows: DataFrame) -> DataFrame:
    """Each description of a dataset with the times between which it was stated."""
    return _merged_statements(rows, ["id", "dataset"], "body")


def tags(rows: DataFrame) -> DataFrame:
    """The tags of a dataset and its fields, as an event of a job states them."""
    return _stated(rows, "tags", "id", "dataset", "job", "body")


def merged_tags(rows: DataFrame) -> DataFrame:
    """Each facet of tags with the times between which it was stated."""
    return _merged_statements(rows, ["id", "dataset", "job"], "body")


def gaps(rows: DataFrame) -> DataFrame:
    """What is missing in a job's lineage, as its events state it."""
    return _stated(rows, "gaps", "id", "job", "body")


def merged_gaps(rows: DataFrame) -> DataFrame:
    """Each report of a job with the times between which it was stated."""
    return _merged_statements(rows, ["id", "job"], "body")


def occurrences(rows: DataFrame) -> DataFrame:
    """Which run (or '': an event without a run) reported which lineage body of which dataset."""
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


def bodies(new: DataFrame) -> DataFrame:
    """Lineage bodies in their canonical form, and the edges in them under the names they use."""
    return new.drop("fields", "transformations")


def transformations(new: DataFrame) -> DataFrame:
    """What the edges of new bodies do to a value."""
    return exploded(new, "transformations")


def merged_transformations(rows: DataFrame) -> DataFrame:
    """Each transformation once."""
    return rows.dropDuplicates(["id"])


Step = tuple[Callable[["DataFrame"], "DataFrame"], Callable[["DataFrame"], "DataFrame"]]
# Each table: its rows in the events' rows, and how rows are merged.
FACTS: dict[str, Step] = {
    "jobs": (jobs, merged_jobs),
    "runs": (runs, merged_runs),
    "symlinks": (symlinks, merged_symlinks),
    "schemas": (schemas, merged_schemas),
    "descriptions": (descriptions, merged_descriptions),
    "tags": (tags, merged_tags),
    "occurrences": (occurrences, merged_occurrences),
    "readings": (readings, merged_readings),
    "gaps": (gaps, merged_gaps),
}
