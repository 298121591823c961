"""Pages of lists, each after the last row of the one before, in each database."""

import itertools
import random
import re
from difflib import get_close_matches
from functools import partial

import pytest
from sqlalchemy import event as listening
from sqlalchemy.engine import Connection

from airflow_colgraph.store.admin import transfer
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query import job_runs, listing
from airflow_colgraph.store.query.close_names import close
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, event, memory_store, output

JOB = Job("jobs", "load").id
LISTS = {
    "datasets": (listing.datasets, listing.dataset_key),
    "datasets with a": (
        partial(listing.datasets, text="a"),
        partial(listing.dataset_key, text="a"),
    ),
    "columns": (listing.columns, listing.column_key),
    "jobs": (job_runs.jobs, job_runs.job_key),
    "runs": (partial(job_runs.runs, job_ids=[JOB]), job_runs.run_key),
}


@pytest.fixture
def connection(store: Store) -> Connection:
    store.add(
        [copy_event("load", minute, "raw", {"x": "csv.a", "y": "csv.ab"}) for minute in (1, 2, 3)]
    )
    store.add([copy_event(f"j{m}", 3, f"a/{m}", {"é": "raw.x"}, run=m) for m in (4, 5)])
    with store.connection() as connection:
        yield connection


def test_the_first_columns_are_those_of_all(
    store: Store, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many fields only those with the first names are joined and put in order."""
    steps = listing.FIRST
    fields = dict.fromkeys(["a_1", "A_1", "a%b", "a!b", "ax", "x"], "raw.x")
    store.add([copy_event("ties", 6, f"t/{number}", fields) for number in range(5)])
    store.add([copy_event("single", 7, "single", {f"q{n}": "raw.x" for n in range(6)})])
    counts = {"x": 11, "%": 5, "_": 10, "A_": 10, "q": 6, "é": 2, "a" * 2_000: 0, "": 42}
    counts |= {"T a": 25, "a t/1": 5, "t/1.a": 5, "single q": 6, "x a": 6, "raw t": 0}
    for text, count in counts.items():
        with store.connection() as now:
            monkeypatch.setattr(listing, "FIRST", (10_000,))
            whole = listing.columns(now, text)
            assert len(whole) == count, text
            for one in whole:
                assert all(
                    word in f"{one.name}.{one.field}".lower()
                    for word in re.split(r"[ .]", text.lower())
                )
            monkeypatch.setattr(listing, "FIRST", steps)
            for limit, offset in itertools.product((1, 2, 4, 11, 50), (0, 1, 3, 10)):
                found = listing.columns(now, text, limit, offset)
                assert found == whole[offset : offset + limit]
            for limit, (at, row) in itertools.product((1, 2, 3, 7), enumerate(whole)):
                found = listing.columns(now, text, limit, after=listing.column_key(row))
                assert found == whole[at + 1 : at + 1 + limit]


def test_words_in_any_order_find_columns_by_their_datasets_too(store: Store) -> None:
    fields = dict.fromkeys(["plane_age", "plane", "age.years"], "planes.csv.year")
    store.add([copy_event("mart", 1, "lake/mart", fields)])
    store.add([copy_event("report", 2, "lake/report", {"plane": "lake/mart.plane"})])
    planes = [("lake/mart", "plane"), ("lake/mart", "plane_age")]
    expected = {
        "age plane": [("lake/mart", "plane_age")],
        "mart plane": planes,
        "plane mart": planes,
        "MART.plane": planes,
        "age.years": [("lake/mart", "age.years")],
        "mart lake": [],
        "report age": [],
    }
    with store.connection() as connection:
        for text, columns in expected.items():
            rows = listing.columns(connection, text)
            assert [(row.name, row.field) for row in rows] == columns, text
        assert [row.name for row in listing.datasets(connection, "mart lake")] == ["lake/mart"]
        near = {
            "mart.plain_age": ["mart.plane_age"],
            "mrat.plane_age": ["mart.plane_age"],
            "reprot.plane": ["report.plane"],
            "elsewhere.plain_age": ["plane_age", "plane"],
            "age.yaers": ["age.years"],
        }
        for text, names in near.items():
            assert listing.near_columns(connection, text) == names, text


def test_every_way_into_the_store_adds_the_names_of_fields(store: Store) -> None:
    store.add([copy_event("load", 1, "raw", {"x": "csv.a", "a": "csv.a"})])
    symlinks = {"identifiers": [{"namespace": "n", "name": "other", "type": "TABLE"}]}
    store.add([event("load", 2, [output("raw", {"y": "csv.a"}, symlinks=symlinks)])])
    other = memory_store()
    assert transfer.load(other, transfer.export(store)) > 0
    for one in (store, other):
        with one.connection() as connection:
            names = [row.field for row in listing.columns(connection, limit=100)]
            query = "SELECT name FROM colgraph_field_name ORDER BY name"
            assert connection.exec_driver_sql(query).scalars().all() == ["a", "x", "y"]
        assert sorted(set(names)) == ["a", "x", "y"]


@pytest.mark.parametrize("text", ["x", "x raw", "raw.x"])
def test_sqlite_reads_the_names_of_a_search_in_their_order(text: str) -> None:
    store = memory_store()
    statements: list[tuple[str, object]] = []

    def note(_: object, __: object, statement: str, parameters: object, *more: object) -> None:
        statements.append((statement, parameters))

    store.add([copy_event("load", 1, "raw", {"x": "csv.a"})])
    listening.listen(store.engine, "before_cursor_execute", note)
    with store.connection() as connection:
        assert [row.name for row in listing.columns(connection, text, 5)] == ["raw"]
        asked = [one for one in statements if one[0].startswith("SELECT")]
        plans = [
            " ".join(row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", p))
            for sql, p in asked
        ]
    *of_names, last = plans
    assert not any(plan.startswith("SCAN colgraph_field ") for plan in plans)
    assert "SEARCH colgraph_field USING" in last
    if text == "x":
        assert len(of_names) == 1
        assert "COVERING INDEX colgraph_field_name_order" in of_names[0]
    assert not any("B-TREE" in plan for plan in of_names)


def test_close_names_are_those_that_difflib_finds() -> None:
    choose = random.Random(1)
    names = ["".join(choose.choices("abc_1", k=choose.randint(1, 9))) for _ in range(300)]
    found = 0
    for text in (*names[:60], "", "column"):
        for most, cutoff in ((1, 0.6), (3, 0.5), (10, 0.6)):
            expected = get_close_matches(text, names, n=most, cutoff=cutoff)
            assert close(text, names, most, cutoff) == expected
            found += len(expected)
    assert found > 500


@pytest.mark.parametrize("name", LISTS)
def test_pages_by_key(connection: Connection, name: str) -> None:
    rows, key = LISTS[name]
    whole = rows(connection)
    pages, after = [], None
    while page := rows(connection, limit=2, after=after):
        pages.append(page)
        after = key(page[-1])
    assert [row for page in pages for row in page] == whole
    assert len(pages) >= 2
