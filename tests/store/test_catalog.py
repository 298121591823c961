"""Pages of lists, each after the last row of the one before, in each database."""

from functools import partial

import pytest
from sqlalchemy.engine import Connection

from airflow_colgraph.store import catalog, ran
from airflow_colgraph.store.ingest.openlineage import Job
from airflow_colgraph.store.store import Store
from tests.store.samples import copy

JOB = Job("jobs", "load").id
LISTS = {
    "datasets": (catalog.datasets, catalog.dataset_key),
    "datasets with a": (
        partial(catalog.datasets, text="a"),
        partial(catalog.dataset_key, text="a"),
    ),
    "columns": (catalog.columns, catalog.column_key),
    "jobs": (ran.jobs, ran.job_key),
    "runs": (partial(ran.runs, job_ids=[JOB]), ran.run_key),
}


@pytest.fixture
def connection(store: Store) -> Connection:
    store.add([copy("load", minute, "raw", {"x": "csv.a", "y": "csv.ab"}) for minute in (1, 2, 3)])
    store.add([copy(f"j{m}", 3, f"a/{m}", {"é": "raw.x"}, run=m) for m in (4, 5)])
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
