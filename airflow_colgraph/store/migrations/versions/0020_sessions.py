"""Who has logged in."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, LargeBinary, Text

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

NAME = "colgraph_session"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        NAME,
        Column("hash", LargeBinary(32), primary_key=True),
        Column("name", Text, nullable=False),
        Column("caller", Text, nullable=False),
        Column("grants", Text, nullable=False),
        Column("created_at", BigInteger, nullable=False),
        Column("expires_at", BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table(NAME)
