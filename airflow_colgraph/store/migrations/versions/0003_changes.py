"""A count of the edges' changes, so that processes know how long they may remember edges."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, SmallInteger

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table with its one row, and the index by which stale writers are found."""
    op.create_table(
        "colgraph_change",
        Column("id", SmallInteger, primary_key=True, autoincrement=False),
        Column("edges", BigInteger, nullable=False),
    )
    op.execute("INSERT INTO colgraph_change (id, edges) VALUES (1, 0)")
    op.create_index("colgraph_writer_last_at", "colgraph_writer", ["last_at"])


def downgrade() -> None:
    """Drop both."""
    op.drop_index("colgraph_writer_last_at", "colgraph_writer")
    op.drop_table("colgraph_change")
