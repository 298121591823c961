"""API keys, and a view with the column names of Databricks' system.access.column_lineage."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, LargeBinary, Text

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

OPEN = 2**47 - 1

TIME = {
    "sqlite": "strftime('%Y-%m-%d %H:%M:%f', {} / 1000.0, 'unixepoch')",
    "postgresql": "to_timestamp({} / 1000.0)",
}
DATE = {
    "sqlite": "date({} / 1000, 'unixepoch')",
    "postgresql": "(to_timestamp({} / 1000.0) AT TIME ZONE 'UTC')::date",
}
HEX = {"sqlite": "lower(hex({}))", "postgresql": "encode({}, 'hex')"}

SEEN = f"(CASE WHEN e.last_seen = {OPEN} THEN w.last_at ELSE e.last_seen END)"

VIEW = """
CREATE VIEW colgraph_column_lineage AS
SELECT
    NULL AS account_id,
    NULL AS metastore_id,
    NULL AS workspace_id,
    'JOB' AS entity_type,
    j.name AS entity_id,
    CASE WHEN e.last_seen = {open} THEN {run} END AS entity_run_id,
    {source} AS source_table_full_name,
    sd.namespace AS source_table_catalog,
    NULL AS source_table_schema,
    sd.name AS source_table_name,
    sd.name AS source_path,
    'TABLE' AS source_type,
    s.name AS source_column_name,
    {target} AS target_table_full_name,
    td.namespace AS target_table_catalog,
    NULL AS target_table_schema,
    td.name AS target_table_name,
    td.name AS target_path,
    'TABLE' AS target_type,
    t.name AS target_column_name,
    j.namespace AS created_by,
    {time} AS event_time,
    {date} AS event_date,
    h.type AS dependency_type,
    h.subtype AS dependency_subtype,
    e.closed_at = {open} AS is_current
FROM colgraph_edge e
JOIN colgraph_writer w ON w.id = e.writer
LEFT JOIN colgraph_job j ON j.id = w.job
JOIN colgraph_transformation h ON h.id = e.transformation
JOIN colgraph_field s ON s.id = e.input
JOIN colgraph_dataset sd ON sd.id = s.dataset
JOIN colgraph_field t ON t.id = e.output
JOIN colgraph_dataset td ON td.id = t.dataset
WHERE e.kind < 2 AND s.name <> ''
"""


def upgrade() -> None:
    """Make the table and the view."""
    op.create_table(
        "colgraph_api_key",
        Column("hash", LargeBinary(32), primary_key=True),
        Column("name", Text, nullable=False, unique=True),
        Column("scopes", Text, nullable=False),
        Column("created_at", BigInteger, nullable=False),
        Column("revoked_at", BigInteger),
    )
    dialect = op.get_bind().dialect.name
    sql = VIEW.format(
        open=OPEN,
        run=HEX[dialect].format("w.last_run"),
        source="sd.namespace || '/' || sd.name",
        target="td.namespace || '/' || td.name",
        time=TIME[dialect].format(SEEN),
        date=DATE[dialect].format(SEEN),
    )
    op.get_bind().exec_driver_sql(sql.replace("%", "%%") if dialect == "postgresql" else sql)


def downgrade() -> None:
    """Drop the table and the view."""
    op.execute("DROP VIEW colgraph_column_lineage")
    op.drop_table("colgraph_api_key")
