"""What an API key may write, its limits, and when it was last used."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Text

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

NAME = "colgraph_api_key"
COLUMNS = {
    "used_at": BigInteger,
    "namespaces": Text,
    "rate": BigInteger,
    "max_body": BigInteger,
    "max_depth": BigInteger,
}


def upgrade() -> None:
    """Add the columns."""
    for name, kind in COLUMNS.items():
        op.add_column(NAME, Column(name, kind))


def downgrade() -> None:
    """Drop them."""
    for name in COLUMNS:
        op.drop_column(NAME, name)
