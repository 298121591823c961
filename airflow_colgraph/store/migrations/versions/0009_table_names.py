"""The names in the database are those in the code and the REST API.

Only names change: tables, columns and indexes are renamed, and no row is written again.
"""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

TABLES = {
    "colgraph_apart": "colgraph_run_output",
    "colgraph_shape": "colgraph_lineage_body",
    "colgraph_writer": "colgraph_job_output",
}
COLUMNS = {  # by the tables' names from here on
    "colgraph_edge": {"writer": "job_output"},
    "colgraph_job_output": {"last_shape": "last_lineage_body"},
    "colgraph_reading": {"shape": "lineage_body"},
    "colgraph_reported": {"writer": "job_output"},
    "colgraph_run": {
        "said": "report",
        "said_after": "reported_after",
        "shape": "lineage_body",
        "writer": "job_output",
    },
    "colgraph_run_output": {"shape": "lineage_body", "writer": "job_output"},
}
INDEXES = {  # the table by its name from here on, and the column
    "colgraph_edge_writer": ("colgraph_edge_job_output", "colgraph_edge", "job_output"),
    "colgraph_writer_dataset": ("colgraph_job_output_dataset", "colgraph_job_output", "dataset"),
    "colgraph_writer_job": ("colgraph_job_output_job", "colgraph_job_output", "job"),
}

VIEW = """
CREATE VIEW colgraph_occurrence AS
SELECT {job_output}, at, run, {lineage_body}, replaces FROM {run_output}
UNION ALL
SELECT r.{job_output}, r.started_at + coalesce(r.{reported_after}, 0), r.id, r.{lineage_body},
    r.{report} = 2
FROM {job_outputs} AS w JOIN colgraph_run AS r ON r.job = w.job AND r.{job_output} = w.id
"""
VIEW_NOW = VIEW.format(
    job_output="job_output",
    lineage_body="lineage_body",
    report="report",
    reported_after="reported_after",
    run_output="colgraph_run_output",
    job_outputs="colgraph_job_output",
)
VIEW_BEFORE = VIEW.format(
    job_output="writer",
    lineage_body="shape",
    report="said",
    reported_after="said_after",
    run_output="colgraph_apart",
    job_outputs="colgraph_writer",
)

# As in revision 0004.
EDGES = """
CREATE FUNCTION colgraph_{direction}(
    ids bigint[], kinds smallint[], after bigint, since bigint, until bigint, depth int, most int
) RETURNS TABLE (
    node bigint, output bigint, kind smallint, input bigint, transformation bigint,
    {job_output} bigint, first_seen bigint, last_seen bigint, closed_at bigint
) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    met bigint[] := ids;
    frontier bigint[] := ids;
BEGIN
    FOR level IN 2..depth LOOP
        frontier := ARRAY(
            SELECT e.{far}
            FROM unnest(frontier) AS n(id) JOIN colgraph_edge AS e ON e.{near} = n.id
            WHERE e.kind = ANY(kinds) AND e.closed_at > since AND e.first_seen <= until
            EXCEPT SELECT unnest(met)
        );
        EXIT WHEN cardinality(frontier) = 0;
        met := met || frontier;
        EXIT WHEN cardinality(met) > most;
    END LOOP;
    RETURN QUERY
        SELECT n.id, e.output, e.kind, e.input, e.transformation,
               e.{job_output}, e.first_seen, e.last_seen, e.closed_at
        FROM unnest(met) AS n(id)
        LEFT JOIN colgraph_edge AS e
            ON e.{near} = n.id AND e.kind = ANY(kinds) AND e.closed_at > after;
END $$
"""
ENDS = {"upstream": ("output", "input"), "downstream": ("input", "output")}

# As in revision 0007.
REPORTED_BY = """
CREATE FUNCTION {function}({outputs} bigint[], times bigint[]) RETURNS TABLE (
    edges bigint, {job_output} bigint, at bigint, last_at bigint,
    namespace text, name text, dag_id text, task_id text,
    id bytea, started_at bigint, ended_at bigint, state smallint,
    attempt smallint, map_index int, parent bytea
) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
        SELECT (SELECT c.edges FROM colgraph_change AS c), n.output, n.at, w.last_at,
               j.namespace, j.name, j.dag_id, j.task_id,
               r.id, r.started_at, r.ended_at, r.state, r.attempt, r.map_index, r.parent
        FROM unnest({outputs}, times) AS n(output, at)
        JOIN {job_outputs} AS w ON w.id = n.output
        LEFT JOIN colgraph_job AS j ON j.id = w.job
        LEFT JOIN colgraph_reported AS o ON o.{job_output} = n.output AND o.at = n.at
        LEFT JOIN colgraph_run AS r
            ON r.id = CASE WHEN n.at = 140737488355327 THEN w.last_run ELSE o.run END;
END $$;
"""
NOW = {
    "function": "colgraph_reported_by",
    "outputs": "job_outputs",
    "job_output": "job_output",
    "job_outputs": "colgraph_job_output",
}
BEFORE = {
    "function": "colgraph_said",
    "outputs": "writers",
    "job_output": "writer",
    "job_outputs": "colgraph_writer",
}


def upgrade() -> None:
    """Rename tables, columns and indexes."""
    op.execute("DROP VIEW colgraph_occurrence")
    _drop_functions(BEFORE)
    for old, new in TABLES.items():
        _rename_table(old, new)
    for table, columns in COLUMNS.items():
        for old, new in columns.items():
            op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    for old, (new, table, column) in INDEXES.items():
        _rename_index(old, new, table, column)
    _create_functions(NOW)
    op.execute(VIEW_NOW)


def downgrade() -> None:
    """Restore the names."""
    op.execute("DROP VIEW colgraph_occurrence")
    _drop_functions(NOW)
    for table, columns in COLUMNS.items():
        for old, new in columns.items():
            op.execute(f"ALTER TABLE {table} RENAME COLUMN {new} TO {old}")
    for old, new in TABLES.items():
        _rename_table(new, old)
    names = {new: old for old, new in TABLES.items()}
    columns_before = {"job_output": "writer"}
    for old, (new, table, column) in INDEXES.items():
        _rename_index(new, old, names.get(table, table), columns_before.get(column, column))
    _create_functions(BEFORE)
    op.execute(VIEW_BEFORE)


def _is_postgresql() -> bool:
    return bool(op.get_bind().dialect.name == "postgresql")


def _rename_table(old: str, new: str) -> None:
    op.rename_table(old, new)
    if _is_postgresql():
        op.execute(f"ALTER INDEX {old}_pkey RENAME TO {new}_pkey")


def _rename_index(old: str, new: str, table: str, column: str) -> None:
    if _is_postgresql():
        op.execute(f"ALTER INDEX {old} RENAME TO {new}")
        return
    op.drop_index(old, table)  # SQLite cannot rename one
    op.create_index(new, table, [column])


def _drop_functions(names: dict[str, str]) -> None:
    if _is_postgresql():
        for direction in ENDS:
            op.execute(f"DROP FUNCTION colgraph_{direction}")
        op.execute(f"DROP FUNCTION {names['function']}")


def _create_functions(names: dict[str, str]) -> None:
    if not _is_postgresql():
        return
    for direction, (near, far) in ENDS.items():
        column = names["job_output"]
        sql = EDGES.format(direction=direction, near=near, far=far, job_output=column)
        op.get_bind().exec_driver_sql(sql)
    op.get_bind().exec_driver_sql(REPORTED_BY.format(**names))
