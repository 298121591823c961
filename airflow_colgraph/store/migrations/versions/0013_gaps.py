"""What the lineage of jobs lacks, as their events report it."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, LargeBinary

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "colgraph_gap",
        Column("id", _id, primary_key=True, autoincrement=False),
        Column("job", _id, nullable=False),
        Column("first_at", BigInteger, nullable=False),
        Column("last_at", BigInteger, nullable=False),
        Column("body", LargeBinary, nullable=False),
    )
    op.create_index("colgraph_gap_job", "colgraph_gap", ["job"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("colgraph_gap")
