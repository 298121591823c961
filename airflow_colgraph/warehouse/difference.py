"""What changed between two times, of every dataset. SQL only.

The definition is `store.model.compare`; of each job that wrote a dataset by a time the latest run
counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_colgraph.warehouse.answers import Tables, answered, millis

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = (
    "namespace",
    "name",
    "change",
    "field",
    "input_namespace",
    "input_name",
    "input_field",
    "type",
    "subtype",
    "masking",
    "description",
    "before",
    "after",
)
# The bodies that each output's latest run by the time reported, under the dataset's canonical name.
_LATEST = """
SELECT * FROM (
    SELECT *, max(last_at) OVER (PARTITION BY job_output) AS latest FROM (
        SELECT o.job_output, o.body, any_value(d.canonical) AS dataset, min(o.at) AS first_at,
            max(struct(o.at, o.run)).at AS last_at, max(struct(o.at, o.run)).run AS last_run
        FROM {occurrences} AS o JOIN {datasets} AS d ON d.id = o.dataset
        WHERE o.at <= TIME GROUP BY o.job_output, o.body
    )
) WHERE last_at = latest
"""
_EDGES = """
SELECT DISTINCT dataset, edge.output, edge.input, edge.transformation FROM (
    SELECT l.dataset, explode(b.edges) AS edge
    FROM {latest} AS l JOIN {bodies} AS b ON b.id = l.body
) WHERE edge.kind <> 'DATASET'
"""
_CHANGED_EDGES = """
SELECT dataset, output, input, transformation, bool_or(is_new) AS is_new FROM (
    SELECT *, false AS is_new FROM {before} UNION ALL SELECT *, true AS is_new FROM {after}
) GROUP BY dataset, output, input, transformation HAVING count(*) = 1
"""
_SCHEMAS = """
SELECT dataset, max_by(columns, struct(last_at, first_at, body, last_run)) AS columns FROM (
    SELECT l.*, from_json(b.body, 'schema array<array<string>>').schema AS columns
    FROM {latest} AS l JOIN {bodies} AS b ON b.id = l.body
) WHERE size(columns) > 0 GROUP BY dataset
"""
_TYPES = """
SELECT dataset, column[0] AS field, max_by(column[1], place) AS type FROM (
    SELECT dataset, posexplode(columns) AS (place, column) FROM {schemas}
) GROUP BY dataset, column[0]
"""
_MADE = """
SELECT DISTINCT dataset, entry[0] AS field FROM (
    SELECT l.dataset, explode(from_json(b.body, 'fields array<array<string>>').fields) AS entry
    FROM {latest} AS l JOIN {bodies} AS b ON b.id = l.body
)
"""
_COLUMNS = """
SELECT dataset, field, t.type, coalesce(m.is_made, false) AS is_made, true AS is_there,
    count(t.type) OVER (PARTITION BY dataset) > 0 AS has_schema
FROM {types} AS t FULL JOIN (SELECT *, true AS is_made FROM {made}) AS m
    USING (dataset, field)
"""
_BOTH = """
SELECT dataset, field, o.type AS before, n.type AS after,
    coalesce(o.is_there, false) AS was_there, coalesce(n.is_there, false) AS is_there,
    coalesce(o.is_made, false) AS was_made, coalesce(n.is_made, false) AS is_made,
    coalesce(bool_or(o.is_there) OVER d, false) AS was_known,
    coalesce(bool_or(n.is_there) OVER d, false) AS is_known,
    coalesce(bool_or(o.has_schema) OVER d, false) AS had_schema,
    coalesce(bool_or(n.has_schema) OVER d, false) AS has_schema
FROM {before} AS o FULL JOIN {after} AS n USING (dataset, field)
WINDOW d AS (PARTITION BY dataset)
"""
_CHANGED_COLUMNS = """
SELECT *, CASE
    WHEN NOT was_there AND was_known AND (is_made OR had_schema) THEN 'column-added'
    WHEN NOT is_there AND is_known AND (was_made OR has_schema) THEN 'column-removed'
    WHEN before <> '' AND after <> '' AND before <> after THEN 'type-changed' END AS change
FROM {both}
"""
# An output that runs reported under two of its names has the same edge twice.
_ANSWER = """
SELECT DISTINCT d.namespace, d.name, if(c.is_new, 'edge added', 'edge removed') AS change, o.field,
    i.namespace AS input_namespace, i.name AS input_name, i.field AS input_field,
    t.type, t.subtype, t.masking, t.description,
    CAST(NULL AS string) AS before, CAST(NULL AS string) AS after
FROM {edge_changes} AS c JOIN {datasets} AS d ON d.id = c.dataset
JOIN {fields} AS o ON o.id = c.output JOIN {fields} AS i ON i.id = c.input
JOIN {transformations} AS t ON t.id = c.transformation
UNION ALL
SELECT d.namespace, d.name, c.change, c.field, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    if(c.change = 'column-added', NULL, coalesce(c.before, '')),
    if(c.change = 'column-removed', NULL, coalesce(c.after, ''))
FROM {columns} AS c JOIN {datasets} AS d ON d.id = c.dataset WHERE c.change IS NOT NULL
"""


def difference(spark: SparkSession, warehouse: str, before: int, after: int) -> str:
    """Find what changed in the lineage and schema of every dataset between two times.

    Args:
        spark: The session whose application does the work.
        warehouse: The folder that `build` wrote.
        before: A time in milliseconds since 1970.
        after: A later one.

    Returns:
        The path of a table with a row for each change: namespace, name, change (`edge added`,
        `edge removed`, `column-added`, `column-removed`, `type-changed`) and field; of edges the
        input and the transformation, of columns the types before and after.

    Raises:
        WarehouseError: There is no warehouse at the path.
    """
    return answered(
        spark, warehouse, "diff", [before, after], lambda tables: _changes(tables, before, after)
    )


def _changes(tables: Tables, before: int, after: int) -> DataFrame:
    edges, columns = [], []
    for at in (before, after):
        latest = tables.sql(_LATEST.replace("TIME", millis(at)))
        edges.append(tables.sql(_EDGES, latest=latest))
        types = tables.sql(_TYPES, schemas=tables.sql(_SCHEMAS, latest=latest))
        columns.append(tables.sql(_COLUMNS, types=types, made=tables.sql(_MADE, latest=latest)))
    edge_changes = tables.sql(_CHANGED_EDGES, before=edges[0], after=edges[1])
    both = tables.sql(_BOTH, before=columns[0], after=columns[1])
    changed = tables.sql(_CHANGED_COLUMNS, both=both)
    return tables.sql(_ANSWER, edge_changes=edge_changes, columns=changed)
