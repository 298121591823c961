"""Whole events for stores that are told to keep them."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, false

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables, and the mark by which a store is told."""
    op.create_table(
        "colgraph_template",
        Column("id", _id, primary_key=True, autoincrement=False),
        Column("body", LargeBinary, nullable=False),
    )
    op.create_table(
        "colgraph_event",
        Column("at", BigInteger, primary_key=True, autoincrement=False),
        Column("id", _id, primary_key=True, autoincrement=False),
        Column("run", LargeBinary(16), nullable=False),
        Column("template", _id, nullable=False),
        Column("own", LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.add_column(
        "colgraph_change", Column("events", Boolean, nullable=False, server_default=false())
    )


def downgrade() -> None:
    """Drop them and the events."""
    op.drop_column("colgraph_change", "events")
    op.drop_table("colgraph_event")
    op.drop_table("colgraph_template")
