"""The rows of a store's tables, as event-by-event ingest would have written them. SQL only.

The names of tables and columns are those of `store.db.tables`; ids are equal in every store. Tests
compare every row with those of a store that received the same events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import orjson

from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import make
from airflow_colgraph.store.model.runs import STATES
from airflow_colgraph.warehouse.body_rows import KINDS
from airflow_colgraph.warehouse.edges import REPORTS, edges
from airflow_colgraph.warehouse.kept_history import KeptHistory

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

# `run.report`, as in `store.db.tables`, which needs a database's library.
NOT_REPORTED, APPENDED, REPLACED, SEPARATE = range(4)


def _bytes(run: str) -> str:
    return f"unhex(replace({run}, '-', ''))"


def _position(names: Sequence[str], value: str) -> str:
    return f"CAST(array_position(array({', '.join(map(repr, names))}), {value}) - 1 AS smallint)"


_JOB_OUTPUTS = f"""
SELECT l.job_output AS id, l.job, d.dataset, unix_millis(l.last.at) AS last_at,
    {_bytes("l.last.run")} AS last_run, l.last.replaces AS last_replaces,
    if(size(l.last.bodies) = 1, l.last.bodies[0], NULL) AS last_lineage_body
FROM {{latest}} AS l JOIN (SELECT DISTINCT job_output, dataset FROM {{occurrences}}) AS d
    ON d.job_output = l.job_output
"""
# A run that reported one output of its own job has it in its row, if it is kept.
_OF_RUNS = """
SELECT run, count(*) AS number, any_value(job) AS job, any_value(job_output) AS job_output,
    any_value(body) AS body, any_value(at) AS at, any_value(replaces) AS replaces,
    any_value(kept) AS kept
FROM {occurrences} WHERE run <> '' GROUP BY run
"""
_FORMS = f"""
SELECT r.*, o.job_output, o.body, o.at, CASE
    WHEN o.run IS NULL THEN {NOT_REPORTED}
    WHEN o.number > 1 OR o.job <> r.job THEN {SEPARATE}
    WHEN NOT o.kept THEN {NOT_REPORTED}
    ELSE if(o.replaces, {REPLACED}, {APPENDED}) END AS report
FROM {{runs}} AS r LEFT JOIN {{of_runs}} AS o ON o.run = r.id
"""
_IS_WITHIN = f"report IN ({APPENDED}, {REPLACED})"
_RUNS = f"""
SELECT {_bytes("id")} AS id, {_position(STATES, "state")} AS state,
    CAST(report AS smallint) AS report, job, unix_millis(started_at) AS started_at,
    unix_millis(ended_at) AS ended_at, if({_IS_WITHIN}, job_output, NULL) AS job_output,
    if({_IS_WITHIN}, body, NULL) AS lineage_body,
    if({_IS_WITHIN}, nullif(unix_millis(at) - unix_millis(started_at), 0L), NULL)
        AS reported_after,
    map_index, CAST(attempt AS smallint) AS attempt, {_bytes("parent")} AS parent, name
FROM {{forms}}
"""
_RUN_OUTPUTS = f"""
SELECT o.job_output, unix_millis(o.at) AS at, {_bytes("o.run")} AS run, o.body AS lineage_body,
    o.replaces
FROM {{occurrences}} AS o LEFT ANTI JOIN (SELECT id FROM {{forms}} WHERE {_IS_WITHIN}) AS f
    ON f.id = o.run
WHERE o.kept
"""
_EDGES = f"""
SELECT e.output, {_position(KINDS, "e.kind")} AS kind,
    coalesce(unix_millis(e.closed_at), {OPEN}) AS closed_at, e.input, e.transformation,
    e.job_output, unix_millis(e.first_seen) AS first_seen,
    if(e.closed_at IS NULL AND e.last_seen = l.last.at, {OPEN}, unix_millis(e.last_seen))
        AS last_seen
FROM {{edges}} AS e JOIN {{latest}} AS l ON l.job_output = e.job_output
"""
# Which run reported edges that the latest one did not.
_REPORTED = f"""
SELECT e.job_output, e.last_seen AS at, {_bytes("max(r.run)")} AS run
FROM (SELECT DISTINCT job_output, last_seen FROM {{edges}} WHERE last_seen <> {OPEN}) AS e
JOIN {{reports}} AS r ON r.job_output = e.job_output AND unix_millis(r.at) = e.last_seen
GROUP BY e.job_output, e.last_seen
"""
_FIRST = """
SELECT body, min(at) AS at, bool_or(kept) AS kept FROM (
    SELECT body, at, kept FROM {occurrences}
    UNION ALL SELECT body, at, false FROM {readings} UNION ALL SELECT body, at, true FROM {kept}
) GROUP BY body
"""
_BODIES = """
SELECT b.id, unhex(b.checksum) AS checksum, unix_millis(f.at) AS first_at, b.body
FROM {bodies} AS b JOIN {first} AS f ON f.body = b.id AND f.kept
"""
_SCHEMAS = """
SELECT s.id, s.dataset, unix_millis(s.first_at) AS first_at, unix_millis(s.last_at) AS last_at,
    to_json(named_struct('schema', array(d.namespace, d.name),
        'columns', transform(s.columns, c -> array(c.name, c.type)))) AS body
FROM {schemas} AS s JOIN {datasets} AS d ON d.id = s.dataset
"""
_READINGS = f"""
SELECT job, unix_millis(at) AS at, {_bytes("run")} AS run, body AS lineage_body FROM {{readings}}
"""
_DATED = ("unix_millis(first_at) AS first_at", "unix_millis(last_at) AS last_at", "body")


def store_rows(history: KeptHistory) -> Iterator[tuple[str, DataFrame]]:
    """Each table's name, without the prefix, and its rows. A body is still text: see `packed`."""
    table, sql = history.table, history.sql
    yield "dataset", table("datasets").select("id", "namespace", "name")
    yield "field", table("fields").selectExpr("id", "dataset", "field AS name")
    yield "symlink", table("symlinks").selectExpr("alias", "dataset", "false AS is_ended")
    yield "job", table("jobs")
    yield "transformation", table("transformations")
    schemas = history.dated("schemas", "dataset")
    yield "schema", sql(_SCHEMAS, schemas=schemas, datasets=table("datasets"))
    yield (
        "description",
        history.dated("descriptions", "dataset").selectExpr("id", "dataset", *_DATED),
    )
    tags = history.dated("tags", "dataset", "job")
    yield "reported_tags", tags.selectExpr("id", "dataset", "job", *_DATED)
    yield "gap", history.gaps().selectExpr("id", "job", *_DATED)
    yield "reading", sql(_READINGS, readings=history.readings())
    yield "job_output", sql(_JOB_OUTPUTS, latest=history.latest, occurrences=history.occurrences)
    yield from _runs(history)
    yield from _edges(history)
    first = sql(
        _FIRST,
        occurrences=history.occurrences,
        readings=table("readings"),
        kept=history.readings(),
    )
    yield "lineage_body", sql(_BODIES, bodies=table("bodies"), first=first)


def _runs(history: KeptHistory) -> Iterator[tuple[str, DataFrame]]:
    of_runs = history.sql(_OF_RUNS, occurrences=history.occurrences)
    forms = history.sql(_FORMS, runs=history.runs(), of_runs=of_runs)
    yield "run", history.sql(_RUNS, forms=forms)
    yield "run_output", history.sql(_RUN_OUTPUTS, occurrences=history.occurrences, forms=forms)


def _edges(history: KeptHistory) -> Iterator[tuple[str, DataFrame]]:
    held = history.table("edges")
    occurrences = history.kept_occurrences()
    if not history.is_whole:
        held = edges(occurrences, history.table("bodies"), history.table("fields"))
        held = history.keep(held, "edges")
    held = history.sql(_EDGES, edges=held, latest=history.latest)
    yield "edge", held
    reports = history.sql(REPORTS, occurrences=occurrences, bodies=history.table("bodies"))
    yield "reported", history.sql(_REPORTED, edges=held, reports=reports)


def packed(frame: DataFrame) -> DataFrame:
    """The rows with their bodies as a store keeps them: compressed, in the canonical form."""
    if "body" not in frame.columns:
        return frame
    types = {**dict(frame.dtypes), "body": "binary"}
    return frame.mapInArrow(_pack, ", ".join(f"`{name}` {type}" for name, type in types.items()))


def _pack(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    for batch in batches:
        place = batch.schema.get_field_index("body")
        bodies = [make(orjson.loads(text)).packed for text in batch.column(place).to_pylist()]
        yield batch.set_column(place, "body", pyarrow.array(bodies, pyarrow.binary()))
