"""Tasks whose store fails half of the time: all is as without it, and nothing is lost."""

from pathlib import Path

import pytest

from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.query.job_runs import runs
from airflow_colgraph.store.store import Store
from bench.tasks import KIND, run, unreliable_store
from tests.test_delivery import colgraph

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]

TASKS = 10


def test_no_task_is_other_than_without_lineage(tmp_path: Path) -> None:
    with unreliable_store(2) as database:
        transport = {"type": KIND, "url": database.unreliable, "deadline_seconds": 1}
        ran = run(tmp_path / "home", TASKS, transport, with_us=True)
        assert ran.states == [*["success"] * 9, "failed"], ran.log[-5000:]
        assert ran.rows == [(number, 5.0) for number in range(1, TASKS)]
        spool = tmp_path / "home" / "spool"
        assert [*spool.glob("part-*")], "the store did not fail"
        done = colgraph("deliver", str(spool), "--store", database.url)
        assert (done.exit_code, "refused" in done.output) == (0, False), done.output
        with Store.open(database.url) as store, store.connection() as connection:
            states = [run.state for run in runs(connection, limit=100) if run.map_index is not None]
            assert sorted(states) == [*["COMPLETE"] * 9, "FAIL"]
            (edge,) = upstream(store, f"sqlite:{tmp_path}/home/shop.db", "mart", "total").edges
            assert edge.input.field == "amount"
