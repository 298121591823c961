"""Alembic's entry: runs the revisions on the connection that `migrations.upgrade` opened."""

from alembic import context

from airflow_colgraph.store.db.tables import metadata
from airflow_colgraph.store.migrations import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
context.run_migrations()
