"""PostgreSQL crashes and its standby takes over: what was acknowledged is there, the rest waits."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from airflow_colgraph.store.errors import StoreUnavailable
from airflow_colgraph.store.store import Store
from tests.collector.test_outbox import NUMBER, event, stored
from tests.store.packaged_server import CRASH, packaged_server, run, standby_of, url_of
from tests.test_delivery import colgraph, emit, kept

pytestmark = pytest.mark.packaged_postgres


def test_nothing_is_lost_in_a_failover(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    with packaged_server() as url:
        primary = Path(*parse_qs(urlsplit(url).query)["host"])
        with standby_of(primary) as standby, Store.open(url_of(primary, standby)) as store:
            store.add([event(number) for number in range(2)])
            run(primary, *CRASH)
            with pytest.raises(StoreUnavailable):
                store.add(event(2))
            assert len(emit(store.url, spool)) == len(kept(spool)) == NUMBER
            run(standby, "pg_ctl", "promote", "-w")
            assert stored(store) == [0, 1]  # the same store, over connections to the other server
            done = colgraph("deliver", str(spool), "--store", store.url)
            assert (done.exit_code, done.output) == (0, f"{NUMBER} events delivered\n")
            assert stored(store) == list(range(NUMBER))
