"""Pages of lists, each after the last row of the one before, in each database."""

import itertools
import random
from difflib import get_close_matches
from functools import partial

import pytest
from sqlalchemy.engine import Connection

from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query import job_runs, listing
from airflow_colgraph.store.query.close_names import close
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event

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
    """Of many fields only those with the first names are put in order."""
    fields = dict.fromkeys(["a_1", "A_1", "a%b", "a!b", "ax", "x"], "raw.x")
    store.add([copy_event("ties", 6, f"t/{number}", fields) for number in range(5)])
    counts = {"x": 11, "%": 5, "_": 10, "A_": 10, "!": 5, "é": 2, "a" * 2_000: 0, "": 36}
    for text, count in counts.items():
        with store.connection() as now:
            monkeypatch.setattr(listing, "FIRST", 0)
            whole = listing.columns(now, text)
            assert len(whole) == count, text
            assert all(text.lower() in one.field.lower() for one in whole)
            monkeypatch.setattr(listing, "FIRST", 1000)
            for ties, limit, offset in itertools.product((0, 1, 3, 100), (1, 4, 50), (0, 3)):
                monkeypatch.setattr(listing, "TIES", ties)
                found = listing.columns(now, text, limit, offset)
                assert found == whole[offset : offset + limit]


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
