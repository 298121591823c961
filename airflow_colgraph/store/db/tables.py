"""The store's tables.

Facts are stored once and never changed: names (`dataset`, `field`, `job`), lineage bodies
(`lineage_body`) and their occurrences (which run reported which lineage body for which dataset, and
when: `run`, `run_output`). `edge` is derived from them: one row per interval in which a job derived
a field from another one.

Ids are hashes of what they identify (`lineage_body.key`), so every process can compute them and two
stores that received the same events are equal row by row. Times are milliseconds since 1970, UTC.
"""

from __future__ import annotations

from typing import Any

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
from sqlalchemy.types import TypeDecorator

metadata = MetaData()
_id = BigInteger().with_variant(Integer(), "sqlite")  # INTEGER PRIMARY KEY is SQLite's row id


class Name(TypeDecorator[str]):
    """A text whose NUL characters, which PostgreSQL refuses, are U+FFFD: written and looked for."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """The text as both databases take it."""
        return value.replace("\0", "\ufffd") if value is not None and "\0" in value else value


def _key() -> Column[int]:
    return Column("id", _id, primary_key=True, autoincrement=False)


def _dated_body() -> tuple[Column[Any], ...]:
    """A lineage body, and between which times it was reported."""
    return (
        Column("first_at", BigInteger, nullable=False),
        Column("last_at", BigInteger, nullable=False),
        Column("body", LargeBinary, nullable=False),
    )


def _reports(name: str, owner: Column[Any], *others: Column[Any]) -> Table:
    """Distinct reports of something, found by their owner, without the time that each run moves."""
    columns = (_key(), owner, *others, *_dated_body())
    return Table(name, metadata, *columns, Index(f"{name}_{owner.name}", owner.name))


# A dataset under one of its names. PostgreSQL's indexes hold digests of names: an entry of a B-tree
# is at most 2,704 bytes, and names may be longer.
dataset = Table(
    "colgraph_dataset",
    metadata,
    _key(),
    Column("namespace", Name, nullable=False),
    Column("name", Name, nullable=False),
    Index("colgraph_dataset_name", "name", postgresql_using="hash"),
)

IS_NESTED = "name LIKE '%.%'"  # of a field: it may be part of a struct

# A field of a dataset. The row with the empty name is the dataset as a whole; its id is `dataset`.
field = Table(
    "colgraph_field",
    metadata,
    _key(),
    Column("dataset", _id, nullable=False),
    Column("name", Name, nullable=False),
    Index("colgraph_field_dataset", "dataset"),
    Index("colgraph_field_by_name", "name", postgresql_using="hash"),
    Index(
        "colgraph_field_nested",
        "dataset",
        sqlite_where=text(IS_NESTED),
        postgresql_where=text(IS_NESTED),
    ),
)

# The names of fields, each once: what a search reads. Many datasets have fields of the same name.
# SQLite reads them in the order of a search's results, until there are enough.
field_name = Table(
    "colgraph_field_name",
    metadata,
    _key(),
    Column("name", Name, nullable=False),
)
ORDER = "CREATE INDEX colgraph_field_name_order ON colgraph_field_name (length(name), name)"
_order = DDL(ORDER).execute_if(dialect="sqlite")  # type: ignore[no-untyped-call]
listening.listen(field_name, "after_create", _order)

# `alias` is another name of `dataset`: from OpenLineage's symlinks facet, until that is deleted.
symlink = Table(
    "colgraph_symlink",
    metadata,
    Column("alias", _id, primary_key=True),
    Column("dataset", _id, primary_key=True),
    Column("is_ended", Boolean, nullable=False, server_default=false()),
    Index("colgraph_symlink_dataset", "dataset"),
    sqlite_with_rowid=False,
)

# A schema that was reported for a dataset, and between which times.
schema = _reports("colgraph_schema", Column("dataset", _id, nullable=False))

# The same for its description and owners, and the descriptions of its fields.
description = _reports("colgraph_description", Column("dataset", _id, nullable=False))

# Facets of a dataset or a job (`owner`) that are only kept to be answered (`ingest.kept_facets`):
# each distinct set of them, and between which times it was reported. The same for a run.
facets = _reports("colgraph_facets", Column("owner", _id, nullable=False))
run_facets = _reports("colgraph_run_facets", Column("run", LargeBinary(16), nullable=False))

# When a namespace of datasets or jobs was first seen.
namespace = Table(
    "colgraph_namespace",
    metadata,
    _key(),
    Column("name", Name, nullable=False),
    Column("first_at", BigInteger, nullable=False),
)

# What feeds a job, or which jobs feed a dataset (`target`), as the job `by` states it.
job_source = Table(
    "colgraph_job_source",
    metadata,
    _key(),
    Column("target", _id, nullable=False),
    Column("by", _id, nullable=False),
    *_dated_body(),
    Index("colgraph_job_source_target", "target"),
    Index("colgraph_job_source_by", "by"),
)

job = Table(
    "colgraph_job",
    metadata,
    _key(),
    Column("namespace", Name, nullable=False),
    Column("name", Name, nullable=False),
    Column("dag_id", Name),
    Column("task_id", Name),
    Index("colgraph_job_name", "name", postgresql_using="hash"),
)

# `run.report`: the run reported no output; or one, to which it appended rows or whose rows it
# replaced; or its outputs are in `run_output`.
NOT_REPORTED, APPENDED, REPLACED, SEPARATE = range(4)

STRETCH = 30  # bits of the milliseconds in which runs began that `run`'s index leaves out: 12 days

# One attempt of a job. `id` is the 16 bytes of OpenLineage's runId; `name` Airflow's DAG run id.
# Most runs report one output, which is here: the output, its lineage body, and how long after the
# start it was reported (null: at the start). The columns are in the order that needs the least
# padding in PostgreSQL; the index ends with a stretch of twelve days, as equal entries share space.
run = Table(
    "colgraph_run",
    metadata,
    Column("id", LargeBinary(16), primary_key=True),
    Column("state", SmallInteger, nullable=False),
    Column("report", SmallInteger, nullable=False),
    Column("job", _id, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column(
        "job_output",
        _id,
    ),
    Column(
        "lineage_body",
        _id,
    ),
    Column("reported_after", BigInteger),
    Column("map_index", Integer),
    Column("attempt", SmallInteger),
    Column("parent", LargeBinary(16)),
    Column("name", Name),
    Index("colgraph_run_job", "job", text(f"(started_at >> {STRETCH})")),
    sqlite_with_rowid=False,
)


def stretch(runs: FromClause) -> ColumnElement[int]:
    """The stretch of time in which runs began: the index on `run` holds no finer time."""
    return stretch_of(runs.c.started_at)


def stretch_of(time: ColumnElement[int]) -> ColumnElement[int]:
    """The stretch that a time is in."""
    return time.op(">>")(literal_column(str(STRETCH)))


# A lineage body, once, under its checksum. `body` is the canonical form, compressed.
lineage_body = Table(
    "colgraph_lineage_body",
    metadata,
    _key(),
    Column("checksum", LargeBinary(16), nullable=False),
    Column("first_at", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# A job that writes a dataset (no job: declared by a DatasetEvent), and what its latest run
# reported; `last_lineage_body` is null if it reported several.
job_output = Table(
    "colgraph_job_output",
    metadata,
    _key(),
    Column("job", _id),
    Column("dataset", _id, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("last_run", LargeBinary(16), nullable=False),
    Column(
        "last_lineage_body",
        _id,
    ),
    Column("last_replaces", Boolean, nullable=False),
    Index("colgraph_job_output_dataset", "dataset"),
    Index("colgraph_job_output_job", "job"),
)

# A lineage body that a run reported beside others, or that a DatasetEvent declared.
run_output = Table(
    "colgraph_run_output",
    metadata,
    Column("job_output", _id, primary_key=True),
    Column("at", BigInteger, primary_key=True),
    Column("run", LargeBinary(16), primary_key=True),
    Column("lineage_body", _id, primary_key=True),
    Column("replaces", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

# Every lineage body that a run reported of an output: a view of `run` and `run_output`.
OCCURRENCE = f"""
CREATE VIEW colgraph_occurrence AS
SELECT job_output, at, run, lineage_body, replaces FROM colgraph_run_output
UNION ALL
SELECT r.job_output, r.started_at + coalesce(r.reported_after, 0), r.id, r.lineage_body,
    r.report = {REPLACED}
FROM colgraph_job_output AS w JOIN colgraph_run AS r ON r.job = w.job AND r.job_output = w.id
"""
occurrence = Table(
    "colgraph_occurrence",
    MetaData(),
    Column(
        "job_output",
        _id,
    ),
    Column("at", BigInteger),
    Column("run", LargeBinary(16)),
    Column(
        "lineage_body",
        _id,
    ),
    Column("replaces", Boolean),
)
listening.listen(metadata, "after_create", DDL(OCCURRENCE))  # type: ignore[no-untyped-call]

# What happened to a dataset as a whole (`model.lifecycle`), or that a JobEvent declared all lineage
# of a job. `subject`: the dataset or the job; `previous`: the dataset's name before a RENAME, else
# 0; `job_output`: the output under the new name.
lifecycle = Table(
    "colgraph_lifecycle",
    metadata,
    Column("subject", _id, primary_key=True),
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("change", SmallInteger, primary_key=True, autoincrement=False),
    Column("run", LargeBinary(16), primary_key=True),
    Column("previous", _id, primary_key=True),
    Column("job_output", _id),
    Index("colgraph_lifecycle_previous", "previous"),
    Index("colgraph_lifecycle_job_output", "job_output"),
    sqlite_with_rowid=False,
)

# Derived: the run that reported an output at a time at which some edge was last seen; of several
# runs the last one. Edges that the output's latest run reported have none.
reported = Table(
    "colgraph_reported",
    metadata,
    Column("job_output", _id, primary_key=True),
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("run", LargeBinary(16), nullable=False),
    sqlite_with_rowid=False,
)

# A run reported the properties of the datasets it read; the list is in a lineage body.
reading = Table(
    "colgraph_reading",
    metadata,
    Column("job", _id, primary_key=True),
    Column("at", BigInteger, primary_key=True),
    Column("run", LargeBinary(16), primary_key=True),
    Column("lineage_body", _id, primary_key=True),
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
# latest run of the job output reports the edge: then it is the job output's `last_at`. The key
# begins with the columns that queries filter by, so that closed edges cost a query about now
# nothing.
edge = Table(
    "colgraph_edge",
    metadata,
    Column("output", _id, primary_key=True),
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    Column("closed_at", BigInteger, primary_key=True, autoincrement=False),
    Column("input", _id, primary_key=True),
    Column("transformation", _id, primary_key=True),
    Column("job_output", _id, primary_key=True),
    Column("first_seen", BigInteger, primary_key=True, autoincrement=False),
    Column("last_seen", BigInteger, nullable=False),
    # The same row in the other direction; all its columns, so that a traversal reads one index.
    Index(
        "colgraph_edge_input",
        "input",
        "kind",
        "closed_at",
        "output",
        "transformation",
        "job_output",
        "first_seen",
        "last_seen",
    ),
    Index("colgraph_edge_job_output", "job_output"),
    sqlite_with_rowid=False,
)

# One row. `edges` is the mark of the store's state (`db.state`): what a process remembers is valid
# as long as it stays the same; runs that report the same as the one before do not change it.
# `events`: whether whole events are stored.
change = Table(
    "colgraph_change",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("edges", BigInteger, nullable=False),
    Column("events", Boolean, nullable=False, server_default=false()),
)

# Whole events, if the store is to keep them (`change.events`): what they have in common, once, and
# the values of each.
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

# The tags that a job's `tags` facets report of a dataset, and between which times: a row for each
# distinct facet. `job` is null for a DatasetEvent.
reported_tags = _reports(
    "colgraph_reported_tags", Column("dataset", _id, nullable=False), Column("job", _id)
)

# What a job reported that its lineage lacks, and between which times: a row for each distinct
# report. The body names the outputs of the event.
gap = _reports("colgraph_gap", Column("job", _id, nullable=False))

# Somebody set a tag on a field (or, by the row with the empty name, on a dataset), or removed it.
tag_change = Table(
    "colgraph_tag_change",
    metadata,
    _key(),
    Column("field", _id, nullable=False),
    Column("key", Name, nullable=False),
    Column("value", Name, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("is_set", Boolean, nullable=False),
    Column("source", Name, nullable=False),
    Column("by", Name, nullable=False),
    Index("colgraph_tag_change_field", "field"),
)

# Who may use the REST API: a key's SHA-256 (the key is 256 random bits), never the key.
api_key = Table(
    "colgraph_api_key",
    metadata,
    Column("hash", LargeBinary(32), primary_key=True),
    Column("name", Name, nullable=False, unique=True),
    Column("scopes", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Column("used_at", BigInteger),
    Column("namespaces", Text),  # patterns as a list of JSON; none: all
    Column("rate", BigInteger),  # requests a minute; none: the server's
    Column("max_body", BigInteger),  # bytes
    Column("max_depth", BigInteger),
)

# Who has logged in: the SHA-256 of what the browser's cookie has, and what the roles allow.
session = Table(
    "colgraph_session",
    metadata,
    Column("hash", LargeBinary(32), primary_key=True),
    Column("name", Name, nullable=False),
    Column("caller", Text, nullable=False),
    Column("grants", Text, nullable=False),  # lists of JSON: scopes, and patterns of namespaces
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
)

# What was forgotten: what was asked (never what it held), by whom, and how much it was.
audit = Table(
    "colgraph_audit",
    metadata,
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("action", Text, primary_key=True),
    Column("subject", Name, primary_key=True),
    Column("by", Name, nullable=False),
    Column("result", Text, nullable=False),
)
