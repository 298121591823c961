"""A version's edges as pairs of numbers, packed so that a task can have them all.

A row has a part's name and pairs in order, each as `far * 2**32 + near` (`reach.relation`):

    starts   set of starts to field; only of closures
    edges    field to field, one hop
    members  a dataset as a whole to its fields; only where INDIRECT edges are followed
    owners   field to dataset
    columns  as `owners`, only fields that are columns
    readers  field to the jobs that read it
    dags     job to DAG

Only if there are structs (`struct_parts`):

    moved    as `edges`: those of structs, at their parts
    within   struct to its parts
    parts    as `within`, only parts that an event names
    ends     a second number of a field to its first
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SLICE = 1024  # numbers whose pairs are one row
# Fields by number, those of a dataset one after the other.
_FIELDS = """
SELECT id, dataset, namespace, name, field, field <> '' AS is_column,
    row_number() OVER (ORDER BY dataset, id) - 1 AS number,
    dense_rank() OVER (ORDER BY dataset) - 1 AS owner
FROM {fields} WHERE id = canonical
"""
_JOBS = """
SELECT id, dag_id, row_number() OVER (ORDER BY id) - 1 AS number,
    if(dag_id IS NULL, NULL, dense_rank() OVER (ORDER BY dag_id)) AS dag
FROM {jobs}
"""
# What a task needs, as pairs of numbers (`reach.Relation`).
PAIRS = {
    "edges": """
        SELECT n.number AS near, f.number AS far FROM {edges} AS e
        JOIN {fields} AS n ON n.id = e.near JOIN {fields} AS f ON f.id = e.far
        WHERE NOT e.is_moved""",
    "moved": """
        SELECT n.number AS near, f.number AS far FROM {edges} AS e
        JOIN {fields} AS n ON n.id = e.near JOIN {fields} AS f ON f.id = e.far
        WHERE e.is_moved""",
    "within": """
        SELECT w.number AS near, p.number AS far FROM {within} AS i
        JOIN {fields} AS w ON w.id = i.whole JOIN {fields} AS p ON p.id = i.part""",
    "parts": """
        SELECT w.number AS near, p.number AS far FROM {within} AS i
        JOIN {fields} AS w ON w.id = i.whole JOIN {listed} AS p ON p.id = i.part""",
    "ends": """
        SELECT e.number AS near, f.number AS far
        FROM {fields} AS e JOIN {fields} AS f ON f.id = e.end_of""",
    "members": """
        SELECT w.number AS near, m.number AS far
        FROM {listed} AS m JOIN {listed} AS w ON w.id = m.dataset WHERE w.id <> m.id""",
    # upstream the other way round: a field to its dataset
    "members upstream": """
        SELECT m.number AS near, w.number AS far
        FROM {fields} AS m JOIN {fields} AS w ON w.id = m.dataset WHERE w.id <> m.id""",
    "owners": "SELECT number AS near, owner AS far FROM {fields}",
    "columns": "SELECT number AS near, owner AS far FROM {fields} WHERE is_column",
    "readers": """
        SELECT n.number AS near, j.number AS far FROM {edges} AS e
        JOIN {fields} AS n ON n.id = e.near JOIN {jobs} AS j ON j.id = e.job""",
    "dags": "SELECT number AS near, dag AS far FROM {jobs} WHERE dag IS NOT NULL",
}
STRUCT_PARTS = ("moved", "within", "parts", "ends")  # those of PAIRS that structs need
_PACKED = f"""
SELECT '{{part}}' AS part, sort_array(collect_set(far * 4294967296 + near)) AS pairs
FROM {{{{pairs}}}} GROUP BY far div {_SLICE}
"""


def numbered_fields(fields: DataFrame) -> DataFrame:
    """The fields that edges have, with a `number` each and that of their dataset, `owner`."""
    return fields.sparkSession.sql(_FIELDS, fields=fields)


def numbered_jobs(jobs: DataFrame) -> DataFrame:
    """The jobs with a `number` each and that of their DAG, `dag`."""
    return jobs.sparkSession.sql(_JOBS, jobs=jobs)


def part_of_graph(part: str, **frames: DataFrame) -> DataFrame:
    """The packed pairs of a part in PAIRS, which needs some of the frames."""
    text = PAIRS[part]
    named = {name: frame for name, frame in frames.items() if f"{{{name}}}" in text}
    (frame, *_) = named.values()
    return packed(part.partition(" ")[0], frame.sparkSession.sql(text, **named))


def packed(part: str, pairs: DataFrame) -> DataFrame:
    """The pairs of numbers `near` and `far` as rows of the part."""
    return pairs.sparkSession.sql(_PACKED.format(part=part), pairs=pairs)
