from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from airflow_colgraph.store import migrations
from airflow_colgraph.store.db import state
from airflow_colgraph.store.db.engine import connect
from airflow_colgraph.store.db.tables import metadata
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.migrations import VERSION_TABLE
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, table_rows

NESTED = "colgraph_field_nested"


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


def test_a_store_with_data_gets_the_index_on_nested_fields(store: Store) -> None:
    """The base revision was only ever upgraded empty."""
    store.add([copy_event("load", 1, "raw", {"c.x": "csv.a"}), copy_event("x", 2, "t", {"d": "c"})])
    before = table_rows(store)
    migrations.downgrade(store.engine, "0014")
    assert NESTED not in indexes(store)
    store.migrate()
    assert NESTED in indexes(store)
    assert table_rows(store) == before
    with store.connection() as connection:
        assert state.read(connection).has_nested


def indexes(store: Store) -> set[str | None]:
    return {index["name"] for index in inspect(store.engine).get_indexes("colgraph_field")}


@pytest.mark.parametrize("nested", ["x", "c.x"])
def test_each_question_finds_nested_fields_by_their_index(store: Store, nested: str) -> None:
    """Small stores answer as fast by a scan of all fields, which no test looked for."""
    wide = {f"f{number}": "csv.a" for number in range(3_000)}
    store.add([copy_event("load", minute, f"t{minute}", wide) for minute in range(3)])
    store.add(copy_event("load", 9, "last", {nested: "csv.a"}))
    explain = "EXPLAIN QUERY PLAN" if store.engine.dialect.name == "sqlite" else "EXPLAIN"
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")
        cursor = connection.connection.cursor()  # as `state` does, which no `%` of LIKE disturbs
        cursor.execute(f"{explain} {state._READ}")
        plan = "\n".join(str(row[-1]) for row in cursor.fetchall())
    assert NESTED in plan, plan
    assert "SCAN colgraph_field\n" not in plan
    assert "Seq Scan on colgraph_field" not in plan


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
        "colgraph_lifecycle",
        "colgraph_reading",
        "colgraph_reported",
        "colgraph_run",
        "colgraph_run_output",
        "colgraph_symlink",
    }


def test_a_thread_may_open_a_store_while_another_prepares_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of sixty requests at once to a silent database, some were errors of the lock's."""
    unopened = Store(f"sqlite:///{tmp_path}/store.db")

    def prepare(*_: object, **__: object) -> None:
        unopened._engine = None  # as a thread sees it that asks at the same moment
        unopened._open()

    monkeypatch.setattr(migrations, "prepare", prepare)
    unopened.prepare()
    assert unopened._is_prepared
