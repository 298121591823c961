import json
import logging
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import column_lineage_dataset as column_lineage

from airflow_colgraph.cli.ingest import ingest
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from airflow_colgraph.transport import StoreTransport
from tests.store.unresponsive import locked

KIND = "airflow_colgraph.transport.StoreTransport"


def client(url: str) -> OpenLineageClient:
    return OpenLineageClient(config={"transport": {"type": KIND, "url": url}})


def event(number: int = 1, field: str = "total") -> RunEvent:
    how = column_lineage.Transformation("DIRECT", "AGGREGATION", "sum(amount)", False)
    source = column_lineage.InputField("file", "/lake/orders", "amount", [how])
    facet = column_lineage.ColumnLineageDatasetFacet({field: column_lineage.Fields([source])})
    return RunEvent(
        eventType=RunState.COMPLETE,
        eventTime=f"2026-11-20T10:00:{number:02}.000Z",
        run=Run(f"0199aaaa-0000-7000-8000-{number:012}"),
        job=Job("default", f"shop.daily{number}"),
        inputs=[InputDataset("file", "/lake/orders")],
        outputs=[OutputDataset("file", "/lake/mart", facets={"columnLineage": facet})],
        producer="https://example.org/test",
    )


def upstream(url: str, field: str = "total") -> list[Field]:
    with Store.open(url, migrate=False) as store:
        found = graph.upstream(store, "file", "/lake/mart", field).edges
    return [edge.input for edge in found]


AMOUNT = Field("file", "/lake/orders", "amount")


def test_an_event_is_in_the_store_when_emit_returns(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new/colgraph.db"
    client(url).emit(event())
    assert upstream(url) == [AMOUNT]


def test_the_url_may_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    monkeypatch.setenv("COLGRAPH_STORE", url)
    OpenLineageClient(config={"transport": {"type": KIND}}).emit(event())
    assert upstream(url) == [AMOUNT]


def test_forked_children_emit_through_their_parents_client(tmp_path: Path) -> None:
    """As Airflow does: a client made early, a fork for each event."""
    url = f"sqlite:///{tmp_path}/colgraph.db"
    emitter = client(url)
    emitter.emit(event(0, "f0"))
    children = []
    for number in range(1, 6):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                emitter.emit(event(number, f"f{number}"))
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 5
    assert [upstream(url, f"f{number}") for number in range(6)] == [[AMOUNT]] * 6


def test_an_event_that_the_store_does_not_take_is_kept_and_named_in_one_line(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    url = f"sqlite:///{tmp_path}/file/colgraph.db"
    with pytest.raises(StoreError) as error:
        spooling_client(url, tmp_path / "spool").emit(event())
    (kept,) = (tmp_path / "spool").glob("*")
    assert str(error.value) == (
        f"The event is not in the lineage store: The store's folder {tmp_path}/file "
        f"cannot be created: File exists. The event is kept in {kept}; "
        f"deliver it with: colgraph deliver {tmp_path}/spool"
    )
    good = f"sqlite:///{tmp_path}/good.db"
    CliRunner().invoke(ingest, ["--store", good, str(kept)])
    assert upstream(good) == [AMOUNT]


def test_a_transport_goes_on_after_a_store_that_was_locked(tmp_path: Path) -> None:
    """Events of before the lock is gone are kept, and the next one is written."""
    url = f"sqlite:///{tmp_path}/colgraph.db"
    Store.open(url).close()
    emitter = spooling_client(url, tmp_path / "spool", deadline_seconds=1)
    with locked(url), pytest.raises(StoreError, match=r"locked|more than"):
        emitter.emit(event(1, "f1"))
    spooling_client(url, tmp_path / "spool").emit(event(2, "f2"))
    (kept,) = (tmp_path / "spool").glob("*")
    assert json.loads(kept.read_text())["job"]["name"] == "shop.daily1"
    assert upstream(url, "f2") == [AMOUNT]


def spooling_client(url: str, spool: Path, **options: float) -> OpenLineageClient:
    transport = {"type": KIND, "url": url, "spool": str(spool), **options}
    return OpenLineageClient(config={"transport": transport})


def test_a_failing_store_does_not_stop_other_transports(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    good = f"sqlite:///{tmp_path}/good.db"
    transports = {
        "bad": {"type": KIND, "url": f"sqlite:///{tmp_path}/file/colgraph.db", "priority": 1},
        "good": {"type": KIND, "url": good},
    }
    composite = {"type": "composite", "continue_on_failure": True, "transports": transports}
    with caplog.at_level(logging.WARNING):
        OpenLineageClient(config={"transport": composite}).emit(event())
    assert upstream(good) == [AMOUNT]
    assert "The event is not in the lineage store" in caplog.text


def test_an_option_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="StoreTransport has no option 'uri'"):
        OpenLineageClient(config={"transport": {"type": KIND, "uri": "sqlite://"}})


def test_close(tmp_path: Path) -> None:
    transport = StoreTransport(StoreTransport.config_class(f"sqlite:///{tmp_path}/colgraph.db"))
    transport.emit(event())
    assert transport.close() is True
