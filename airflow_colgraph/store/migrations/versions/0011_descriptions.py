"""Descriptions and owners of datasets, as events report them."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, LargeBinary

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "colgraph_description",
        Column("id", _id, primary_key=True, autoincrement=False),
        Column("dataset", _id, nullable=False),
        Column("first_at", BigInteger, nullable=False),
        Column("last_at", BigInteger, nullable=False),
        Column("body", LargeBinary, nullable=False),
    )
    op.create_index("colgraph_description_dataset", "colgraph_description", ["dataset"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("colgraph_description")
