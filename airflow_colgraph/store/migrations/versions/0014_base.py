"""All tables, views and functions of a store. A copy of the tables of that day, which stays.

Later revisions build on this one. Stores of revisions before it were never released: export one
with the version that wrote it (`colgraph db export`), and import the file into a new store.
"""

from __future__ import annotations

from typing import Any

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
    false,
    text,
)

revision = "0014"
down_revision = None
branch_labels = None
depends_on = None

OPEN = 2**47 - 1  # the time of what has not ended
metadata = MetaData()
_id = BigInteger().with_variant(Integer(), "sqlite")
_run = LargeBinary(16)


def _table(name: str, *parts: Column[Any] | Index, rowid: bool = True) -> None:
    options: dict[str, Any] = {} if rowid else {"sqlite_with_rowid": False}
    Table(f"colgraph_{name}", metadata, *parts, **options)


def _key(name: str = "id", type_: Any = _id) -> Column[Any]:
    return Column(name, type_, primary_key=True, autoincrement=False)


def _part(name: str, type_: Any = _id) -> Column[Any]:
    """A part of a key; SQLite takes an id for it."""
    return Column(name, type_, primary_key=True)


def _set(name: str, type_: Any = _id) -> Column[Any]:
    return Column(name, type_, nullable=False)


def _dated_body() -> tuple[Column[Any], ...]:
    return _set("first_at", BigInteger), _set("last_at", BigInteger), _set("body", LargeBinary)


def _by_name(table: str, index: str = "name") -> Index:
    return Index(f"colgraph_{table}_{index}", "name", postgresql_using="hash")


_table("dataset", _key(), _set("namespace", Text), _set("name", Text), _by_name("dataset"))
_table(
    "field",
    *(_key(), _set("dataset"), _set("name", Text)),
    *(Index("colgraph_field_dataset", "dataset"), _by_name("field", "by_name")),
)
_table("field_name", _key(), _set("name", Text))
_table(
    "symlink",
    *(_part("alias"), _part("dataset"), Index("colgraph_symlink_dataset", "dataset")),
    rowid=False,
)
for _name in ("schema", "description"):
    _index = Index(f"colgraph_{_name}_dataset", "dataset")
    _table(_name, _key(), _set("dataset"), *_dated_body(), _index)
_table(
    "job",
    *(_key(), _set("namespace", Text), _set("name", Text)),
    *(Column("dag_id", Text), Column("task_id", Text), _by_name("job")),
)
_table(
    "run",
    *(_part("id", _run), _set("state", SmallInteger), _set("report", SmallInteger), _set("job")),
    *(_set("started_at", BigInteger), Column("ended_at", BigInteger)),
    *(Column("job_output", _id), Column("lineage_body", _id), Column("reported_after", BigInteger)),
    *(Column("map_index", Integer), Column("attempt", SmallInteger), Column("parent", _run)),
    *(Column("name", Text), Index("colgraph_run_job", "job", text("(started_at >> 30)"))),
    rowid=False,
)
_table(
    "lineage_body",
    *(_key(), _set("checksum", _run), _set("first_at", BigInteger), _set("body", LargeBinary)),
)
_table(
    "job_output",
    *(_key(), Column("job", _id), _set("dataset"), _set("last_at", BigInteger)),
    *(_set("last_run", _run), Column("last_lineage_body", _id), _set("last_replaces", Boolean)),
    Index("colgraph_job_output_dataset", "dataset"),
    Index("colgraph_job_output_job", "job"),
)
_table(
    "run_output",
    *(_part("job_output"), _part("at", BigInteger), _part("run", _run), _part("lineage_body")),
    _set("replaces", Boolean),
    rowid=False,
)
_table("reported", _part("job_output"), _key("at", BigInteger), _set("run", _run), rowid=False)
_table(
    "reading",
    *(_part("job"), _part("at", BigInteger), _part("run", _run), _part("lineage_body")),
    rowid=False,
)
_table(
    "transformation",
    *(_key(), _set("type", Text), _set("subtype", Text), _set("masking", Boolean)),
    _set("description", Text),
)
_table(
    "edge",
    *(_part("output"), _key("kind", SmallInteger), _key("closed_at", BigInteger), _part("input")),
    *(_part("transformation"), _part("job_output"), _key("first_seen", BigInteger)),
    _set("last_seen", BigInteger),
    Index(
        "colgraph_edge_input",
        *("input", "kind", "closed_at", "output", "transformation", "job_output"),
        *("first_seen", "last_seen"),
    ),
    Index("colgraph_edge_job_output", "job_output"),
    rowid=False,
)
_table(
    "change",
    *(_key(type_=SmallInteger), _set("edges", BigInteger)),
    Column("events", Boolean, nullable=False, server_default=false()),
)
_table("template", _key(), _set("body", LargeBinary))
_table(
    "event",
    *(_key("at", BigInteger), _key(), _set("run", _run), _set("template")),
    _set("own", LargeBinary),
    rowid=False,
)
_table(
    "reported_tags",
    *(_key(), _set("dataset"), Column("job", _id), *_dated_body()),
    Index("colgraph_reported_tags_dataset", "dataset"),
)
_table("gap", _key(), _set("job"), *_dated_body(), Index("colgraph_gap_job", "job"))
_table(
    "tag_change",
    *(_key(), _set("field"), _set("key", Text), _set("value", Text), _set("at", BigInteger)),
    *(_set("is_set", Boolean), _set("source", Text), _set("by", Text)),
    Index("colgraph_tag_change_field", "field"),
)
_table(
    "api_key",
    *(_part("hash", LargeBinary(32)), Column("name", Text, nullable=False, unique=True)),
    *(_set("scopes", Text), _set("created_at", BigInteger), Column("revoked_at", BigInteger)),
)

OCCURRENCES = """
CREATE VIEW colgraph_occurrence AS
SELECT job_output, at, run, lineage_body, replaces FROM colgraph_run_output
UNION ALL
SELECT r.job_output, r.started_at + coalesce(r.reported_after, 0), r.id, r.lineage_body,
    r.report = 2
FROM colgraph_job_output AS w JOIN colgraph_run AS r ON r.job = w.job AND r.job_output = w.id
"""

# The columns of Databricks' system.access.column_lineage.
COLUMN_LINEAGE = f"""
CREATE VIEW colgraph_column_lineage AS
SELECT
    NULL AS account_id,
    NULL AS metastore_id,
    NULL AS workspace_id,
    'JOB' AS entity_type,
    j.name AS entity_id,
    CASE WHEN e.last_seen = {OPEN} THEN {{run}} END AS entity_run_id,
    sd.namespace || '/' || sd.name AS source_table_full_name,
    sd.namespace AS source_table_catalog,
    NULL AS source_table_schema,
    sd.name AS source_table_name,
    sd.name AS source_path,
    'TABLE' AS source_type,
    s.name AS source_column_name,
    td.namespace || '/' || td.name AS target_table_full_name,
    td.namespace AS target_table_catalog,
    NULL AS target_table_schema,
    td.name AS target_table_name,
    td.name AS target_path,
    'TABLE' AS target_type,
    t.name AS target_column_name,
    j.namespace AS created_by,
    {{time}} AS event_time,
    {{date}} AS event_date,
    h.type AS dependency_type,
    h.subtype AS dependency_subtype,
    e.closed_at = {OPEN} AS is_current
FROM colgraph_edge e
JOIN colgraph_job_output w ON w.id = e.job_output
LEFT JOIN colgraph_job j ON j.id = w.job
JOIN colgraph_transformation h ON h.id = e.transformation
JOIN colgraph_field s ON s.id = e.input
JOIN colgraph_dataset sd ON sd.id = s.dataset
JOIN colgraph_field t ON t.id = e.output
JOIN colgraph_dataset td ON td.id = t.dataset
WHERE e.kind < 2 AND s.name <> ''
"""
SEEN = f"(CASE WHEN e.last_seen = {OPEN} THEN w.last_at ELSE e.last_seen END)"
COLUMN_LINEAGE_IN = {
    "sqlite": {
        "run": "lower(hex(w.last_run))",
        "time": f"strftime('%Y-%m-%d %H:%M:%f', {SEEN} / 1000.0, 'unixepoch')",
        "date": f"date({SEEN} / 1000, 'unixepoch')",
    },
    "postgresql": {
        "run": "encode(w.last_run, 'hex')",
        "time": f"to_timestamp({SEEN} / 1000.0)",
        "date": f"(to_timestamp({SEEN} / 1000.0) AT TIME ZONE 'UTC')::date",
    },
}

# PostgreSQL's own search, so that a question takes one round trip: the edges at every node that is
# reached from `ids` within a depth, and the nodes without edges. Each node is met once. The way
# goes over edges that held after `since` and were seen by `until`; of a node that was met, all
# edges that closed after `after` are given. It ends before the level that has more nodes than
# `most`. No statistics can lead the planner to scan the table.
EDGES = """
CREATE FUNCTION colgraph_{direction}(
    ids bigint[], kinds smallint[], after bigint, since bigint, until bigint, depth int, most int
) RETURNS TABLE (
    node bigint, output bigint, kind smallint, input bigint, transformation bigint,
    job_output bigint, first_seen bigint, last_seen bigint, closed_at bigint
) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    met bigint[] := ids;
    frontier bigint[] := ids;
BEGIN
    FOR level IN 2..depth LOOP
        frontier := ARRAY(
            SELECT e.{far}
            FROM unnest(frontier) AS n(id) JOIN colgraph_edge AS e ON e.{near} = n.id
            WHERE e.kind = ANY(kinds) AND e.closed_at > since AND e.first_seen <= until
            EXCEPT SELECT unnest(met)
        );
        EXIT WHEN cardinality(frontier) = 0;
        EXIT WHEN cardinality(met) + cardinality(frontier) > most;
        met := met || frontier;
    END LOOP;
    RETURN QUERY
        SELECT n.id, e.output, e.kind, e.input, e.transformation,
               e.job_output, e.first_seen, e.last_seen, e.closed_at
        FROM unnest(met) AS n(id)
        LEFT JOIN colgraph_edge AS e
            ON e.{near} = n.id AND e.kind = ANY(kinds) AND e.closed_at > after;
END $$
"""
ENDS = {"upstream": ("output", "input"), "downstream": ("input", "output")}

# For each job output and time at which it reported an edge last (OPEN: in its latest run), who
# reported it. An answer asks for few of very many runs; without statistics the planner would read
# all of them.
REPORTED_BY = f"""
CREATE FUNCTION colgraph_reported_by(job_outputs bigint[], times bigint[]) RETURNS TABLE (
    edges bigint, job_output bigint, at bigint, last_at bigint,
    namespace text, name text, dag_id text, task_id text,
    id bytea, started_at bigint, ended_at bigint, state smallint,
    attempt smallint, map_index int, parent bytea
) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
        SELECT (SELECT c.edges FROM colgraph_change AS c), n.output, n.at, w.last_at,
               j.namespace, j.name, j.dag_id, j.task_id,
               r.id, r.started_at, r.ended_at, r.state, r.attempt, r.map_index, r.parent
        FROM unnest(job_outputs, times) AS n(output, at)
        JOIN colgraph_job_output AS w ON w.id = n.output
        LEFT JOIN colgraph_job AS j ON j.id = w.job
        LEFT JOIN colgraph_reported AS o ON o.job_output = n.output AND o.at = n.at
        LEFT JOIN colgraph_run AS r
            ON r.id = CASE WHEN n.at = {OPEN} THEN w.last_run ELSE o.run END;
END $$;
"""
IN_POSTGRESQL = (
    "ALTER TABLE colgraph_job_output SET (fillfactor = 70)",
    "ALTER TABLE colgraph_schema SET (fillfactor = 70)",
    "ALTER INDEX colgraph_run_pkey SET (fillfactor = 100)",
    *(
        EDGES.format(direction=direction, near=near, far=far)
        for direction, (near, far) in ENDS.items()
    ),
    REPORTED_BY,
)
# PostgreSQL's B-trees hold no long names.
IN_SQLITE = ("CREATE INDEX colgraph_field_name_order ON colgraph_field_name (length(name), name)",)


def upgrade() -> None:
    """Create the tables, with the one row of changes, the views and the functions."""
    connection = op.get_bind()
    dialect = connection.dialect.name
    metadata.create_all(connection, checkfirst=False)
    for sql in (
        "INSERT INTO colgraph_change (id, edges) VALUES (1, 0)",
        OCCURRENCES,
        COLUMN_LINEAGE.format(**COLUMN_LINEAGE_IN[dialect]),
        *(IN_POSTGRESQL if dialect == "postgresql" else IN_SQLITE),
    ):
        # psycopg takes a % for a parameter
        connection.exec_driver_sql(sql.replace("%", "%%") if dialect == "postgresql" else sql)


def downgrade() -> None:
    """Drop them and all that is in them."""
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        for name in (*ENDS, "reported_by"):
            op.execute(f"DROP FUNCTION colgraph_{name}")
    for view in ("occurrence", "column_lineage"):
        op.execute(f"DROP VIEW colgraph_{view}")
    metadata.drop_all(connection, checkfirst=False)
