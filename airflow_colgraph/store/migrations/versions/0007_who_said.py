"""PostgreSQL's own look-up of who said edges: by their keys, planned once a connection."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# For each writer and time at which it said an edge last (the number: its latest run says it). An
# answer asks for few of very many runs; without statistics the planner would read all of them.
FUNCTION = """
CREATE FUNCTION colgraph_said(writers bigint[], times bigint[]) RETURNS TABLE (
    edges bigint, writer bigint, at bigint, last_at bigint,
    namespace text, name text, dag_id text, task_id text,
    id bytea, started_at bigint, ended_at bigint, state smallint,
    attempt smallint, map_index int, parent bytea
) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
        SELECT (SELECT c.edges FROM colgraph_change AS c), n.writer, n.at, w.last_at,
               j.namespace, j.name, j.dag_id, j.task_id,
               r.id, r.started_at, r.ended_at, r.state, r.attempt, r.map_index, r.parent
        FROM unnest(writers, times) AS n(writer, at)
        JOIN colgraph_writer AS w ON w.id = n.writer
        LEFT JOIN colgraph_job AS j ON j.id = w.job
        LEFT JOIN colgraph_reported AS o ON o.writer = n.writer AND o.at = n.at
        LEFT JOIN colgraph_run AS r
            ON r.id = CASE WHEN n.at = 140737488355327 THEN w.last_run ELSE o.run END;
END $$;
"""


def upgrade() -> None:
    """Make the function, in PostgreSQL."""
    if op.get_bind().dialect.name == "postgresql":
        op.get_bind().exec_driver_sql(FUNCTION)


def downgrade() -> None:
    """Drop it."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION colgraph_said")
