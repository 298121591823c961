"""Two versions on one PostgreSQL: the next one's migration only adds, as it has to for this.

The next version is this one with a made migration, in a process of its own.
"""

import json
import sys
import threading
import urllib.request
from functools import partial
from pathlib import Path
from urllib.error import HTTPError

import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from airflow_colgraph.cli import main
from airflow_colgraph.collector.sinks.spool import Spool
from airflow_colgraph.operators.store_writer import NotStored, write_event
from airflow_colgraph.store import migrations
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.migrations import HEAD, VERSION_TABLE
from airflow_colgraph.store.store import Store
from tests.cli.test_serve import serving
from tests.collector.test_outbox import event, stored
from tests.store.samples import copy_event

pytestmark = pytest.mark.postgres

NEXT = """
from airflow_colgraph.store import migrations
migrations.HEAD = "9999"
from airflow_colgraph.cli import main
main()
"""
MIGRATION = (
    "ALTER TABLE colgraph_dataset ADD COLUMN made text",
    "CREATE TABLE colgraph_made (id bigint PRIMARY KEY)",
    f"UPDATE {VERSION_TABLE} SET version_num = '9999'",
)
EVENTS = 60


def migrate(url: str) -> None:
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        for statement in MIGRATION:
            connection.exec_driver_sql(statement)
    engine.dispose()


def post(address: str, number: int) -> int:
    stated = {**event(number % 60), "outputs": [{"namespace": "file", "name": f"/mart/{number}"}]}
    body = json.dumps(stated).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/api/v1/lineage", body, headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return int(response.status)


def ready(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"{address}/readyz", timeout=60) as response:
            return response.status, ""
    except HTTPError as error:
        return error.code, str(json.load(error)["schema"])


def test_both_versions_write_during_the_upgrade(postgres_store_url: str) -> None:
    with Store.open(postgres_store_url) as store:
        codes: dict[int, int] = {}

        def send(address: str, numbers: range) -> None:
            for number in numbers:
                codes[number] = post(address, number)

        with serving(postgres_store_url) as (old, _):
            before = threading.Thread(target=send, args=(old, range(EVENTS)))
            before.start()
            migrate(postgres_store_url)
            with serving(postgres_store_url, colgraph=(sys.executable, "-c", NEXT)) as (new, _):
                assert ready(new) == (200, "")
                after = threading.Thread(target=send, args=(old, range(EVENTS, 2 * EVENTS)))
                after.start()
                send(new, range(2 * EVENTS, 3 * EVENTS))
                before.join()
                after.join()
            assert ready(old) == (200, "")  # else a balancer has no server until the next one is up
        assert set(codes.values()) == {201}
        assert stored(store) == list(range(3 * EVENTS))
    with pytest.raises(StoreError) as caught:  # the former version, when it is started again
        Store.open(postgres_store_url)
    assert str(caught.value).endswith(
        "has the tables of revision 9999, of a newer version; "
        f"this one can use {HEAD}. Upgrade this one."
    )


def test_only_the_command_upgrades_a_store_on_postgresql(
    postgres_store_url: str, tmp_path: Path
) -> None:
    """Each command, server and task upgraded it by itself; 0017 is a revision from before HEAD."""
    store = Store.open(postgres_store_url)
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    migrations.downgrade(store.engine, "0017")
    needs = f"revision 0017; this version needs {HEAD}. Run colgraph db migrate"
    with pytest.raises(StoreError, match=needs):
        Store.open(postgres_store_url)
    colgraph = partial(CliRunner().invoke, main)
    for arguments in (["serve", "--port", "0"], ["find", "raw"], ["ingest", "-"]):
        refused = colgraph([*arguments, "--store", postgres_store_url])
        assert (refused.exit_code, needs in refused.output) == (1, True), refused.output
    spool = Spool(str(tmp_path))
    with pytest.raises(NotStored, match=needs):
        write_event(postgres_store_url, copy_event("load", 2, "mart", {"x": "raw.x"}), 5, spool)
    assert migrations.revision_of(store.engine) == "0017"
    assert colgraph(["db", "migrate", "--store", postgres_store_url]).exit_code == 0
    assert migrations.revision_of(store.engine) == HEAD
    delivered = colgraph(["deliver", str(tmp_path), "--store", postgres_store_url])
    assert delivered.output == "1 events delivered\n"
