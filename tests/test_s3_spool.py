"""A spool in a bucket of an S3 server, by s3fs, in an environment of its own (`make services`)."""

import os
from collections.abc import Iterator

import pytest

from airflow_colgraph import delivery
from airflow_colgraph.spools import InUse, RemoteSpool, task_spool
from airflow_colgraph.store.store import Store
from tests.collector.test_outbox import NUMBER, event, serve, stored

pytestmark = pytest.mark.services
URL = "s3://lake/colgraph-spool"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    boto3 = pytest.importorskip("boto3")
    moto = pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    boto3.client("s3").create_bucket(Bucket="lake")
    yield
    server.stop()


def test_a_spool_in_a_bucket(bucket: None) -> None:
    keeper = task_spool(URL)
    for number in range(4):
        keeper.keep(event(number))
    for number in range(4, NUMBER):
        task_spool(f"{URL}/run-{number % 2}").keep(event(number))
    spool = RemoteSpool(URL)
    assert delivery.waiting(spool)[::4] == (NUMBER, 0)
    with Store.open("sqlite://") as store:
        server = serve(store, lambda handler: False)
        target = delivery.to_server(f"http://127.0.0.1:{server.server_port}/", str)
        with spool.only(), pytest.raises(InUse):
            delivery.deliver(RemoteSpool(URL), target)
        assert delivery.deliver(spool, target) == (NUMBER, 0, 0, "")
        server.shutdown()
        assert server.taken == list(range(NUMBER))  # in order, each once
        keeper.keep({"run": {"runId": "no"}, "eventTime": "yesterday"})
        for number in range(NUMBER):
            keeper.keep(event(number))
        assert delivery.deliver(spool, delivery.into_store(store)) == (NUMBER, 1, 0, "")
        assert stored(store) == list(range(NUMBER))
    assert delivery.waiting(spool)[::4] == (0, 1)
    missing = "^s3://none/spool: The specified bucket does not exist"
    with pytest.raises(OSError, match=missing), RemoteSpool("s3://none/spool").only():
        pass
