"""Every way out of the store: to a file and to a server."""

import io
import json
from typing import Any

import pyarrow.parquet
import pytest

from airflow_colgraph.exports import http_client
from airflow_colgraph.exports.exporters import DOCUMENTS, FORMATS, SENDERS, Options, send_all
from airflow_colgraph.exports.http_client import SendError
from airflow_colgraph.exports.openlineage_events import events
from airflow_colgraph.exports.store_reader import lineage
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store
from tests.exports.samples import FACTS, load
from tests.exports.standin import Request, serving


def written(store: Store, name: str, options: Options = Options()) -> tuple[int, bytes]:  # noqa: B008
    file = io.BytesIO()
    with store.connection() as connection:
        count = FORMATS[name].write(connection, options, file)
    return count, file.getvalue()


COUNTS = {
    "openlineage": 2,
    "datahub": 7,
    "datahub-rfc": 35,
    "openmetadata": 2,
    "mermaid": 7,
    "dot": 7,
    "csv": 11,
    "parquet": 11,
}


def units(name: str, text: bytes) -> int:
    """How many units are in a file, counted without our code."""
    if name == "datahub":
        return len(json.loads(text))
    if name == "parquet":
        return int(pyarrow.parquet.read_table(io.BytesIO(text)).num_rows)
    if name in ("mermaid", "dot"):
        return text.count(b"-->") + text.count(b" -> ")
    lines = text.splitlines()
    return len(lines) - 1 if name == "csv" else len([json.loads(line) for line in lines])


def test_the_formats_are_those_of_the_issue() -> None:
    assert set(FORMATS) == set(COUNTS)
    assert set(DOCUMENTS) >= set(SENDERS)
    assert {name for name in FORMATS if "url" in FORMATS[name].options} == set(SENDERS)
    assert {name for name in FORMATS if "state" in FORMATS[name].options} == set(DOCUMENTS)


@pytest.mark.parametrize("name", COUNTS)
def test_the_whole_store(store: Store, name: str) -> None:
    count, text = written(store, name)
    assert (count, units(name, text)) == (COUNTS[name], COUNTS[name])


@pytest.mark.parametrize("name", COUNTS)
def test_nothing_changed_since(store: Store, name: str) -> None:
    since = Options(since=clock.parse_iso("2026-11-21T00:00:00Z"))
    count, text = written(store, name, since)
    assert (count, units(name, text)) == (0, 0)


@pytest.mark.parametrize("name", COUNTS)
def test_the_same_store_gives_the_same_file(store: Store, name: str) -> None:
    again = Store.open("sqlite://")
    with store.connection() as connection:
        stated = list(events(lineage(connection)))
    again.add(stated[::-1])
    first, second = written(store, name), written(store, name)
    assert first == second
    if name in ("datahub", "datahub-rfc", "openmetadata", "openlineage"):
        assert written(again, name)[0] == first[0]


def test_only_what_differs_from_the_state(store: Store) -> None:
    for name in DOCUMENTS:
        state: dict[str, str] = {}
        every = written(store, name, Options(state=state))
        assert every == written(store, name)
        assert written(store, name, Options(state=state))[0] == 0
    kept: dict[str, str] = {}
    written(store, "datahub", Options(state=kept))
    store.add(load(3, "2026-11-19T10:00:00Z"))  # late, and nothing new
    store.add(load(4, "2026-11-21T10:00:00Z"))  # a new run, and nothing new
    assert written(store, "datahub", Options(state=kept)) == (0, b"[]\n")
    store.add(load(5, "2026-11-22T10:00:00Z", note="TRANSFORMATION"))
    count, text = written(store, "datahub", Options(state=kept))
    changed = {(one["entityUrn"], one["aspectName"]) for one in json.loads(text)}
    assert count == 2
    assert changed == {
        (f"urn:li:dataset:(urn:li:dataPlatform:hdfs,{FACTS[1]},PROD)", "upstreamLineage"),
        ("urn:li:dataJob:(urn:li:dataFlow:(airflow,shop,prod),load)", "dataJobInputOutput"),
    }


def sent(store: Store, name: str, url: str, **options: Any) -> int:
    with store.connection() as connection:
        return send_all(connection, name, Options(**options), url, "t0p")


def test_events_to_marquez(store: Store) -> None:
    with serving(lambda request: (201, "")) as server:
        assert sent(store, "openlineage", f"{server.url}/api/v1/lineage") == 2
    with store.connection() as connection:
        assert [r.body for r in server.requests] == list(events(lineage(connection)))
    asked = {(r.method, r.path, r.headers["authorization"]) for r in server.requests}
    assert asked == {("POST", "/api/v1/lineage", "Bearer t0p")}


def test_proposals_to_a_gms(store: Store) -> None:
    with serving(lambda request: (200, {"value": "urn"})) as server:
        assert sent(store, "datahub", f"{server.url}/") == 7
    asked = {
        (r.method, r.path, r.headers["authorization"], r.headers["x-restli-protocol-version"])
        for r in server.requests
    }
    assert asked == {("POST", "/aspects?action=ingestProposal", "Bearer t0p", "2.0.0")}
    bodies = [r.body for r in server.requests]
    assert {(tuple(body), body["async"]) for body in bodies} == {(("proposal", "async"), "false")}
    proposals = json.loads(written(store, "datahub")[1])
    for body, proposal in zip(bodies, proposals, strict=True):
        aspect = body["proposal"].pop("aspect")
        assert set(aspect) == {"contentType", "value"}
        assert aspect["contentType"] == "application/json"
        assert json.loads(aspect["value"]) == proposal.pop("aspect")["json"]
        assert body["proposal"] == proposal


def test_what_a_gms_took_before_it_failed_is_not_sent_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        http_client.send, "__kwdefaults__", {**http_client.send.__kwdefaults__, "pauses": ()}
    )
    state: dict[str, str] = {}
    with serving(lambda request: (200 if len(server.requests) <= 3 else 500, {})) as server:
        with pytest.raises(SendError, match="500 Internal Server Error"):
            sent(store, "datahub", server.url, state=state)
        assert len(state) == 3
    with serving() as server:
        assert sent(store, "datahub", server.url, state=state) == 4
        assert sent(store, "datahub", server.url, state=state) == 0
    assert len(server.requests) == 4


IDS = {
    "/v1/topics/name/kafka.%22demo.orders%22": "1",
    "/v1/containers/name/hdfs.%2Fdemo%2Ffact_orders": "2",
    "/v1/tables/name/postgres.shop.mart.daily": "3",
}


def test_edges_to_openmetadata_with_ids(store: Store) -> None:
    def answer(request: Request) -> tuple[int, Any]:
        return (200, {"id": IDS[request.path]}) if request.method == "GET" else (200, None)

    with serving(answer) as server:
        assert sent(store, "openmetadata", server.url) == 2
    asked = [r.path for r in server.requests if r.method == "GET"]
    assert sorted(asked) == sorted(IDS)
    puts = [(r.path, r.body["edge"]) for r in server.requests if r.method == "PUT"]
    assert [(path, e["fromEntity"], e["toEntity"]) for path, e in puts] == [
        ("/v1/lineage", {"id": "1", "type": "topic"}, {"id": "2", "type": "container"}),
        ("/v1/lineage", {"id": "2", "type": "container"}, {"id": "3", "type": "table"}),
    ]
    assert [len(e["lineageDetails"]["columnsLineage"]) for _, e in puts] == [4, 3]


def test_what_openmetadata_does_not_know_is_warned_of_and_sent_once_it_does(store: Store) -> None:
    def answer(request: Request) -> tuple[int, Any]:
        known = request.method != "GET" or request.path in paths
        return (200, {"id": "9"}) if known else (404, {"message": "not found"})

    warnings: list[str] = []
    state: dict[str, str] = {}
    paths = {path for path in IDS if "topics" not in path}
    with serving(answer) as server:
        assert sent(store, "openmetadata", server.url, warn=warnings.append, state=state) == 1
        assert warnings == ["""Left out: OpenMetadata has no topic 'kafka."demo.orders"'."""]
        paths = set(IDS)
        assert sent(store, "openmetadata", server.url, warn=warnings.append, state=state) == 1
        assert sent(store, "openmetadata", server.url, warn=warnings.append, state=state) == 0
    assert len(warnings) == 1


def test_another_answer_of_openmetadata_is_a_failure(store: Store) -> None:
    with (
        serving(lambda request: (403, "no")) as server,
        pytest.raises(SendError, match="403 Forbidden: no"),
    ):
        sent(store, "openmetadata", server.url)
