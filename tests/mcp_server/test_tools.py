"""Questions by a real MCP client, each answer compared with the REST API's."""

import asyncio
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli.mcp import tools_over
from airflow_colgraph.mcp_server import tools
from airflow_colgraph.mcp_server.answers import MOST_BYTES
from airflow_colgraph.mcp_server.texts import TextTools
from airflow_colgraph.mcp_server.tools import NO_COLUMNS, TOO_MANY, Tools
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.store import Store
from tests.api.conftest import log
from tests.cli.test_serve import COLGRAPH, serving
from tests.store.samples import at, copy_event, event, memory_store, output

PAGE = "http://localhost:8765"
BEFORE = at(26)
OWNERS = [{"name": "team:bi", "type": "OWNER"}]
DAGS = {"report": "shop", "late": "late"}
Ask = Callable[..., Any]


def sample() -> list[dict[str, Any]]:
    """The mart of the API's tests, a DAG's task, a tag, owners and a description."""
    written = output(
        "report",
        {"share": "mart.t DIRECT:TRANSFORMATION", "n": "mart.n"},
        ownership={"owners": OWNERS},
        documentation={"description": "What the board sees."},
    )
    tagged = output("csv", tags={"tags": [{"key": "pii", "value": "true", "field": "b"}]})
    missing = {"colgraph_diagnostics": {"unresolved": [{"class": "ScalaUDF", "count": 1}]}}
    tasks = {
        name: {"dag": {"dag_id": dag}, "task": {"task_id": name}} for name, dag in DAGS.items()
    }
    late = event("shop.late", 41, [output("late")], airflow=tasks["late"])
    late["run"]["facets"] |= missing
    report = event("shop.report", 40, [written], airflow=tasks["report"])
    return [*log(), report, event("shop.tag", 9, [tagged]), late]


@pytest.fixture
def store() -> Store:
    store = memory_store()
    store.add(sample())
    return store


def ask_in_memory(
    store: Store, name: str, allow_tags: bool = False, is_local: bool = True, **arguments: Any
) -> Any:
    local = store if is_local else None
    server = tools_over(create_app(store), PAGE, local, allow_tags=allow_tags)

    async def question() -> Any:
        async with Client(server) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(question())


@pytest.fixture
def ask(store: Store) -> Ask:
    def question(name: str, **arguments: Any) -> Any:
        answer = ask_in_memory(store, name, **arguments)
        assert not answer.is_error, answer.content
        assert len(json.dumps(answer.structured_content)) <= MOST_BYTES
        return answer.structured_content

    return question


@pytest.fixture
def rest(store: Store) -> Ask:
    client = TestClient(create_app(store))

    def question(route: str, **query: Any) -> Any:
        response = client.get(f"/api/v1/{route}", params=query)
        assert response.status_code == 200, response.text
        return response.json()

    return question


def short(end: dict[str, Any]) -> str:
    """`mart.t` of a field in either form."""
    column = end.get("column", end.get("field"))
    return f"{end.get('dataset', end.get('name'))}.{column or '*'}"


def pairs(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The ends of edges in either form."""
    ends = [(row.get("from") or row["input"], row.get("to") or row["output"]) for row in rows]
    return [(short(first), short(last)) for first, last in ends]


ROUTES = {"column_sources": "upstream", "column_uses": "downstream", "lineage_of_dag": "tasks"}
NAMES = {"dataset": "name", "column": "field", "conditions": "indirect", "hops": "depth"}
MART: dict[str, Any] = {"dataset": "mart", "column": "t"}
LINEAGE: list[tuple[str, dict[str, Any]]] = [
    ("column_sources", {"dataset": "report", "column": "share"}),
    ("column_sources", {**MART, "namespace": "n"}),
    ("column_sources", {**MART, "at": BEFORE}),
    ("column_sources", {**MART, "conditions": True}),
    ("column_sources", {**MART, "hops": 1}),
    ("column_uses", {"dataset": "csv", "column": "b"}),
    ("column_uses", {"dataset": "raw", "column": "b", "conditions": True}),
    ("lineage_of_dag", {"dag_id": "shop"}),
    ("lineage_of_dag", {"dag_id": "shop", "task_id": "report"}),
]


@pytest.mark.parametrize(("tool", "arguments"), LINEAGE)
def test_lineage_is_that_of_rest(ask: Ask, rest: Ask, tool: str, arguments: dict[str, Any]) -> None:
    query = {NAMES.get(name, name): value for name, value in arguments.items()}
    answer, expected = ask(tool, **arguments), rest(ROUTES[tool], **query)
    assert pairs(answer["rows"]) == pairs(expected["edges"]) != []
    assert [row["how"] for row in answer["rows"]] == [
        f"{edge['type']}:{edge['subtype']}" for edge in expected["edges"]
    ]
    assert (answer["complete"], answer["count"]) == (True, len(expected["edges"]))
    assert answer["page"].startswith(f"{PAGE}/?")


def test_datasets_and_columns_are_found(ask: Ask, rest: Ask) -> None:
    answer = ask("find", text="a")
    names = [row["name"] for row in rest("datasets", q="a")["datasets"]]
    columns = [short(row) for row in rest("columns", q="a")["columns"]]
    assert [row["dataset"] for row in answer["rows"] if "column" not in row] == names
    assert [short(row) for row in answer["rows"] if "column" in row] == columns
    assert "mart" in ask("find", text="matr")["similar_names"]


def test_a_datasets_columns_with_its_owners(ask: Ask, rest: Ask) -> None:
    answer, expected = ask("columns_of", dataset="report"), rest("fields", name="report")
    assert [row["column"] for row in answer["rows"]] == [row["name"] for row in expected["fields"]]
    assert answer["owners"] == expected["owners"] == OWNERS
    assert answer["description"] == "What the board sees."


def test_operations(ask: Ask, rest: Ask) -> None:
    answer = ask("column_operations", dataset="mart", column="t")
    chains = rest("operations", name="mart", field="t")["chains"]
    assert [row["job"] for row in answer["rows"]] == [chain["job"]["name"] for chain in chains]
    assert [[step["name"] for step in row["operations"]] for row in answer["rows"]] == [
        [step["name"] for step in chain["operations"]] for chain in chains
    ]


def test_why_a_column_differs(ask: Ask, rest: Ask) -> None:
    answer = ask("why_different", dataset="mart", column="t", since=BEFORE)
    assert answer["rows"] == rest("why", name="mart", field="t", since=BEFORE)["reasons"] != []


def test_what_a_change_affects(ask: Ask, rest: Ask) -> None:
    answer = ask("impact_of_change", dataset="csv", column="b", namespace="n")
    expected = rest("impact", name="csv", field="b", indirect=True)["impact"]
    assert [(short(row), row["hops"]) for row in answer["rows"]] == [
        (short(row), row["depth"]) for row in expected
    ]
    assert answer["dags"] == ["shop"]
    assert answer["owners"] == [
        {"dataset": "report", "owners": [{"name": "team:bi", "type": "OWNER"}]}
    ]


def test_owners_that_were_not_looked_up_are_counted() -> None:
    store = memory_store()
    outputs = [output(f"mart_{number:02}", {"x": "raw.a"}) for number in range(25)]
    store.add([event("shop.marts", 1, outputs)])
    answer = ask_in_memory(store, "impact_of_change", dataset="raw", column="a").structured_content
    assert (answer["owners"], answer["owners_not_looked_up"]) == ([], 5)


def test_why_looks_as_far_as_it_is_asked() -> None:
    store = memory_store()
    store.add(
        [copy_event("a", 1, "raw", {"b": "csv.b"}), copy_event("m", 2, "mart", {"t": "raw.b"})]
    )
    store.add([copy_event("a", 10, "raw", {"b": "csv.c"})])
    asked = {"dataset": "mart", "column": "t", "since": at(5)}

    def reasons(hops: int) -> Any:
        return ask_in_memory(store, "why_different", hops=hops, **asked).structured_content["rows"]

    assert (reasons(1), len(reasons(2))) == ([], 1)


def test_how_lineage_changed(ask: Ask, rest: Ask) -> None:
    answer = ask("lineage_changes", dataset="mart", before=BEFORE)
    delta = rest("diff", name="mart", before=BEFORE)
    for kind in ("added", "removed"):
        rows = [row for row in answer["rows"] if row["change"] == kind]
        assert pairs(rows) == pairs(delta[kind]) != []


def test_copies_tags_and_unused_columns(ask: Ask, rest: Ask) -> None:
    copies = ask("copies_of_column", dataset="csv", column="b")["rows"]
    assert list(map(short, copies)) == [
        short(row) for row in rest("copies", name="csv", field="b")["copies"]
    ]
    tagged = ask("tagged_columns", tag="pii")["rows"]
    assert [short(row) for row in tagged] == [
        short(row) for row in rest("tagged", tag="pii")["tags"]
    ]
    assert {"csv.b", "raw.b"} <= set(map(short, tagged))
    unused = ask("unused_columns", dataset="report")["rows"]
    assert unused == rest("unused", name="report")["unused"] != []


def test_copies_say_where_the_trail_ends_and_how_to_go_on(store: Store) -> None:
    """An agent took the copies for all columns that have the value in any form."""
    store.add(
        [
            copy_event("copy", 51, "people", {"mail": "land.mail"}),
            copy_event("lower", 52, "lower", {"mail": "people.mail DIRECT:TRANSFORMATION"}),
            copy_event("again", 53, "again", {"mail": "lower.mail"}),
            copy_event("most", 54, "most", {"mail": "people.mail DIRECT:AGGREGATION"}),
            copy_event("mask", 55, "masked", {"m": "people.mail DIRECT:TRANSFORMATION:masking"}),
        ]
    )

    def ends(**more: Any) -> tuple[list[str], list[tuple[str, str]], bool]:
        asked = {"dataset": "land", "column": "mail", **more}
        answer = ask_in_memory(store, "copies_of_column", **asked).structured_content
        steps = answer.get("not_followed", [])
        pairs = [(short(step["from"]), short(step["to"])) for step in steps]
        return list(map(short, answer["rows"])), pairs, "through=" in answer.get("to_follow", "")

    copies = ["land.mail", "people.mail"]
    cast, most = ("people.mail", "lower.mail"), ("people.mail", "most.mail")
    assert ends() == (copies, [cast, most], True)
    followed = [*copies, "lower.mail", "again.mail"]
    assert ends(through="transformation") == (followed, [most], True)
    every, *none = ends(through="aggregation")
    assert (sorted(every), none) == (sorted([*followed, "most.mail"]), [[], False])
    assert ends(dataset="again")[0] == ["again.mail"]
    assert set(ends(dataset="again", origins=True)[0]) == {"again.mail", "lower.mail"}


def test_what_is_missing_is_not_the_same_as_nothing(ask: Ask, rest: Ask) -> None:
    assert (
        ask("missing_lineage", dag_id="late")["rows"] == rest("gaps", dag_id="late")["gaps"] != []
    )
    nothing = ask("column_sources", dataset="csv", column="b")
    assert (nothing["rows"], nothing["complete"]) == ([], True)
    assert nothing["note"].startswith("No job reported such lineage")


def test_the_lineage_of_a_sql_text(ask: Ask) -> None:
    answer = ask(
        "lineage_of_sql",
        sql="CREATE TABLE mart AS SELECT sum(amount) AS total FROM orders WHERE paid",
        dialect="postgres",
        columns={"orders": "amount int, paid boolean"},
    )
    assert pairs(answer["rows"]) == [
        ("public.orders.amount", "public.mart.total"),
        ("public.orders.paid", "public.mart.*"),
    ]
    assert "not_resolved" not in answer
    hashed = ask(
        "lineage_of_sql",
        sql="CREATE TABLE mart AS SELECT md5(mail) AS h FROM people",
        dialect="postgres",
        columns={"people": "mail text"},
    )
    assert [row.get("masked") for row in hashed["rows"]] == [True]


WRONG = [
    ("column_sources", {"dataset": "mrt", "column": "t"}, "Similar names: mart"),
    ("column_sources", {"dataset": "mart", "column": "tt"}, "Similar names: t"),
    ("why_different", {"dataset": "mart", "column": "t", "since": "soon"}, "soon"),
    ("missing_lineage", {"dag_id": "shpo"}, "Similar names: shop"),
    ("lineage_of_dag", {"dag_id": "shpo"}, "Similar names: shop"),
    ("lineage_of_dag", {"dag_id": "shop", "task_id": "reprot"}, "Similar names: report"),
    ("lineage_of_dag", {"dag_id": "shop", "run_id": "none"}, "Run 'none'"),
    (
        "lineage_of_sql",
        {"sql": "CREATE TABEL x SELEC 1", "dialect": "postgres"},
        "cannot be parsed",
    ),
    ("lineage_of_sql", {"sql": "SELECT 1", "dialect": "klingon"}, "'klingon' is not a dialect"),
]


@pytest.mark.parametrize(("tool", "arguments", "text"), WRONG)
def test_a_wrong_question_says_what_to_do(
    store: Store, tool: str, arguments: dict[str, Any], text: str
) -> None:
    answer = ask_in_memory(store, tool, **arguments)
    assert answer.is_error
    assert text in answer.content[0].text


def test_a_large_answer_keeps_the_nearest_and_counts_the_rest() -> None:
    store = memory_store()
    names = [f"column_number_{number}" for number in range(400)]
    store.add([copy_event("job.near", 1, "near", {name: f"far.{name}" for name in names})])
    store.add([copy_event("job.all", 2, "all", {"sum": ", ".join(f"near.{n}" for n in names)})])
    answer = ask_in_memory(store, "column_sources", dataset="all", column="sum").structured_content
    assert len(json.dumps(answer)) <= MOST_BYTES
    assert not answer["complete"]
    assert {row["hops"] for row in answer["rows"]} == {1}
    assert len(answer["rows"]) + answer["left_out"] == answer["count"] >= 800
    assert answer["to_see_more"]


def test_tags_are_set_only_if_that_was_allowed(store: Store) -> None:
    change = {"dataset": "mart", "namespace": "n", "column": "t", "tag": "pii"}
    assert ask_in_memory(store, "set_tag", **change).is_error
    assert not ask_in_memory(store, "set_tag", allow_tags=True, **change).is_error
    tagged = ask_in_memory(store, "tagged_columns", tag="pii").structured_content["rows"]
    assert "mart.t" in map(short, tagged)


def test_the_page_lists_every_tool() -> None:
    page = Path("docs/agents.md").read_text(encoding="utf-8")
    tools = (Tools, TextTools)
    names = [each.__name__ for kind in tools for each in kind.reading(kind.__new__(kind))]
    assert re.findall(r"^\| `(\w+)` \|", page, flags=re.M) == names


def test_an_agent_starts_it_on_standard_input_and_output(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    Store.open(url).add(sample())
    command = [*COLGRAPH[1:], "--store", url, "mcp"]

    async def question() -> Any:
        async with Client(StdioServerParameters(command=sys.executable, args=command)) as client:
            tools = await client.list_tools()
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.tools)
            return await client.call_tool("column_sources", {"dataset": "mart", "column": "t"})

    answer = asyncio.run(question()).structured_content
    assert pairs(answer["rows"]) == [("raw.b", "mart.t"), ("csv.b", "raw.b")]
    assert "page" not in answer


def test_agents_elsewhere_need_a_key(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    store = Store.open(url)
    store.add(sample())
    key = api_keys.add(store, "agent", ["read"])

    async def question(address: str, secret: str) -> Any:
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(transport) as client:
                return await client.call_tool("find", {"text": "mart"})

    with serving(url, "--keys", "--mcp") as (address, _):
        answer = asyncio.run(question(address, key)).structured_content
        assert answer["rows"][0] == {"namespace": "n", "dataset": "mart"}
        refused = httpx.post(f"{address}/mcp", json={}, headers={"Authorization": "Bearer wrong"})
        assert (refused.status_code, "API key" in refused.json()["error"]) == (401, True)
        other = {"Authorization": f"Bearer {key}", "Origin": "http://elsewhere.example"}
        assert httpx.post(f"{address}/mcp", json={}, headers=other).status_code == 403


@pytest.fixture
def blind(store: Store) -> Store:
    """A store with a job that reported no columns."""
    written = output("blind", schema={"fields": [{"name": "x", "type": "int"}]})
    reading = event("shop.blind", 50, [written])
    reading["inputs"] = [{"namespace": "n", "name": "mart"}]
    store.add(reading)
    return store


@pytest.mark.parametrize(
    ("tool", "asked", "unknown"),
    [
        ("column_sources", {"dataset": "blind", "column": "x"}, "mart"),
        ("column_uses", {"dataset": "mart", "column": "n"}, "blind"),
        ("missing_lineage", {"dataset": "blind"}, "mart"),
    ],
)
def test_neighbours_without_columns_are_named(
    blind: Store, tool: str, asked: dict[str, str], unknown: str
) -> None:
    about = json.loads(ask_in_memory(blind, tool, **asked).content[0].text)
    assert about["datasets"] == [{"namespace": "n", "dataset": unknown}]
    assert "that part is unknown" in about["note"]


@pytest.mark.parametrize(
    ("columns", "hidden", "most", "about"),
    [
        pytest.param(700, [], 20_000, {}, id="a wide table"),
        pytest.param(
            700,
            ["hidden"],
            20_000,
            {"note": NO_COLUMNS, "datasets": ["hidden"]},
            id="a wide table and a neighbour without columns",
        ),
        pytest.param(
            1,
            [f"hidden{number:02}" for number in range(22)],
            20_000,
            {
                "note": NO_COLUMNS,
                "datasets": [f"hidden{number:02}" for number in range(20)],
                "datasets_left_out": 2,
            },
            id="more neighbours than are named",
        ),
        pytest.param(30, ["hidden"], 20, {"note": TOO_MANY}, id="more edges than are looked at"),
    ],
)
def test_neighbours_of_a_wide_table(
    monkeypatch: pytest.MonkeyPatch, columns: int, hidden: list[str], most: int, about: Any
) -> None:
    """Behind the 500th edge every neighbour was said to be without columns."""
    monkeypatch.setattr(tools, "MOST_NEIGHBOURS", most)
    monkeypatch.setattr(tools, "MOST_EDGES", min(most, tools.MOST_EDGES))
    fields = {f"c{number:03}": f"first.c{number:03}" for number in range(columns)}
    store = memory_store()
    store.add(event("wide", 1, [output("wide", {**fields, "z": "second.z"})], reads=["first"]))
    store.add(event("blind", 2, [output("wide")], reads=hidden))
    asked = ask_in_memory(store, "column_sources", dataset="wide", column="z").structured_content
    if "datasets" in asked:
        asked["datasets"] = [each["dataset"] for each in asked["datasets"]]
    assert {key: value for key, value in asked.items() if key.startswith(("note", "data"))} == about


def test_what_has_columns_or_no_dag_is_told_apart(blind: Store) -> None:
    def note(**asked: str) -> Any:
        text = ask_in_memory(blind, "missing_lineage", **asked).content[0].text
        return json.loads(text).get("note")

    assert note(dataset="report") is None
    assert note(dag_id="shop") is None
