"""What was forgotten, and who did it."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Text

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

NAME = "colgraph_audit"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        NAME,
        Column("at", BigInteger, primary_key=True, autoincrement=False),
        Column("action", Text, primary_key=True),
        Column("subject", Text, primary_key=True),
        Column("by", Text, nullable=False),
        Column("result", Text, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table(NAME)
