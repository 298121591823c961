"""Structs in closures and impact: an edge of a struct is one of each of its parts. SQL only.

The rules are those of `store.query.traversal`, which applies them to the fields that it meets. Here
they are applied to all fields before edges are followed, because tasks have numbers only. So the
parts of copies that no event names become fields, too.
"""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from airflow_colgraph.store.model import field_path
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.warehouse.resumable_tables import ResumableTables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_UNNAMED = 1_000_000  # then a part goes to the copy of its struct: some have no end
_NAMED = """
SELECT e.near, e.far, e.job, e.job_output, n.dataset AS near_dataset, n.field AS near_field,
    f.dataset, f.namespace, f.name, f.field, f.owner,
    t.type = 'DIRECT' AND t.subtype = 'IDENTITY' AND NOT t.masking
        AND n.field <> '' AND f.field <> '' AS is_copy
FROM {edges} AS e JOIN {transformations} AS t ON t.id = e.transformation
JOIN {fields} AS n ON n.id = e.near JOIN {fields} AS f ON f.id = e.far
"""
# Each nested field, once for each name that it may be inside.
_INSIDE = """
SELECT *, substring_index(field, '.', depth) AS whole FROM (
    SELECT *, explode(sequence(1, length(field) - length(replace(field, '.')))) AS depth
    FROM {fields} WHERE contains(field, '.')
)
"""
# The places of parts in copies of their structs (`field_path.in_copy`) that have no field yet.
_UNNAMED = """
SELECT xxhash64(p.dataset, p.field) AS id, p.*, true AS is_column,
    :first + row_number() OVER (ORDER BY p.owner, p.field) - 1 AS number
FROM (
    SELECT DISTINCT e.dataset, e.namespace, e.name, e.owner,
        concat(e.field, substr(i.field, length(i.whole) + 1)) AS field
    FROM {inside} AS i JOIN {named} AS e
        ON e.is_copy AND e.near_dataset = i.dataset AND e.near_field = i.whole
) AS p LEFT ANTI JOIN {fields} AS f ON f.dataset = p.dataset AND f.field = p.field
WHERE length(p.field) - length(replace(p.field, '.')) < :most
"""
_WITHIN = """
SELECT w.id AS whole, i.id AS part, i.depth, substr(i.field, length(i.whole) + 1) AS suffix
FROM {inside} AS i JOIN {fields} AS w ON w.dataset = i.dataset AND w.field = i.whole
"""
_MOVED = """
SELECT w.part AS near, coalesce(p.id, e.far) AS far, e.job, e.job_output, w.depth
FROM {within} AS w JOIN {named} AS e ON e.near = w.whole
LEFT JOIN {fields} AS p ON e.is_copy AND p.dataset = e.dataset
    AND p.field = concat(e.field, w.suffix)
    AND length(p.field) - length(replace(p.field, '.')) < :most
"""
# Upstream the edges nearest to a part count, unless its own or those of its parts say more.
_NEAREST = """
SELECT m.* FROM (
    SELECT *, max(depth) OVER (PARTITION BY near, job_output) AS nearest FROM {moved}
) AS m LEFT ANTI JOIN (
    SELECT near, job_output FROM {named}
    UNION SELECT w.whole, e.job_output FROM {within} AS w JOIN {named} AS e ON e.near = w.part
) AS said ON said.near = m.near AND said.job_output = m.job_output
WHERE m.depth = m.nearest
"""
_BOTH = """
SELECT near, far, job, job_output, false AS is_moved, false AS is_end FROM {named}
UNION ALL SELECT near, far, job, job_output, true, false FROM {moved}
"""
# Downstream an edge to a struct ends there if the job has one to a part of it from the same field.
_ENDING = """
SELECT b.near, b.job, b.is_moved, s.near IS NOT NULL AS is_end,
    if(s.near IS NULL, b.far, xxhash64(b.far, 'end')) AS far
FROM {both} AS b LEFT JOIN (
    SELECT DISTINCT e.near, w.whole AS far, e.job_output
    FROM {named} AS e JOIN {within} AS w ON w.part = e.far
) AS s ON s.near = b.near AND s.far = b.far AND s.job_output = b.job_output
"""
_ENDS = """
SELECT e.far AS id, f.dataset, f.namespace, f.name, f.field, f.owner, false AS is_column,
    :first + row_number() OVER (ORDER BY e.far) - 1 AS number, f.id AS end_of
FROM (SELECT DISTINCT far FROM {edges} WHERE is_end) AS e
JOIN {fields} AS f ON xxhash64(f.id, 'end') = e.far
"""


def structs(
    tables: ResumableTables,
    direction: str,
    *,
    fields: DataFrame,
    edges: DataFrame,
    transformations: DataFrame,
    **others: DataFrame,
) -> dict[str, DataFrame]:
    """Apply the rules for structs to the frames that `graph_pairs` packs.

    Returns the frames `fields`, with those that no event names and with ends, which are second
    numbers of fields and have no edges (`end_of` is the field's id); `edges`, with those of
    structs at their parts; and `within`, the ids of each struct (`whole`) and `part`.
    """
    sql = tables.spark.sql
    named = tables.keep(
        "structs/named",
        lambda: sql(_NAMED, edges=edges, fields=fields, transformations=transformations),
    )
    every = _with_unnamed(tables, fields, named)
    inside = sql(_INSIDE, fields=every)
    within = tables.keep("structs/within", lambda: sql(_WITHIN, inside=inside, fields=every))
    most = {"most": field_path.MOST_PARTS}
    moved = sql(_MOVED, most, within=within, named=named, fields=every)
    if direction == UP:
        moved = sql(_NEAREST, moved=moved, named=named, within=within)
    both = sql(_BOTH, named=named, moved=moved)
    if direction == DOWN:
        both = sql(_ENDING, both=both, named=named, within=within)
    followed = tables.keep("structs/edges", lambda: both)
    ends = sql(_ENDS, {"first": every.count()}, edges=followed, fields=every)
    numbered = every.unionByName(ends, allowMissingColumns=True)
    return {"fields": numbered, "edges": followed, "within": within}


def _with_unnamed(tables: ResumableTables, fields: DataFrame, named: DataFrame) -> DataFrame:
    """The fields and, round by round, the parts of copies that no event names."""
    sql = tables.spark.sql
    every, new = fields, fields
    listed = size = fields.count()
    for step in count():
        frames = {"inside": sql(_INSIDE, fields=new), "named": named, "fields": every}
        limits = {"first": size, "most": field_path.MOST_PARTS}
        new = tables.keep(f"structs/unnamed/{step}", partial(sql, _UNNAMED, limits, **frames))
        before, size = size, size + new.count()
        every = every.unionByName(new)
        if before == size or size - listed > MOST_UNNAMED:
            break
    return every
