"""A version's edges as pairs of numbers, packed so that a task can have them all.

A row has a part's name and pairs in order, each as `far * 2**32 + near` (`reach.relation`):

    edges    field to field, one hop downstream
    members  a dataset as a whole to its fields; only where INDIRECT edges are followed
    owners   field to dataset
    columns  as `owners`, only fields that are columns
    readers  field to the jobs that read it
    dags     job to DAG
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SLICE = 1024  # numbers of which the pairs are one row
# Fields by number, those of a dataset one after the other.
_FIELDS = """
SELECT id, dataset, field <> '' AS is_column,
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
_PAIRS = {
    "edges": """
        SELECT n.number AS near, f.number AS far FROM {edges} AS e
        JOIN {fields} AS n ON n.id = e.near JOIN {fields} AS f ON f.id = e.far""",
    "members": """
        SELECT w.number AS near, m.number AS far
        FROM {fields} AS m JOIN {fields} AS w ON w.id = m.dataset WHERE w.id <> m.id""",
    "owners": "SELECT number AS near, owner AS far FROM {fields}",
    "columns": "SELECT number AS near, owner AS far FROM {fields} WHERE is_column",
    "readers": """
        SELECT n.number AS near, j.number AS far FROM {edges} AS e
        JOIN {fields} AS n ON n.id = e.near JOIN {jobs} AS j ON j.id = e.job""",
    "dags": "SELECT number AS near, dag AS far FROM {jobs} WHERE dag IS NOT NULL",
}
_PACKED = f"""
SELECT '{{part}}' AS part, sort_array(collect_set(far * 4294967296 + near)) AS pairs
FROM {{{{pairs}}}} GROUP BY far div {_SLICE}
"""


def numbered_fields(fields: DataFrame) -> DataFrame:
    """The fields that edges have, with a `number` each and that of their dataset, `owner`."""
    return fields.sparkSession.sql(_FIELDS, fields=fields)


def packed(edges: DataFrame, fields: DataFrame, jobs: DataFrame, members: bool) -> DataFrame:
    """The rows of all parts.

    Args:
        edges: Those that are followed, with the columns near, far and job.
        fields: The numbered ones.
        jobs: The table of jobs.
        members: Whether that part is wanted.

    Returns:
        A frame with the columns part and pairs.
    """
    spark = edges.sparkSession
    frames = {"edges": edges, "fields": fields, "jobs": spark.sql(_JOBS, jobs=jobs)}
    parts = []
    for part, text in _PAIRS.items():
        if part == "members" and not members:
            continue
        named = {name: frame for name, frame in frames.items() if f"{{{name}}}" in text}
        pairs = spark.sql(text, **named)
        parts.append(spark.sql(_PACKED.format(part=part), pairs=pairs))
    return reduce(lambda left, other: left.unionByName(other), parts)
