import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from airflow_colgraph.store import migrations
from airflow_colgraph.store.db.engine import connect
from airflow_colgraph.store.db.tables import metadata
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.migrations import VERSION_TABLE
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, table_rows


def test_the_revisions_make_the_tables_that_the_code_uses(store: Store) -> None:
    with store.connection() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
        assert migrations.current(connection) == migrations.HEAD


def test_head_is_the_last_revision() -> None:
    from alembic.script import ScriptDirectory

    script = ScriptDirectory.from_config(migrations.config())
    assert script.get_current_head() == migrations.HEAD


def test_down_and_up_again(store: Store) -> None:
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    migrations.downgrade(store.engine, "base")
    names = set(inspect(store.engine).get_table_names())
    assert names == {VERSION_TABLE}
    store.migrate()
    assert {name: rows for name, rows in table_rows(store).items() if rows} == {}


def test_a_store_of_an_unknown_revision_is_left_alone(store: Store) -> None:
    """The error says what to do about a newer store, and about one that was never released."""
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    before = table_rows(store)
    with store.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '0007'")
    with pytest.raises(StoreError, match=r"revision 0007.* newer .* older .*db export"):
        store.migrate()
    assert table_rows(store) == before


def test_a_store_that_is_up_to_date_is_left_alone(store: Store) -> None:
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    before = table_rows(store)
    store.migrate()
    assert table_rows(store) == before


def test_only_the_edge_tables_are_without_row_ids_in_sqlite() -> None:
    """Rows of a body's size in a table without row ids take a page each."""
    engine = connect("sqlite://")
    metadata.create_all(engine)
    with engine.begin() as connection:
        found = connection.exec_driver_sql("SELECT name, wr FROM pragma_table_list WHERE wr")
        names = {row[0] for row in found if row[0].startswith("colgraph_")}
    assert names == {
        "colgraph_edge",
        "colgraph_event",
        "colgraph_reading",
        "colgraph_reported",
        "colgraph_run",
        "colgraph_run_output",
        "colgraph_symlink",
    }
