"""No event, however malformed, makes the server fail or loses another one."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli import main
from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.errors import EventError
from airflow_colgraph.store.ingest.storable import DEPTH
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from tests.store.malformed import mutated, nested
from tests.store.samples import copy_event, event, memory_store, output

EXAMPLES = settings(
    max_examples=int(os.environ.get("MALFORMED_EXAMPLES", "15")),
    derandomize="MALFORMED_EXAMPLES" not in os.environ,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
MALFORMED = st.lists(mutated(), min_size=1, max_size=6)
# Routes that read what any event says of any dataset, job or run.
LISTS = (
    "/api/v1/columns?q=&limit=1000",
    "/api/v1/jobs?limit=1000",
    "/api/v1/namespaces",
    "/api/v1/statistics",
)
OF_A_DATASET = ("fields", "graph", "history", "writes", "properties", "operations")


class Neighbours:
    """Events around malformed ones, and whether the store has all of them."""

    def __init__(self) -> None:
        self.count = 0

    def next(self) -> dict[str, Any]:
        self.count += 1
        return copy_event(f"good{self.count}", self.count, f"good{self.count}", {"x": "csv.a"})

    def lost(self, store: Store) -> list[str]:
        """The names of the last two that the store has not."""
        names = [f"good{number}" for number in (self.count - 1, self.count)]
        return [name for name in names if not upstream(store, "n", name, "x").edges]


def check_answers(client: TestClient, most: int) -> None:
    """Whatever was stored can be asked for."""
    for path in LISTS:
        assert client.get(path).status_code == 200, path
    datasets = client.get("/api/v1/datasets?limit=1000").json()["datasets"]
    for one in datasets[:most]:
        asked = {"namespace": one["namespace"], "name": one["name"], "indirect": "true"}
        for route in OF_A_DATASET:
            answer = client.get(f"/api/v1/{route}", params=asked)
            assert answer.status_code < 500, (route, asked, answer.text)


@pytest.mark.slow
def test_no_event_fails_the_server_or_loses_its_neighbours(store: Store) -> None:
    client = TestClient(create_app(store), raise_server_exceptions=False)
    neighbours = Neighbours()
    store.keep_events()

    @EXAMPLES
    @given(MALFORMED)
    def send(malformed: list[Any]) -> None:
        body = [neighbours.next(), *malformed, neighbours.next()]
        answer = client.post("/api/v1/lineage", headers=JSON, content=json.dumps(body))
        assert answer.status_code in (201, 400), answer.text
        if answer.status_code == 400:
            why = answer.json()["error"]
            assert len(why.splitlines()) == 1
            named = {int(number) for number in re.findall(r"Event (\d+): ", why)}
            assert named
            assert named <= set(range(2, len(body)))
        assert neighbours.lost(store) == []

    send()
    check_answers(client, 20)


def test_no_line_loses_the_others_of_a_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    store = Store.open(url)
    neighbours = Neighbours()
    file = tmp_path / "events.jsonl"

    @EXAMPLES
    @given(MALFORMED)
    def ingest(malformed: list[Any]) -> None:
        events = [neighbours.next(), *malformed, neighbours.next()]
        file.write_text("".join(json.dumps(one) + "\n" for one in events))
        result = CliRunner().invoke(main, ["--store", url, "ingest", str(file)])
        bad = re.findall(rf"^colgraph: error: {file}, line (\d+): ", result.stderr, re.MULTILINE)
        assert result.exc_info is not None
        assert result.exc_info[0] is SystemExit, result.exception
        in_part = re.findall(
            rf"^colgraph: warning: {file}, line \d+: ", result.stderr, re.MULTILINE
        )
        assert result.exit_code == (1 if bad else 0)
        assert len(bad) + len(in_part) == len(result.stderr.splitlines())
        assert result.stdout.startswith(f"{len(events) - len(bad)} events added")
        assert set(map(int, bad)) <= set(range(2, len(events)))
        assert neighbours.lost(store) == []

    ingest()
    store.close()


JSON = {"Content-Type": "application/json"}
GOOD = copy_event("load", 1, "raw", {"x": "csv.a"})
OUTPUT = output("raw")
CASES = {
    "nested": (
        event("j", 1, [output("o", {}, colgraph_operations={"operations": nested(400, True)})]),
        "outputs[0].facets.colgraph_operations.operations[0]",
        "is nested more than 100 levels deep.",
    ),
    "late": (
        {**GOOD, "eventTime": "9999-12-31T23:59:59-14:00"},
        "'eventTime': '9999-12-31T23:59:59-14:00'",
        "is too late.",
    ),
    "early": (
        {**GOOD, "eventTime": "0001-01-01T00:00:00+14:00"},
        "'eventTime': '0001-01-01T00:00:00+14:00'",
        "is too early.",
    ),
    "surrogate": (
        event("j\ud800", 1, [OUTPUT]),
        "'job.name'",
        "has a lone surrogate: 'j\\ud800'.",
    ),
    "name": (
        event("j", 1, [{**OUTPUT, "facets": {"\udfff": 1}}]),
        "'outputs[0].facets'",
        "has a name with a lone surrogate: '\\udfff'.",
    ),
    "list": ({**GOOD, "outputs": "raw"}, "'outputs'", "is str. Expected a JSON array."),
    "state": ({**GOOD, "eventType": ["x"]}, "'eventType'", "is list. Expected a text."),
    "facets": (
        {**GOOD, "outputs": [OUTPUT, {**OUTPUT, "facets": [1]}]},
        "'outputs[1].facets'",
        "is list. Expected a JSON object.",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_an_error_says_where_an_event_is_wrong(case: str) -> None:
    bad, place, why = CASES[case]
    with pytest.raises(EventError) as error:
        memory_store().add(bad)
    assert place in str(error.value)
    assert str(error.value).endswith(why)
    store = memory_store()
    client = TestClient(create_app(store), raise_server_exceptions=False)
    answer = client.post("/api/v1/lineage", headers=JSON, content=json.dumps([bad, GOOD, bad]))
    assert answer.status_code == 400
    start = "2 of 3 events refused, the others are stored. Event 1: "
    assert answer.json()["error"] == f"{start}{error.value} Event 3: {error.value}"
    assert upstream(store, "n", "raw", "x").edges


def test_nesting_up_to_the_limit_is_stored_and_answered() -> None:
    store = memory_store()
    operation = nested(DEPTH - 6, False)  # below outputs, its facets and their list of operations
    facet = {"operations": [operation]}
    store.add(event("j", 1, [output("raw", {"x": "csv.a"}, colgraph_operations=facet)]))
    client = TestClient(create_app(store), raise_server_exceptions=False)
    check_answers(client, 5)
    facet = {"operations": [nested(DEPTH - 5, False)]}
    deeper = event("j", 1, [output("raw", {"x": "csv.a"}, colgraph_operations=facet)])
    with pytest.raises(EventError, match="is nested more than 100 levels deep"):
        store.add(deeper)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400"])
def test_numbers_that_are_not_json_are_refused_by_themselves(number: str) -> None:
    store = memory_store()
    client = TestClient(create_app(store), raise_server_exceptions=False)
    odd = json.dumps(event("j", 1, [], rows="?")).replace('"?"', number)
    answer = client.post("/api/v1/lineage", headers=JSON, content=f"[{odd}, {json.dumps(GOOD)}]")
    assert answer.status_code == 400
    assert "Event 1: 'run.facets.rows' is " in answer.json()["error"]
    assert upstream(store, "n", "raw", "x").edges


@pytest.mark.parametrize("name", ["query:1", "raw"])
def test_a_malformed_query_leaves_the_event_as_it_is(name: str) -> None:
    properties = {"colgraph_properties": {"options": [3]}, "schema": 3}
    one = {"namespace": "n", "name": name, "facets": properties}
    (found,) = with_tables([{**GOOD, "inputs": [one]}])
    assert found == {**GOOD, "inputs": [one]}
    assert with_tables([[], {"inputs": 3}, {"inputs": [3]}]) == [[], {"inputs": 3}, {"inputs": [3]}]
