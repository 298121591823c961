"""What a run said goes into the run's own row, which halves what an unchanged run takes."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, SmallInteger, Text, text

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

OPEN = 2**47 - 1
_id = BigInteger().with_variant(Integer(), "sqlite")

VIEW = """
CREATE VIEW colgraph_occurrence AS
SELECT writer, at, run, shape, replaces FROM colgraph_apart
UNION ALL
SELECT r.writer, r.started_at + coalesce(r.said_after, 0), r.id, r.shape, r.said = 2
FROM colgraph_writer AS w JOIN colgraph_run AS r ON r.job = w.job AND r.writer = w.id
"""

# A run that said one thing, of what its own job writes, keeps it in its row.
RUNS = """
INSERT INTO colgraph_run_new (
    id, state, said, job, started_at, ended_at, writer, shape, said_after,
    map_index, attempt, parent, name
)
SELECT
    r.id, r.state, coalesce(o.said, 0), r.job, r.started_at, r.ended_at,
    CASE WHEN o.said < 3 THEN o.writer END,
    CASE WHEN o.said < 3 THEN o.shape END,
    CASE WHEN o.said < 3 THEN nullif(o.at - r.started_at, 0) END,
    r.map_index, r.attempt, r.parent, r.name
FROM colgraph_run AS r LEFT JOIN (
    SELECT
        s.run, s.writer, s.shape, s.at,
        CASE WHEN s.count > 1 OR t.job <> w.job THEN 3 ELSE 1 + s.replaced END AS said
    FROM (
        SELECT
            run, count(*) AS count, min(writer) AS writer, min(shape) AS shape, min(at) AS at,
            max(CASE WHEN replaces THEN 1 ELSE 0 END) AS replaced
        FROM colgraph_occurrence WHERE length(run) > 0 GROUP BY run
    ) AS s
    JOIN colgraph_run AS t ON t.id = s.run
    JOIN colgraph_writer AS w ON w.id = s.writer
) AS o ON o.run = r.id
ORDER BY r.id
"""

APART = """
INSERT INTO colgraph_apart (writer, at, run, shape, replaces)
SELECT o.writer, o.at, o.run, o.shape, o.replaces FROM colgraph_occurrence AS o
WHERE NOT EXISTS (
    SELECT 1 FROM colgraph_run_new AS r WHERE r.id = o.run AND r.writer IS NOT NULL
)
ORDER BY o.writer, o.at, o.run, o.shape
"""

REPORTED = f"""
INSERT INTO colgraph_reported (writer, at, run)
SELECT f.writer, f.last_seen, f.run FROM (
    SELECT e.writer, e.last_seen, (
        SELECT o.run FROM colgraph_occurrence AS o
        WHERE o.writer = e.writer AND o.at = e.last_seen ORDER BY o.run DESC LIMIT 1
    ) AS run
    FROM (SELECT DISTINCT writer, last_seen FROM colgraph_edge WHERE last_seen <> {OPEN}) AS e
) AS f
WHERE f.run IS NOT NULL
"""

RUNS_BACK = """
INSERT INTO colgraph_run_new (
    id, job, parent, started_at, ended_at, state, attempt, map_index, name
)
SELECT id, job, parent, started_at, ended_at, state, attempt, map_index, name
FROM colgraph_run ORDER BY id
"""

OCCURRENCES_BACK = """
INSERT INTO colgraph_occurrence_new (writer, at, run, shape, replaces)
SELECT writer, at, run, shape, replaces FROM colgraph_occurrence
"""


def _occurrences(name: str) -> None:
    op.create_table(
        name,
        Column("writer", _id, primary_key=True),
        Column("at", BigInteger, primary_key=True),
        Column("run", LargeBinary(16), primary_key=True),
        Column("shape", _id, primary_key=True),
        Column("replaces", Boolean, nullable=False),
        sqlite_with_rowid=False,
    )


def _rename(table: str) -> None:
    op.rename_table(f"{table}_new", table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"ALTER INDEX {table}_new_pkey RENAME TO {table}_pkey")


def upgrade() -> None:
    """Put what runs said into their rows; and no index over times that each run moves."""
    op.create_table(
        "colgraph_run_new",
        Column("id", LargeBinary(16), primary_key=True),
        Column("state", SmallInteger, nullable=False),
        Column("said", SmallInteger, nullable=False),
        Column("job", _id, nullable=False),
        Column("started_at", BigInteger, nullable=False),
        Column("ended_at", BigInteger),
        Column("writer", _id),
        Column("shape", _id),
        Column("said_after", BigInteger),
        Column("map_index", Integer),
        Column("attempt", SmallInteger),
        Column("parent", LargeBinary(16)),
        Column("name", Text),
        sqlite_with_rowid=False,
    )
    _occurrences("colgraph_apart")
    op.create_table(
        "colgraph_reported",
        Column("writer", _id, primary_key=True),
        Column("at", BigInteger, primary_key=True, autoincrement=False),
        Column("run", LargeBinary(16), nullable=False),
        sqlite_with_rowid=False,
    )
    for sql in (RUNS, APART, REPORTED):
        op.execute(sql)
    op.drop_table("colgraph_occurrence")
    op.drop_table("colgraph_run")
    _rename("colgraph_run")
    op.create_index("colgraph_run_job", "colgraph_run", ["job", text("(started_at >> 30)")])
    op.execute(VIEW)
    op.drop_index("colgraph_writer_last_at", "colgraph_writer")
    op.drop_index("colgraph_schema_dataset", "colgraph_schema")
    op.create_index("colgraph_schema_dataset", "colgraph_schema", ["dataset"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE colgraph_writer SET (fillfactor = 70)")
        op.execute("ALTER TABLE colgraph_schema SET (fillfactor = 70)")
        op.execute("ALTER INDEX colgraph_run_pkey SET (fillfactor = 100)")


def downgrade() -> None:
    """Give what runs said rows of their own again."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE colgraph_writer RESET (fillfactor)")
        op.execute("ALTER TABLE colgraph_schema RESET (fillfactor)")
    op.drop_index("colgraph_schema_dataset", "colgraph_schema")
    op.create_index("colgraph_schema_dataset", "colgraph_schema", ["dataset", "last_at"])
    op.create_index("colgraph_writer_last_at", "colgraph_writer", ["last_at"])
    _occurrences("colgraph_occurrence_new")
    op.execute(OCCURRENCES_BACK)
    op.execute("DROP VIEW colgraph_occurrence")
    op.create_table(
        "colgraph_run_new",
        Column("id", LargeBinary(16), primary_key=True),
        Column("job", _id, nullable=False),
        Column("parent", LargeBinary(16)),
        Column("started_at", BigInteger, nullable=False),
        Column("ended_at", BigInteger),
        Column("state", SmallInteger, nullable=False),
        Column("attempt", SmallInteger),
        Column("map_index", Integer),
        Column("name", Text),
        sqlite_with_rowid=False,
    )
    op.execute(RUNS_BACK)
    op.drop_table("colgraph_run")
    op.drop_table("colgraph_apart")
    op.drop_table("colgraph_reported")
    _rename("colgraph_run")
    _rename("colgraph_occurrence")
    op.create_index("colgraph_run_job", "colgraph_run", ["job", "started_at"])
