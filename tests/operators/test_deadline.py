"""Lineage never takes a task longer than its deadline, and the task's own time-out is the job's."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk.exceptions import AirflowTaskTimeout
from airflow.sdk.execution_time.timeout import timeout
from click.testing import CliRunner

from airflow_colgraph.cli.ingest import ingest
from airflow_colgraph.extractors import forward
from airflow_colgraph.operators import sql_reading, store_writer
from airflow_colgraph.operators.deadline import Budget, TooSlow, within
from airflow_colgraph.store.errors import StoreUnavailable
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from tests.operators.conftest import Fake
from tests.operators.test_inject import context
from tests.operators.test_spark_submit import ours, warnings
from tests.operators.test_sql import connection_to, done, edges
from tests.silent_server import silent_server
from tests.store.unresponsive import locked

FAR = 600  # seconds: a hang


@pytest.fixture
def store_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store with tables, and a short deadline."""
    url = f"sqlite:///{tmp_path}/store.db"
    Store.open(url).close()
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", url)
    monkeypatch.setenv("AIRFLOW__COLGRAPH__DEADLINE_SECONDS", "5")
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SPOOL", str(tmp_path / "spool"))
    return url


def kept(folder: Path) -> list[dict[str, Any]]:
    """The events in a spool."""
    return [json.loads(file.read_text()) for file in sorted(folder.glob("*"))]


def ingested(url: str, folder: Path) -> str:
    return CliRunner().invoke(ingest, ["--store", url, str(folder)]).output


def sources(url: str) -> set[str]:
    with Store.open(url) as store:
        found = graph.upstream(store, "file", "mart", "a").edges
    return {edge.input.field for edge in found}


def test_a_locked_store_does_not_fail_a_task_whose_job_has_ended(
    fake: Fake,
    store_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Earlier tests ran `execute` without Airflow's own time-out around it."""
    stock = SparkSubmitOperator.execute

    def execute(self: Any, context: Any) -> None:
        stock(self, context)
        signal.setitimer(signal.ITIMER_REAL, 0.3)  # what is left of the task's time

    monkeypatch.setattr(SparkSubmitOperator, "execute", execute)
    fake.job(writes=["mart"])
    operator = ours()
    with locked(store_url), timeout(FAR):
        operator.execute(context())
    (warning,) = (line for line in warnings(capsys) if "not in the store" in line)
    (file,) = (tmp_path / "spool").glob("*")
    assert "database is locked" in warning
    assert f"deliver it with: colgraph deliver {file.parent}" in warning
    assert operator.colgraph_store is None
    assert [o.name for o in operator.get_openlineage_facets_on_complete(None).outputs] == ["mart"]
    assert "1 events added" in ingested(store_url, tmp_path / "spool")
    assert sources(store_url) == {"a"}


def test_a_database_that_says_nothing_is_left_alone(
    fake: Fake,
    store_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Earlier tests had databases that refuse: nobody waits for these."""
    fake.job(writes=["mart"])
    started = time.monotonic()
    with silent_server() as server:
        url = f"postgresql://me:hunter2@127.0.0.1:{server.port}/lineage"
        monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", url)
        ours().execute(context())
    assert time.monotonic() - started < 60
    (warning,) = (line for line in warnings(capsys) if "not in the store" in line)
    assert "hunter2" not in warning
    assert len(kept(tmp_path / "spool")) == 1
    assert "1 events added" in ingested(store_url, tmp_path / "spool")


def test_an_event_that_cannot_be_kept_either_is_called_lost(
    fake: Fake, store_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "spool").write_text("a file is in the way")
    fake.job(writes=["mart"])
    with locked(store_url):
        ours().execute(context())
    (warning,) = (line for line in warnings(capsys) if "not in the store" in line)
    assert f"The event is lost: it cannot be kept in {tmp_path}/spool either" in warning


def test_a_task_still_times_out_in_its_job() -> None:
    def task() -> None:
        with timeout(1):
            within(FAR, lambda: time.sleep(1.2))  # the clock stands still
            time.sleep(FAR)

    with pytest.raises(AirflowTaskTimeout):
        task()


def test_a_time_out_that_is_set_for_no_task_stays_off() -> None:
    assert within(5, lambda: 1) == 1
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 // 0)


def test_the_budget_is_spent_once() -> None:
    released = threading.Event()
    budget = Budget(0.2)
    assert budget.run(lambda: 1) == 1
    for _ in range(2):
        with pytest.raises(TooSlow, match="it took more than"):
            budget.run(lambda: released.wait(FAR))
    assert budget.left == 0
    budget.renew()
    assert budget.left == 0.2
    released.set()


def test_what_may_pass_is_tried_again_and_nothing_else(tmp_path: Path) -> None:
    """An outage of a second lost what fell into it."""
    failures: list[Exception] = [StoreUnavailable("away"), StoreUnavailable("away")]
    tries = []

    def write() -> None:
        tries.append(1)
        if failures:
            raise failures.pop(0)

    spool = store_writer.Spool(str(tmp_path / "spool"))
    store_writer.deliver(write, {"run": {}}, 30, spool)
    assert len(tries) == 3
    assert not (tmp_path / "spool").exists()
    failures.append(store_writer.StoreError("no such table"))
    with pytest.raises(store_writer.NotStored, match=r"^no such table. The event is kept in "):
        store_writer.deliver(write, {"run": {"runId": "1"}}, 30, spool)
    assert len(tries) == 4
    failures.append(KeyError("hunter2"))
    with pytest.raises(store_writer.NotStored, match=r"^writing it failed \(KeyError\). The event"):
        store_writer.deliver(write, {"run": {"runId": "2"}}, 30, spool)
    assert [event["run"]["runId"] for event in kept(tmp_path / "spool")] == ["1", "2"]


def test_events_of_an_http_sink_are_not_called_sent(
    fake: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line was printed of a dead server, too: only the driver knows."""
    fake.job(silent=True)
    operator = ours(conf={"spark.colgraph.sink": "http://me:hunter2@127.0.0.1:9/api"})
    operator.execute(context())
    printed = capsys.readouterr().out
    assert "the job sends its lineage to http://127.0.0.1:9/api itself" in printed
    assert "was sent" not in printed


@pytest.fixture
def silent_transport(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    released = threading.Event()
    adapter = SimpleNamespace(emit=lambda event: released.wait(FAR))
    monkeypatch.setattr(forward, "listener_adapter", lambda: adapter)
    yield
    released.set()


def test_a_transport_that_says_nothing_keeps_the_jobs_file(
    fake: Fake,
    store_url: str,
    silent_transport: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__FORWARD_EVENTS", "True")
    fake.job(writes=["mart"])
    operator = ours()
    operator.execute(context())
    (warning,) = (line for line in warnings(capsys) if "forwarded" in line)
    assert Path(str(operator.colgraph_sink)).is_file()
    assert f"All are in {operator.colgraph_sink}" in warning
    assert sources(store_url) == {"a"}


def test_schemas_that_do_not_come_leave_time_for_the_statements(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    monkeypatch.setattr(sql_reading, "_rows", lambda *_: released.wait(FAR))
    monkeypatch.setenv("AIRFLOW_CONN_SHOP", connection_to(tmp_path / "shop.db"))
    operator = done("CREATE TABLE b AS SELECT 1 AS x")
    released.set()
    assert edges(operator) == set()
    assert [o.name for o in operator.get_openlineage_facets_on_complete(None).outputs] == ["b"]
