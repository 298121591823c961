"""Facets that are kept to be answered, what feeds jobs, and when namespaces were first seen."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, Text, false

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_ID = BigInteger().with_variant(Integer(), "sqlite")
TABLES: dict[str, dict[str, Any]] = {
    "facets": {"owner": _ID},
    "run_facets": {"run": LargeBinary(16)},
    "job_source": {"target": _ID, "by": _ID},
}


def upgrade() -> None:
    """Create the tables: a dated body each, found by what it is of."""
    for name, owners in TABLES.items():
        op.create_table(
            f"colgraph_{name}",
            Column("id", _ID, primary_key=True, autoincrement=False),
            *(Column(owner, kind, nullable=False) for owner, kind in owners.items()),
            Column("first_at", BigInteger, nullable=False),
            Column("last_at", BigInteger, nullable=False),
            Column("body", LargeBinary, nullable=False),
        )
        for owner in owners:
            op.create_index(f"colgraph_{name}_{owner}", f"colgraph_{name}", [owner])
    ended = Column("is_ended", Boolean, nullable=False, server_default=false())
    op.add_column("colgraph_symlink", ended)
    op.create_table(
        "colgraph_namespace",
        Column("id", _ID, primary_key=True, autoincrement=False),
        Column("name", Text, nullable=False),
        Column("first_at", BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Drop them; other names that ended are names again."""
    op.drop_column("colgraph_symlink", "is_ended")
    for name in (*TABLES, "namespace"):
        op.drop_table(f"colgraph_{name}")
