"""ColgraphDeliverOperator: a real server, and the documentation's DAG in a real Airflow."""

import fcntl
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from airflow_colgraph import conf, delivery
from airflow_colgraph.operators.deliver import ColgraphDeliverOperator, NoSpool, NotDelivered
from airflow_colgraph.spools import InUse, LocalSpool, task_spool
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.errors import BadStoreUrl
from airflow_colgraph.store.store import Store
from tests.cli.test_serve import serving
from tests.collector.test_outbox import NUMBER, event, serve, stored
from tests.operators.documented_dag import run_documented
from tests.test_delivery import fill, kept

ALL = {"delivered": NUMBER, "refused": 0, "dropped": 0}


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "spool"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path}/store.db")
    yield opened
    opened.close()


def drain(spool: Path | str | None, **options: Any) -> dict[str, int]:
    task = ColgraphDeliverOperator(
        task_id="drain", spool=spool and str(spool), patience=0, **options
    )
    return task.execute({})


def connect(monkeypatch: pytest.MonkeyPatch, address: str, key: str = "") -> None:
    monkeypatch.setenv("AIRFLOW_CONN_LINEAGE", connection(address, key))


def connection(address: str, key: str) -> str:
    url = urlsplit(address)
    return json.dumps(
        {"conn_type": "http", "host": url.hostname, "port": url.port, "password": key}
    )


def test_a_server_with_keys_gets_the_events_once(
    store: Store, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLGRAPH_SINK_TOKEN", "of another server")
    key = api_keys.add(store, "airflow", ["ingest"])
    fill(spool)
    (spool / "part-9").write_text("{half")
    with serving(store.url, "--keys") as (address, _):
        connect(monkeypatch, address, key)
        assert drain(spool, conn_id="lineage") == {**ALL, "refused": 1}
        assert drain(spool, conn_id="lineage") == {"delivered": 0, "refused": 0, "dropped": 0}
        connect(monkeypatch, address, "colgraph_no_key")
        fill(spool, range(1))
        with pytest.raises(NotDelivered, match=r"1 files are left in .*spool: .*401") as caught:
            drain(spool, conn_id="lineage")
    assert "colgraph_no_key" not in str(caught.value)
    assert len(list((spool / "refused").glob("answer-*"))) == 1
    assert stored(store) == list(range(NUMBER))


def test_the_order_is_kept_and_what_is_left_fails_the_task(
    store: Store, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(spool)
    server = serve(store, lambda handler: len(server.requests) > 4 and handler.answer(503))
    connect(monkeypatch, f"http://127.0.0.1:{server.server_port}")
    with pytest.raises(NotDelivered, match=r"^6 files are left .* 503\. 4 events were delivered"):
        drain(spool, conn_id="lineage")
    assert kept(spool) == [f"/mart/{number}" for number in range(4, NUMBER)]
    server.fault = lambda handler: False  # the next try of the task
    assert drain(spool, conn_id="lineage") == {**ALL, "delivered": 6}
    server.shutdown()
    assert server.taken == list(range(NUMBER))


def test_the_store_and_the_spool_of_the_configuration(
    store: Store, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SPOOL", str(spool))
    conf.spool.cache_clear()
    assert drain(None, store=store.url) == {**ALL, "delivered": 0}  # it does not exist yet
    fill(spool)
    monkeypatch.delenv("COLGRAPH_STORE", raising=False)
    conf.store.cache_clear()
    with pytest.raises(BadStoreUrl, match=r"^Nothing takes the events\."):
        drain(None)
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", store.url)
    conf.store.cache_clear()
    assert drain(None) == ALL
    assert stored(store) == list(range(NUMBER))


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("/nowhere", NoSpool, "/nowhere is no folder of this worker."),
        ("s3:bucket", OSError, "s3:bucket is no URL. Expected e.g. s3://bucket/folder."),
    ],
)
def test_a_spool_that_cannot_be_read(
    name: str, error: type[Exception], message: str, store: Store
) -> None:
    with pytest.raises(error) as caught:
        ColgraphDeliverOperator(task_id="drain", spool=name, store=store.url).execute({})
    assert str(caught.value) == message


def test_a_spool_on_another_file_system(store: Store) -> None:
    keeper = task_spool("memory://tasks/spool")
    for number in range(NUMBER):
        keeper.keep(event(number))
    assert drain("memory://tasks/spool", store=store.url) == ALL
    assert drain("memory://tasks/spool", store=store.url) == {**ALL, "delivered": 0}
    assert stored(store) == list(range(NUMBER))


def test_another_process_drains_it(store: Store, spool: Path) -> None:
    fill(spool)
    with (spool / ".deliver.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InUse):
            drain(spool, store=store.url)
    assert len(delivery.waiting_files(LocalSpool(spool))) == NUMBER


@pytest.mark.airflow
def test_the_dag_of_the_documentation(store: Store, spool: Path, tmp_path: Path) -> None:
    key = api_keys.add(store, "airflow", ["ingest"])
    fill(spool)
    (spool / "part-9").write_text("{half")
    with serving(store.url, "--keys") as (address, _):
        result, text = run_documented(
            "colgraph_deliver",
            "drain",
            tmp_path,
            {"/mnt/shared/colgraph-spool": str(spool)},
            AIRFLOW_CONN_LINEAGE=connection(address, key),
        )
    assert (result["state"], result["report"]) == ("success", {**ALL, "refused": 1})
    assert result["metrics"] == {
        "colgraph_spool_delivered": NUMBER,
        **dict.fromkeys(("colgraph_spool_events", "colgraph_spool_bytes"), 0),
        **dict.fromkeys(("colgraph_spool_oldest_seconds", "colgraph_spool_dropped"), 0),
        "colgraph_spool_refused": 1,
    }
    assert key not in text
    assert stored(store) == list(range(NUMBER))
    assert kept(spool) == []
