"""The store's tables.

Facts are kept once and never changed: names (`dataset`, `field`, `job`), lineage bodies (`shape`)
and their occurrences (which run reported which shape of which dataset, and when: `run`, `apart`).
`edge` is derived from them: one row per interval in which a job made a field from another one.

Ids are hashes of what they name (`shape.key`), so every process knows them without asking and two
stores that saw the same events are equal row by row. Times are milliseconds since 1970, UTC.
"""

from __future__ import annotations

from sqlalchemy import (
    DDL,
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
    false,
    literal_column,
    text,
)
from sqlalchemy import event as listening
from sqlalchemy.sql.expression import ColumnElement, FromClause

metadata = MetaData()
_id = BigInteger().with_variant(Integer(), "sqlite")  # INTEGER PRIMARY KEY is SQLite's row id


def _key() -> Column[int]:
    return Column("id", _id, primary_key=True, autoincrement=False)


# A dataset under one of its names.
dataset = Table(
    "colgraph_dataset",
    metadata,
    _key(),
    Column("namespace", Text, nullable=False),
    Column("name", Text, nullable=False),
    Index("colgraph_dataset_name", "name", "namespace"),
)

# A field of a dataset. The row with the empty name is the dataset as a whole; its id is `dataset`.
field = Table(
    "colgraph_field",
    metadata,
    _key(),
    Column("dataset", _id, nullable=False),
    Column("name", Text, nullable=False),
    Index("colgraph_field_dataset", "dataset", "name"),
    Index("colgraph_field_name", "name"),
)

# `alias` is another name of `dataset`: from OpenLineage's symlinks facet.
symlink = Table(
    "colgraph_symlink",
    metadata,
    Column("alias", _id, primary_key=True),
    Column("dataset", _id, primary_key=True),
    Index("colgraph_symlink_dataset", "dataset"),
    sqlite_with_rowid=False,
)

# A schema that was reported for a dataset, and between which times.
schema = Table(
    "colgraph_schema",
    metadata,
    _key(),
    Column("dataset", _id, nullable=False),
    Column("first_at", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("colgraph_schema_dataset", "dataset"),  # without the time, which each run moves
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

# `run.said`: of what it wrote the run said nothing, or one thing that appended or replaced rows; or
# what it said is in `apart`.
NOTHING, APPENDED, REPLACED, APART = range(4)

STRETCH = 30  # bits of the milliseconds in which runs began that `run`'s index leaves out: 12 days

# One try of a job. `id` is the 16 bytes of OpenLineage's runId; `name` Airflow's DAG run id. The
# one thing that most runs say is here: the writer, the shape, and how long after the start (no
# value: at the start). The columns are in the order that leaves PostgreSQL the least to fill up;
# the index ends with a stretch of twelve days, as entries that are the same share their space.
run = Table(
    "colgraph_run",
    metadata,
    Column("id", LargeBinary(16), primary_key=True),
    Column("state", SmallInteger, nullable=False),
    Column("said", SmallInteger, nullable=False),
    Column("job", _id, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column("writer", _id),
    Column("shape", _id),
    Column("said_after", BigInteger),
    Column("map_index", Integer),
    Column("attempt", SmallInteger),
    Column("parent", LargeBinary(16)),
    Column("name", Text),
    Index("colgraph_run_job", "job", text(f"(started_at >> {STRETCH})")),
    sqlite_with_rowid=False,
)


def stretch(runs: FromClause) -> ColumnElement[int]:
    """In which stretch of time runs began: what the index on `run` has, before what it has not."""
    return runs.c.started_at.op(">>")(literal_column(str(STRETCH)))


# A lineage body, once, under its checksum. `body` is the canonical form, compressed.
shape = Table(
    "colgraph_shape",
    metadata,
    _key(),
    Column("checksum", LargeBinary(16), nullable=False),
    Column("first_at", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# A job writing a dataset (no job: declared by a DatasetEvent), and what its latest run said;
# `last_shape` is empty if it said several things.
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

# A run reported a shape of what it wrote, beside others; or a dataset's own event did.
apart = Table(
    "colgraph_apart",
    metadata,
    Column("writer", _id, primary_key=True),
    Column("at", BigInteger, primary_key=True),
    Column("run", LargeBinary(16), primary_key=True),
    Column("shape", _id, primary_key=True),
    Column("replaces", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

# All that runs reported of what they wrote: a view of `run` and `apart`, only to be read.
OCCURRENCE = f"""
CREATE VIEW colgraph_occurrence AS
SELECT writer, at, run, shape, replaces FROM colgraph_apart
UNION ALL
SELECT r.writer, r.started_at + coalesce(r.said_after, 0), r.id, r.shape, r.said = {REPLACED}
FROM colgraph_writer AS w JOIN colgraph_run AS r ON r.job = w.job AND r.writer = w.id
"""
occurrence = Table(
    "colgraph_occurrence",
    MetaData(),
    Column("writer", _id),
    Column("at", BigInteger),
    Column("run", LargeBinary(16)),
    Column("shape", _id),
    Column("replaces", Boolean),
)
listening.listen(metadata, "after_create", DDL(OCCURRENCE))  # type: ignore[no-untyped-call]

# Derived: the run that reported for a writer at a time at which some edge was seen last; of several
# the last one. Edges that the writer's latest run states have none.
reported = Table(
    "colgraph_reported",
    metadata,
    Column("writer", _id, primary_key=True),
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("run", LargeBinary(16), nullable=False),
    sqlite_with_rowid=False,
)

# A run reported the properties of what it read; `shape` holds the list.
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

# `input` goes into `output` from `first_seen` until `closed_at`. `last_seen` is OPEN while the
# writer's latest run says so: then it is the writer's `last_at`. The key begins with what questions
# ask for, so that what is long closed costs a question about now nothing.
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
    # The same row in the other direction; all its columns, so that a walk reads one index.
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

# One row: how often the edges have changed. What a process remembers of them is right as long as
# this number stays, and runs that repeat the one before do not change it. `events`: whether whole
# events are kept.
change = Table(
    "colgraph_change",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("edges", BigInteger, nullable=False),
    Column("events", Boolean, nullable=False, server_default=false()),
)

# Whole events, if the store is told to keep them (`events`): what they have in common once, and
# what is each one's own.
template = Table(
    "colgraph_template",
    metadata,
    _key(),
    Column("body", LargeBinary, nullable=False),
)

event = Table(
    "colgraph_event",
    metadata,
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("id", _id, primary_key=True, autoincrement=False),
    Column("run", LargeBinary(16), nullable=False),
    Column("template", _id, nullable=False),
    Column("own", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# Who may use the REST API: a key's SHA-256 (the key is 256 random bits), never the key.
api_key = Table(
    "colgraph_api_key",
    metadata,
    Column("hash", LargeBinary(32), primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("scopes", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
)
