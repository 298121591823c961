"""Searches and the overview cost little in a store with many fields, or jobs with many runs."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy.engine import Connection

from airflow_colgraph.store.query import gaps, listing, overview
from tests.store.samples import event, memory_store, output

STEPS = 100  # instructions of SQLite's virtual machine that one count stands for


@contextmanager
def counted(connection: Connection) -> Iterator[list[int]]:
    """How many times SQLite did so many steps, while the block runs."""
    steps = [0]

    def count() -> None:
        steps[0] += 1

    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    driver.set_progress_handler(count, STEPS)
    yield steps
    driver.set_progress_handler(None, STEPS)


def cost(datasets: int, ask: Callable[[Connection], object]) -> int:
    """What the question costs where one job wrote so many datasets, each in a run of its own."""
    store = memory_store()
    fields = {name: f"raw.{name}" for name in ("price", "price_net", "price_tax", "priced")}
    fields |= {f"price_{number}": "raw.price" for number in range(20)}
    store.add(
        [event("load", number, [output(f"t{number}", fields)]) for number in range(1, datasets + 1)]
    )
    with store.connection() as connection, counted(connection) as steps:
        ask(connection)
    store.close()
    return steps[0]


@pytest.mark.parametrize("text", ["t77.price", "t77 price", "price t77", "t77 pri ce"])
def test_a_search_reads_the_fields_of_the_few_datasets_that_a_word_names(text: str) -> None:
    def ask(connection: Connection) -> None:
        fields = listing.columns(connection, text)
        assert len(fields) == 24
        assert {field.name for field in fields} == {"t77"}

    fields = 300 * 24
    assert cost(300, ask) * STEPS < fields  # no step for each of them


def test_a_column_with_all_words_in_its_own_name_is_listed_as_well() -> None:
    store = memory_store()
    store.add(event("load", 1, [output("t7", {"price": "raw.a"}), output("x", {"t7": "raw.a"})]))
    store.add(
        event("load", 2, [output("y", {"t7 price": "raw.a"}), output("t8", {"t7.price": ""})])
    )
    with store.connection() as connection:
        names = {(f.name, f.field) for f in listing.columns(connection, "t7 price")}
        halves = {(f.name, f.field) for f in listing.columns(connection, "t7.price")}
    assert names == {("t7", "price"), ("y", "t7 price"), ("t8", "t7.price")}
    assert halves == {("t7", "price"), ("t8", "t7.price")}


def test_the_overview_costs_so_much_for_each_dataset_that_a_job_wrote() -> None:
    """It was four times as much for twice as many: a minute for 10,000."""

    def ask(connection: Connection) -> None:
        changes = overview.changes(connection, None)
        assert {change["state"] for change in changes} == {"new", "gone"}

    assert cost(300, ask) < 4 * cost(100, ask)


def test_the_tasks_with_gaps_are_counted_by_their_latest_runs() -> None:
    """All runs of a job were sorted for each of its gaps: 1.8 s of 400,000 runs."""

    def steps_of(days: int) -> int:
        store = memory_store()
        for day in range(1, days + 1):
            lacks = {"unresolved": [{"class": "First" if day < days // 2 else "Last", "count": 1}]}
            facets = {"colgraph_diagnostics": lacks, "airflow": {"dag": {"dag_id": "shop"}}}
            mart = [output("mart", {"x": "raw.a"})]
            store.add(event("shop.mart", day * 1440, mart, run=day, **facets))
        with store.connection() as connection, counted(connection) as steps:
            assert gaps.lacking_tasks(connection) == {"shop": 1}
        store.close()
        return steps[0]

    assert steps_of(480) < 2 * steps_of(48) + 2
