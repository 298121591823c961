"""Events sent over HTTP into another store of ours, with an API key: a real server, no stand-in."""

from collections.abc import Iterator

import pytest

from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.exports.exporters import Options, send_all
from airflow_colgraph.exports.http_client import SendError
from airflow_colgraph.exports.store_reader import lineage
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.store import Store
from tests.api.serving import served


@pytest.fixture
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str]]:
    """An empty store and the address of its server."""
    store = Store.open(f"sqlite:///{tmp_path_factory.mktemp('other')}/lineage.db")
    with store, served(create_app(store, require_api_key(store))) as client:
        yield store, f"{client.base_url}/colgraph/api/v1/lineage"


@pytest.mark.parametrize("facets", ["columnLineage", "lineage"])
def test_another_store_gets_the_same_lineage(
    store: Store, other: tuple[Store, str], facets: str
) -> None:
    theirs, url = other
    key = api_keys.add(theirs, "export", ["ingest"])
    state: dict[str, str] = {}
    options = Options(facets=facets, state=state)
    with store.connection() as connection:
        assert send_all(connection, "openlineage", options, url, key) == 2
        assert send_all(connection, "openlineage", options, url, key) == 0
        ours = lineage(connection)
    with theirs.connection() as connection:
        found = lineage(connection)
    assert found == ours


def test_without_a_key_nothing_is_taken(store: Store, other: tuple[Store, str]) -> None:
    theirs, url = other
    with store.connection() as connection, pytest.raises(SendError, match=": 401 Unauthorized: "):
        send_all(connection, "openlineage", Options(), url, "colgraph_wrong")
    with theirs.connection() as connection:
        assert lineage(connection).outputs == ()
