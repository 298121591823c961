"""Reading ahead in PostgreSQL stops before the level that has more nodes than are asked for.

It stopped after that level, which in a dense graph has ten times as many nodes as all before it.
"""

from __future__ import annotations

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

EDGES = """
CREATE OR REPLACE FUNCTION colgraph_{direction}(
    ids bigint[], kinds smallint[], after bigint, since bigint, until bigint, depth int, most int
) RETURNS TABLE (
    node bigint, output bigint, kind smallint, input bigint, transformation bigint,
    job_output bigint, first_seen bigint, last_seen bigint, closed_at bigint
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
        {before}
        met := met || frontier;
        {after}
    END LOOP;
    RETURN QUERY
        SELECT n.id, e.output, e.kind, e.input, e.transformation,
               e.job_output, e.first_seen, e.last_seen, e.closed_at
        FROM unnest(met) AS n(id)
        LEFT JOIN colgraph_edge AS e
            ON e.{near} = n.id AND e.kind = ANY(kinds) AND e.closed_at > after;
END $$
"""
ENDS = {"upstream": ("output", "input"), "downstream": ("input", "output")}
EXIT_BEFORE = "EXIT WHEN cardinality(met) + cardinality(frontier) > most;"
EXIT_AFTER = "EXIT WHEN cardinality(met) > most;"


def upgrade() -> None:
    """Replace the functions."""
    _replace(before=EXIT_BEFORE, after="")


def downgrade() -> None:
    """Restore them."""
    _replace(before="", after=EXIT_AFTER)


def _replace(before: str, after: str) -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    for direction, (near, far) in ENDS.items():
        sql = EDGES.format(direction=direction, near=near, far=far, before=before, after=after)
        op.get_bind().exec_driver_sql(sql)
