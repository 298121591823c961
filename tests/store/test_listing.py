"""Pages of lists, each after the last row of the one before, in each database."""

from functools import partial

import pytest
from sqlalchemy.engine import Connection

from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query import job_runs, listing
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
