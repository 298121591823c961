"""Facets that are kept to be answered, what feeds jobs, and when namespaces were first seen."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, Text, false, text

from airflow_colgraph.store.model.lineage_body import key

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

_OF_EDGES = """
SELECT d.namespace, min(e.first_seen) FROM colgraph_edge AS e
JOIN colgraph_field AS f ON f.id = e.{end} JOIN colgraph_dataset AS d ON d.id = f.dataset
GROUP BY d.namespace
"""
FIRST_SEEN = (
    *(_OF_EDGES.format(end=end) for end in ("input", "output")),
    "SELECT d.namespace, min(s.first_at) FROM colgraph_schema AS s "
    "JOIN colgraph_dataset AS d ON d.id = s.dataset GROUP BY d.namespace",
    "SELECT j.namespace, min(r.started_at) FROM colgraph_run AS r "
    "JOIN colgraph_job AS j ON j.id = r.job GROUP BY j.namespace",
)


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
    _date_namespaces()


def _date_namespaces() -> None:
    """Fill in when namespaces were first seen, as far as what is stored tells."""
    connection = op.get_bind()
    first: dict[str, int] = {}
    for query in FIRST_SEEN:
        for name, at in connection.exec_driver_sql(query).all():
            first[name] = min(at, first.get(name, at))
    rows = [{"id": key("namespace", name), "name": name, "at": at} for name, at in first.items()]
    if rows:
        insert = "INSERT INTO colgraph_namespace (id, name, first_at) VALUES (:id, :name, :at)"
        connection.execute(text(insert), rows)


def downgrade() -> None:
    """Drop them; other names that ended are names again."""
    op.drop_column("colgraph_symlink", "is_ended")
    for name in (*TABLES, "namespace"):
        op.drop_table(f"colgraph_{name}")
