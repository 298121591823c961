"""Names of any length: PostgreSQL indexes their digests, as a B-tree takes at most 2,704 bytes.

A name with its namespace is looked up by its id, which is a digest of both, in each database.
"""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Replace the indexes on names."""
    for table in ("colgraph_dataset", "colgraph_job"):
        op.drop_index(f"{table}_name", table)
        op.create_index(f"{table}_name", table, ["name"], postgresql_using="hash")
    op.drop_index("colgraph_field_name", "colgraph_field")
    op.drop_index("colgraph_field_dataset", "colgraph_field")
    op.create_index("colgraph_field_dataset", "colgraph_field", ["dataset"])


def downgrade() -> None:
    """Restore them; PostgreSQL refuses if there are longer names."""
    for table in ("colgraph_dataset", "colgraph_job"):
        op.drop_index(f"{table}_name", table)
        op.create_index(f"{table}_name", table, ["name", "namespace"])
    op.drop_index("colgraph_field_dataset", "colgraph_field")
    op.create_index("colgraph_field_dataset", "colgraph_field", ["dataset", "name"])
    op.create_index("colgraph_field_name", "colgraph_field", ["name"])
