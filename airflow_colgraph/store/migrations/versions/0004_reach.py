"""PostgreSQL's own search, so that a question takes one round trip."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# The edges at every node that is reached from `ids` within a depth, and the nodes without edges.
# Each node is met once. The way goes over edges that held after `since` and were seen by `until`;
# of a node that was met, all edges that closed after `after` are given. No statistics can lead
# the planner to scan the table.
FUNCTION = """
CREATE FUNCTION colgraph_{direction}(
    ids bigint[], kinds smallint[], after bigint, since bigint, until bigint, depth int, most int
) RETURNS TABLE (
    node bigint, output bigint, kind smallint, input bigint, transformation bigint,
    writer bigint, first_seen bigint, last_seen bigint, closed_at bigint
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
               e.writer, e.first_seen, e.last_seen, e.closed_at
        FROM unnest(met) AS n(id)
        LEFT JOIN colgraph_edge AS e
            ON e.{near} = n.id AND e.kind = ANY(kinds) AND e.closed_at > after;
END $$
"""
ENDS = {"upstream": ("output", "input"), "downstream": ("input", "output")}


def upgrade() -> None:
    """Make the functions, in PostgreSQL."""
    if op.get_bind().dialect.name == "postgresql":
        for direction, (near, far) in ENDS.items():
            sql = FUNCTION.format(direction=direction, near=near, far=far)
            op.get_bind().exec_driver_sql(sql)


def downgrade() -> None:
    """Drop them."""
    if op.get_bind().dialect.name == "postgresql":
        for direction in ENDS:
            op.execute(f"DROP FUNCTION colgraph_{direction}")
