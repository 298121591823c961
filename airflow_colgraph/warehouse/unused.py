"""Fields that no job has used from a time on, of every dataset. SQL only.

The definition is `store.query.unused`, of a store that keeps whole events: a field of a dataset
that somebody read without all columns being known is perhaps used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_colgraph.warehouse.answers import Tables, answered, millis

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = (
    "namespace",
    "name",
    "field",
    "status",
    "last_used",
    "readers",
    "unknown_readers",
)
_LAST = """
SELECT job_output, any_value(job) AS job, max(struct(at, run, bodies)) AS last FROM (
    SELECT job_output, any_value(job) AS job, run, min(at) AS at, collect_set(body) AS bodies
    FROM {occurrences} GROUP BY job_output, run, if(run = '', at, NULL)
) GROUP BY job_output
"""
# The columns that datasets have now: by the latest schema or, if it is newer, the latest lineage.
_LISTED = """
SELECT d.canonical AS dataset, s.last_at AS at, transform(s.columns, c -> c.name) AS columns
FROM {schemas} AS s JOIN {datasets} AS d ON d.id = s.dataset
UNION ALL
SELECT d.canonical, l.last.at, b.columns
FROM {last} AS l JOIN (SELECT DISTINCT job_output, dataset FROM {occurrences}) AS o
    ON o.job_output = l.job_output
JOIN {datasets} AS d ON d.id = o.dataset
JOIN {bodies} AS b ON size(l.last.bodies) = 1 AND b.id = l.last.bodies[0]
"""
_COLUMNS = """
SELECT dataset, array_distinct(flatten(collect_list(columns))) AS columns FROM (
    SELECT *, max(at) OVER (PARTITION BY dataset) AS latest FROM {listed} WHERE size(columns) > 0
) WHERE at = latest GROUP BY dataset
"""
_FIELDS = """
SELECT f.dataset, f.field, u.at FROM {fields} AS f
LEFT JOIN {columns} AS c ON c.dataset = f.dataset
LEFT JOIN (
    SELECT input, max(last_seen) AS at FROM {edges} WHERE kind <> 'DATASET' GROUP BY input
) AS u ON u.input = f.id
WHERE f.field <> '' AND f.canonical = f.id
    AND (c.columns IS NULL OR array_contains(c.columns, f.field))
"""
# A part of a struct is used with the struct, and the struct with each of its parts.
_PAIRS = r"""
SELECT p.dataset, p.field AS parent, f.field AS part, p.at AS parent_at, f.at AS part_at
FROM (
    SELECT *, explode(transform(sequence(1, size(split(field, '\\.')) - 1),
        n -> array_join(slice(split(field, '\\.'), 1, n), '.'))) AS prefix
    FROM {itself} WHERE contains(field, '.')
) AS f JOIN {itself} AS p ON p.dataset = f.dataset AND p.field = f.prefix
"""
_USED = """
SELECT dataset, field, max(at) AS at FROM (
    SELECT dataset, field, at FROM {itself}
    UNION ALL SELECT dataset, parent, part_at FROM {pairs}
    UNION ALL SELECT dataset, part, parent_at FROM {pairs}
) GROUP BY dataset, field
"""
_REPORTED = """
SELECT DISTINCT o.job_output, o.job, o.run, o.body FROM {occurrences} AS o
JOIN {last} AS l ON l.job_output = o.job_output AND l.last.at >= SINCE
WHERE o.at >= SINCE
"""
_ONLY_READ = """
SELECT r.job, explode(array_except(b.inputs, coalesce(w.inputs, CAST(array() AS array<bigint>))))
    AS dataset
FROM {readings} AS r JOIN {bodies} AS b ON b.id = r.body
LEFT JOIN (
    SELECT o.run, flatten(collect_list(b.inputs)) AS inputs
    FROM {reported} AS o JOIN {bodies} AS b ON b.id = o.body
    WHERE o.job IN (SELECT job FROM {readings} WHERE at >= SINCE) GROUP BY o.run
) AS w ON w.run = r.run
WHERE r.at >= SINCE
"""
_UNKNOWN = """
SELECT o.job, explode(b.unknown) AS dataset
FROM {reported} AS o JOIN {bodies} AS b ON b.id = o.body
UNION SELECT job, dataset FROM {only_read}
UNION SELECT job, dataset FROM {incomplete} WHERE last_at >= SINCE
"""
_READERS = """
SELECT DISTINCT d.canonical AS dataset, u.job, true AS is_unknown
FROM {unknown} AS u JOIN {datasets} AS d ON d.id = u.dataset
UNION SELECT input, job, kind <> 'DATASET' FROM {edges}
WHERE input IN (SELECT id FROM {datasets}) AND last_seen >= SINCE
"""
_OF_DATASETS = """
SELECT dataset, count(DISTINCT struct(r.job)) AS readers, bool_or(is_unknown) AS is_unknown,
    array_sort(collect_set(if(is_unknown, j.name, NULL))) AS unknown_readers
FROM {readers} AS r LEFT JOIN {jobs} AS j ON j.id = r.job GROUP BY dataset
"""
_ANSWER = """
SELECT d.namespace, d.name, u.field,
    if(coalesce(r.is_unknown, false), 'perhaps used', 'unused') AS status, u.at AS last_used,
    coalesce(r.readers, 0L) AS readers,
    coalesce(r.unknown_readers, CAST(array() AS array<string>)) AS unknown_readers
FROM {used} AS u JOIN {datasets} AS d ON d.id = u.dataset AND d.id = d.canonical
LEFT JOIN {of_datasets} AS r ON r.dataset = u.dataset
WHERE u.at IS NULL OR u.at < SINCE
"""


def unused(spark: SparkSession, warehouse: str, since: int) -> str:
    """Find the fields that no run used from a time on.

    Args:
        spark: The session whose application does the work.
        warehouse: The folder that `build` wrote.
        since: Milliseconds since 1970; uses before it do not count.

    Returns:
        The path of a table with the columns in COLUMNS, as `colgraph unused` has them. The status
        is `perhaps used` if a reader's columns are unknown: `unknown_readers` names such jobs.

    Raises:
        WarehouseError: There is no warehouse at the path.
    """
    return answered(spark, warehouse, "unused", [since], lambda tables: _unused(tables, since))


def _unused(tables: Tables, since: int) -> DataFrame:
    def sql(text: str, **frames: DataFrame) -> DataFrame:
        return tables.sql(text.replace("SINCE", millis(since)), **frames)

    last = sql(_LAST)
    columns = sql(_COLUMNS, listed=sql(_LISTED, last=last))
    itself = sql(_FIELDS, columns=columns)
    used = sql(_USED, itself=itself, pairs=sql(_PAIRS, itself=itself))
    reported = sql(_REPORTED, last=last)
    only_read = sql(_ONLY_READ, reported=reported)
    unknown = sql(_UNKNOWN, reported=reported, only_read=only_read)
    of_datasets = sql(_OF_DATASETS, readers=sql(_READERS, unknown=unknown))
    return sql(_ANSWER, used=used, of_datasets=of_datasets)
