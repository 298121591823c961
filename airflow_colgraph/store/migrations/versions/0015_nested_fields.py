"""Nested fields are found by an index of their own: a whole struct contains its parts."""

from __future__ import annotations

from alembic import op
from sqlalchemy import text

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

IS_NESTED = text("name LIKE '%.%'")


def upgrade() -> None:
    """Make the index."""
    op.create_index(
        "colgraph_field_nested",
        "colgraph_field",
        ["dataset"],
        sqlite_where=IS_NESTED,
        postgresql_where=IS_NESTED,
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_index("colgraph_field_nested", "colgraph_field")
