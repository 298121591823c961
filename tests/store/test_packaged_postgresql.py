"""The store on a packaged PostgreSQL, whose JIT compiles all that does not exclude it."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import graph, listing
from airflow_colgraph.store.store import Store
from tests.store import (
    test_graph,
    test_listing,
    test_migrations,
    test_restored,
    test_store,
    test_time_limits,
    test_traversal,
)
from tests.store.conftest import migrated_database, new_database
from tests.store.samples import copy_event

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.packaged_postgres,
    pytest.mark.xdist_group("packaged-postgres"),
]

# What other modules run on the server from PyPI.
chain = test_graph.chain
connection = test_listing.connection
test_ingest = test_store.test_an_unchanged_run_adds_one_row
test_ingest_by_threads = test_store.test_threads_share_a_store
test_a_bad_event = test_store.test_a_bad_event_keeps_the_whole_list_out
test_migrations_down_and_up = test_migrations.test_down_and_up_again
test_upstream = test_graph.test_upstream_goes_across_jobs_to_the_source
test_near_names = test_graph.test_unknown_names_are_answered_with_near_ones
test_walk = test_graph.test_the_walk_finds_what_a_plain_search_finds
test_traversal_of_edges = test_traversal.test_postgresql_scans_no_edges_and_is_asked_once
test_search = test_listing.test_the_first_columns_are_those_of_all
test_pages = test_listing.test_pages_by_key
test_restore = test_restored.test_a_replaced_database
test_another_writer = test_time_limits.test_another_writer
test_settings = test_time_limits.test_a_statement_in_a_transaction_and_outside

EXPLAINED = (
    "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; "
    "SET auto_explain.log_analyze = on; "
    "SET auto_explain.log_nested_statements = on; SET auto_explain.log_level = notice"
)


@pytest.fixture
def postgres_store_url(packaged_postgres_url: str) -> Iterator[str]:
    with new_database(packaged_postgres_url, "template0") as url:
        yield url


@pytest.fixture(scope="module")
def template(packaged_postgres_url: str) -> str:
    return migrated_database(packaged_postgres_url)


@pytest.fixture
def store(packaged_postgres_url: str, template: str) -> Iterator[Store]:
    with new_database(packaged_postgres_url, template) as url, Store(url) as store:
        yield store


def explain(connection: Any) -> list[str]:
    """The list to which EXPLAIN ANALYZE adds each plan from now on, those in functions included."""
    plans: list[str] = []
    connection.add_notice_handler(lambda notice: plans.append(notice.message_primary or ""))
    connection.execute(EXPLAINED)
    return plans


def plans_of(plans: list[str], text: str) -> list[str]:
    return [plan for plan in plans if text in plan]


@pytest.mark.parametrize("seconds", [None, 5])
def test_no_statement_of_the_store_is_compiled(store: Store, seconds: float | None) -> None:
    """No earlier test could see it: the server on PyPI is built without LLVM."""
    store.add([copy_event(f"j{n}", n + 1, f"d{n + 1}", {"x": f"d{n}.x"}) for n in range(5)])
    with Store(store.url, seconds=seconds) as limited:
        with limited.connection() as connection:
            driver: Any = connection.connection.driver_connection
            assert driver.execute("SHOW jit_above_cost").fetchone() == ("0",)
            assert driver.execute("SHOW jit").fetchone() == ("off",)
            plans = explain(driver)
            levels, _ = graph.search(connection, [Field("n", "d5", "x").id], graph.Question())
            assert len(listing.columns(connection, "x")) == 6
        assert sum(map(len, levels)) == 5
        assert plans_of(plans, "colgraph_upstream(")
        assert plans_of(plans, "on colgraph_edge")  # of a statement in the function
        assert plans_of(plans, "FROM colgraph_field_name")
        assert not plans_of(plans, "JIT:")


def test_a_connection_without_our_settings_compiles(store: Store) -> None:
    """So the test above fails where the settings are not applied."""
    with psycopg.connect(store.url.replace("+psycopg", "")) as connection:
        (available,) = connection.execute("SELECT pg_jit_available()").fetchone() or (None,)
        assert available, "the packaged PostgreSQL has no LLVM: install its JIT, too"
        plans = explain(connection)
        connection.execute("SELECT count(*) FROM colgraph_field_name")
    (plan,) = plans_of(plans, "FROM colgraph_field_name")
    assert "JIT:" in plan
