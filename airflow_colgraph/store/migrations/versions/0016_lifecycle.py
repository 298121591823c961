"""Datasets that were dropped, emptied or renamed, whoever reports it."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, LargeBinary, SmallInteger

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

NAME = "colgraph_lifecycle"


def upgrade() -> None:
    """Create the table."""
    id_ = BigInteger().with_variant(Integer(), "sqlite")
    op.create_table(
        NAME,
        Column("subject", id_, primary_key=True),
        Column("at", BigInteger, primary_key=True, autoincrement=False),
        Column("change", SmallInteger, primary_key=True, autoincrement=False),
        Column("run", LargeBinary(16), primary_key=True),
        Column("previous", id_, primary_key=True),
        Column("job_output", id_),
        sqlite_with_rowid=False,
    )
    for column in ("previous", "job_output"):
        op.create_index(f"{NAME}_{column}", NAME, [column])


def downgrade() -> None:
    """Drop it; what the changes ended is derived again from the next events only."""
    op.drop_table(NAME)
