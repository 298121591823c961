import json
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph import conf
from airflow_colgraph.exports.datahub.platform import MappingError
from airflow_colgraph.exports.http_client import SendError
from airflow_colgraph.exports.run_export import WrongUse
from airflow_colgraph.operators.export import ColgraphExportOperator
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.store import Store
from tests.exports.samples import daily, load
from tests.exports.standin import serving


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'lineage.db'}"
    opened = Store.open(url)
    opened.add([load(), daily()])
    opened.close()
    return url


def operator(**given: Any) -> ColgraphExportOperator:
    return ColgraphExportOperator(task_id="export", **given)


def test_a_file_is_written(store: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert operator(format="datahub", path=str(out), store=store).execute({}) == 7
    assert len(json.loads(out.read_text())) == 7


def test_the_store_is_that_of_the_configuration(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLGRAPH_STORE", store)
    conf.store.cache_clear()
    out = tmp_path / "out.csv"
    assert operator(format="csv", path=str(out)).execute({}) == 11
    conf.store.cache_clear()


def test_templates_are_rendered(store: str, tmp_path: Path) -> None:
    export = operator(
        format="datahub",
        path=f"{tmp_path}/{{{{ ds }}}}.json",
        since="{{ since or '' }}",
        state="{{ folder }}/state",
        store="{{ store }}",
        options={"mapping": {"env": "{{ env }}"}, "aspects": ["upstreamLineage"]},
    )
    known = {"ds": "2026-11-20", "folder": str(tmp_path), "store": store, "env": "DEV"}
    export.render_template_fields({**known, "since": None})
    assert export.execute({}) == 2
    found = json.loads((tmp_path / "2026-11-20.json").read_text())
    assert {one["entityUrn"].rpartition(",")[2] for one in found} == {"DEV)"}
    assert export.execute({}) == 0  # the state knows them


def test_only_what_changed_since(store: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    export = operator(format="openlineage", path=out, store=store, since="2026-11-20T10:30Z")
    assert export.execute({}) == 1


def test_a_connection_names_the_server_and_its_token(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as server:
        port = server.http.server_port
        given = {"conn_type": "http", "host": "127.0.0.1", "port": port, "password": "t0p"}
        monkeypatch.setenv("AIRFLOW_CONN_CATALOG", json.dumps(given))
        export = operator(
            format="openlineage", conn_id="catalog", url="/api/v1/lineage", store=store
        )
        assert export.execute({}) == 2
    asked = {(r.path, r.headers["authorization"]) for r in server.requests}
    assert asked == {("/api/v1/lineage", "Bearer t0p")}


CONNECTIONS = {
    "https": {"conn_type": "http", "host": "h", "schema": "https", "port": 8443},
    "a whole address": {"conn_type": "http", "host": "https://h:8443/"},
}


@pytest.mark.parametrize("name", CONNECTIONS)
def test_the_forms_of_a_connection(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_CATALOG", json.dumps(CONNECTIONS[name]))
    export = operator(format="datahub", conn_id="catalog")
    assert export._server() == ("https://h:8443", "")


def test_a_server_that_refuses_fails_the_task(store: str) -> None:
    with serving(lambda request: (401, "")) as server:
        export = operator(format="datahub", url=server.url, store=store)
        with pytest.raises(SendError, match=r": 401 Unauthorized\.$"):
            export.execute({})


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "format": (
        {"format": "xml", "path": "x"},
        "There is no format 'xml'. One of: openlineage, datahub, datahub-rfc, openmetadata, "
        "mermaid, dot, csv, parquet.",
    ),
    "option": (
        {"format": "csv", "path": "x", "options": {"facets": "both"}},
        "Option 'facets' does not apply to csv. It applies to: openlineage.",
    ),
    "no option": (
        {"format": "csv", "path": "x", "options": {"colour": "red"}},
        "There is no option 'colour'.",
    ),
    "server": (
        {"format": "csv", "conn_id": "x"},
        "Option 'url' does not apply to csv. It applies to: openlineage, datahub, openmetadata.",
    ),
    "two ends": (
        {"format": "datahub", "path": "x", "conn_id": "x"},
        "Both a path and a URL are given. Expected one.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_is_an_error_of_the_dag(name: str) -> None:
    given, message = WRONG[name]
    with pytest.raises(WrongUse) as caught:
        operator(**given)
    assert str(caught.value) == message


LATE: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no end": ({}, WrongUse, "Neither a path nor a URL is given. Expected one."),
    "a bad address": ({"url": "gms:8080"}, WrongUse, "'***' is not a URL."),
    "a bad time": ({"path": "x", "since": "soon"}, QuestionError, "'soon' is not a time."),
    "a bad mapping": (
        {"path": "x", "options": {"mapping": {"env": "LIVE"}}},
        MappingError,
        "The mapping: environment 'LIVE' is unknown.",
    ),
}


@pytest.mark.parametrize("name", LATE)
def test_what_only_the_run_can_know(store: str, name: str) -> None:
    given, kind, message = LATE[name]
    with pytest.raises(kind) as caught:
        operator(format="datahub", store=store, **given).execute({})
    assert str(caught.value).startswith(message)
