"""The first tables. A copy of `store.tables` of that day: later changes there do not change it."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
)

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

metadata = MetaData()
_id = BigInteger().with_variant(Integer(), "sqlite")


def _key() -> Column[int]:
    return Column("id", _id, primary_key=True, autoincrement=False)


dataset = Table(
    "colgraph_dataset",
    metadata,
    _key(),
    Column("namespace", Text, nullable=False),
    Column("name", Text, nullable=False),
    Index("colgraph_dataset_name", "name", "namespace"),
)

field = Table(
    "colgraph_field",
    metadata,
    _key(),
    Column("dataset", _id, nullable=False),
    Column("name", Text, nullable=False),
    Index("colgraph_field_dataset", "dataset", "name"),
    Index("colgraph_field_name", "name"),
)

symlink = Table(
    "colgraph_symlink",
    metadata,
    Column("alias", _id, primary_key=True),
    Column("dataset", _id, primary_key=True),
    Index("colgraph_symlink_dataset", "dataset"),
    sqlite_with_rowid=False,
)

schema = Table(
    "colgraph_schema",
    metadata,
    _key(),
    Column("dataset", _id, nullable=False),
    Column("first_at", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("colgraph_schema_dataset", "dataset", "last_at"),
)

job = Table(
    "colgraph_job",
    metadata,
    _key(),
    Column("namespace", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("dag_id", Text),
    Column("task_id", Text),
    Index("colgraph_job_name", "name", "namespace"),
)

run = Table(
    "colgraph_run",
    metadata,
    Column("id", LargeBinary(16), primary_key=True),
    Column("job", _id, nullable=False),
    Column("parent", LargeBinary(16)),
    Column("started_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column("state", SmallInteger, nullable=False),
    Column("attempt", SmallInteger),
    Column("map_index", Integer),
    Column("name", Text),
    Index("colgraph_run_job", "job", "started_at"),
    sqlite_with_rowid=False,
)

shape = Table(
    "colgraph_shape",
    metadata,
    _key(),
    Column("checksum", LargeBinary(16), nullable=False),
    Column("first_at", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

writer = Table(
    "colgraph_writer",
    metadata,
    _key(),
    Column("job", _id),
    Column("dataset", _id, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("last_run", LargeBinary(16), nullable=False),
    Column("last_shape", _id),
    Column("last_replaces", Boolean, nullable=False),
    Index("colgraph_writer_dataset", "dataset"),
    Index("colgraph_writer_job", "job"),
)

occurrence = Table(
    "colgraph_occurrence",
    metadata,
    Column("writer", _id, primary_key=True),
    Column("at", BigInteger, primary_key=True),
    Column("run", LargeBinary(16), primary_key=True),
    Column("shape", _id, primary_key=True),
    Column("replaces", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

reading = Table(
    "colgraph_reading",
    metadata,
    Column("job", _id, primary_key=True),
    Column("at", BigInteger, primary_key=True),
    Column("run", LargeBinary(16), primary_key=True),
    Column("shape", _id, primary_key=True),
    sqlite_with_rowid=False,
)

transformation = Table(
    "colgraph_transformation",
    metadata,
    _key(),
    Column("type", Text, nullable=False),
    Column("subtype", Text, nullable=False),
    Column("masking", Boolean, nullable=False),
    Column("description", Text, nullable=False),
)

edge = Table(
    "colgraph_edge",
    metadata,
    Column("output", _id, primary_key=True),
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    Column("closed_at", BigInteger, primary_key=True, autoincrement=False),
    Column("input", _id, primary_key=True),
    Column("transformation", _id, primary_key=True),
    Column("writer", _id, primary_key=True),
    Column("first_seen", BigInteger, primary_key=True, autoincrement=False),
    Column("last_seen", BigInteger, nullable=False),
    Index(
        "colgraph_edge_input",
        "input",
        "kind",
        "closed_at",
        "output",
        "transformation",
        "writer",
        "first_seen",
        "last_seen",
    ),
    Index("colgraph_edge_writer", "writer"),
    sqlite_with_rowid=False,
)


def upgrade() -> None:
    """Make the tables."""
    metadata.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables and all that is in them."""
    metadata.drop_all(op.get_bind(), checkfirst=False)
