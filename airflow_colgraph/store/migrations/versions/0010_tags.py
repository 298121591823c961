"""Tags of fields and datasets: those that events report, and those that people set and remove."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, Text

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "colgraph_reported_tags",
        Column("id", _id, primary_key=True, autoincrement=False),
        Column("dataset", _id, nullable=False),
        Column("job", _id),
        Column("first_at", BigInteger, nullable=False),
        Column("last_at", BigInteger, nullable=False),
        Column("body", LargeBinary, nullable=False),
    )
    op.create_index("colgraph_reported_tags_dataset", "colgraph_reported_tags", ["dataset"])
    op.create_table(
        "colgraph_tag_change",
        Column("id", _id, primary_key=True, autoincrement=False),
        Column("field", _id, nullable=False),
        Column("key", Text, nullable=False),
        Column("value", Text, nullable=False),
        Column("at", BigInteger, nullable=False),
        Column("is_set", Boolean, nullable=False),
        Column("source", Text, nullable=False),
        Column("by", Text, nullable=False),
    )
    op.create_index("colgraph_tag_change_field", "colgraph_tag_change", ["field"])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("colgraph_tag_change")
    op.drop_table("colgraph_reported_tags")
