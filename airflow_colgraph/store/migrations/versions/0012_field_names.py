"""The names of fields, each once, and an index on them: a search reads few of a million fields."""

from __future__ import annotations

from hashlib import blake2b

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, Text, insert, select, text
from sqlalchemy.sql.expression import column, table

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

BATCH = 10_000
_id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    """Create them; names that are there already are copied."""
    names = op.create_table(
        "colgraph_field_name",
        Column("id", _id, primary_key=True, autoincrement=False),
        Column("name", Text, nullable=False),
    )
    connection = op.get_bind()
    fields = table("colgraph_field", column("name"))
    query = select(fields.c.name).where(fields.c.name != "").distinct()
    rows = connection.execute(query)
    while batch := rows.fetchmany(BATCH):
        connection.execute(insert(names), [{"id": _key(name), "name": name} for (name,) in batch])
    if connection.dialect.name == "sqlite":  # PostgreSQL's B-trees hold no long names
        order = (text("length(name)"), "name")
        op.create_index("colgraph_field_name_order", "colgraph_field_name", order)
    op.create_index("colgraph_field_by_name", "colgraph_field", ["name"], postgresql_using="hash")


def _key(name: str) -> int:
    words = b"field name\0" + name.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(words, digest_size=8).digest(), "big", signed=True)


def downgrade() -> None:
    """Drop them."""
    op.drop_index("colgraph_field_by_name", "colgraph_field")
    op.drop_table("colgraph_field_name")
