"""The owners' questions over REST and on the command line."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from airflow_colgraph.cli import main
from airflow_colgraph.store.store import Store
from tests.api.conftest import log
from tests.store.samples import at, event, output, run_id


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    Store.open(url).add(log())
    return url


def get(client: TestClient, path: str, **parameters: Any) -> Any:
    response = client.get(f"/api/v1/{path}", params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


def run(url: str, *words: str) -> str:
    result = CliRunner().invoke(main, ["--store", url, *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_unused(client: TestClient, url: str) -> None:
    found = get(client, "unused", days=36_500)
    assert [(one["name"], one["field"]) for one in found["unused"]] == [
        ("mart", "n"),
        ("mart", "t"),
    ]
    assert (found["count"], found["truncated"]) == (2, False)
    assert get(client, "unused", days=36_500, limit=1)["truncated"] is True
    assert get(client, "unused", days=36_500, name="raw")["count"] == 0
    assert found["unread_count"] == 2  # no job reads the mart
    read = get(client, "unused", days=36_500, unread=False)
    assert (read["unused"], read["count"], read["unread_count"]) == ([], 0, 2)
    assert client.get("/api/v1/unused", params={"days": 0}).status_code == 400
    words = ("unused", "--days", "36500")
    assert json.loads(run(url, *words, "--format", "json")) == found["unused"]
    rows = list(csv.DictReader(io.StringIO(run(url, *words, "--format", "csv"))))
    assert [row["status"] for row in rows] == ["unused", "unused"]
    line = "n mart: n  unused  never used; 0 jobs read the dataset"
    assert run(url, *words).splitlines()[0] == line
    assert run(url, *words, "--name", "raw") == "Every field is used.\n"


def test_copies(client: TestClient, url: str) -> None:
    found = get(client, "copies", name="csv", field="a")
    assert [(one["name"], one["field"], one["hops"]) for one in found["copies"]] == [
        ("csv", "a", 0),
        ("raw", "a", 1),
    ]
    path = [{"namespace": "n", "name": name, "field": "a"} for name in ("csv", "raw")]
    assert found["copies"][1]["path"] == path
    assert (found["unknown"], found["truncated"]) == ([], False)
    assert {id: (run["job"], run["state"]) for id, run in found["runs"].items()} == {
        found["copies"][1]["run"]: ("shop.load", "COMPLETE")
    }
    every = get(client, "copies", name="raw", field="b", through="aggregation", origins=True)
    assert {one["name"] for one in every["copies"]} == {"csv", "raw", "mart"}
    assert client.get("/api/v1/copies?name=raw&field=zz").status_code == 404
    assert client.get("/api/v1/copies?name=raw&field=b&through=x").status_code == 400
    assert client.get("/api/v1/copies?name=raw").status_code == 400
    rows = json.loads(run(url, "copies", "csv.a", "--format", "json"))
    assert rows[1] == {**found["copies"][1], "path": ["n csv: a", "n raw: a"]}
    table = list(csv.DictReader(io.StringIO(run(url, "copies", "csv.a", "--format", "csv"))))
    assert table[1]["path"] == "n csv: a\nn raw: a"
    assert run(url, "copies", "csv.a").splitlines() == [
        "n csv: a",
        "n raw: a",
        f"  written {at(20)} by shop.load, run {run_id(20)}",
        "  from n csv: a",
    ]


def test_copies_warns(url: str) -> None:
    Store.open(url).add(event("dump", 40, [output("dump")], reads=["raw"]))
    result = CliRunner().invoke(main, ["--store", url, "copies", "csv.a", "--limit", "1"])
    assert "truncated" in result.stderr
    result = CliRunner().invoke(main, ["--store", url, "copies", "csv.a"])
    line = "colgraph: warning: dump reads n raw by unknown columns and writes n dump.\n"
    assert result.stderr == line
    result = CliRunner().invoke(main, ["--store", url, "copies", "csv.zz"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_why(client: TestClient, url: str) -> None:
    asked = {"name": "mart", "field": "t", "since": at(26)}
    found = get(client, "why", **asked)
    (reason,) = found["reasons"]
    assert (reason["kind"], reason["name"], reason["at"]) == ("sources-changed", "mart", at(30))
    assert found["since"] == at(26)
    assert found["runs"][reason["run"]]["job"] == "shop.mart"
    assert get(client, "why", **{**asked, "since": run_id(25)})["reasons"] == [reason]
    assert get(client, "why", **asked, until=at(29))["reasons"] == []
    assert client.get("/api/v1/why", params={**asked, "until": at(26)}).status_code == 400
    assert client.get("/api/v1/why", params={**asked, "since": run_id(99)}).status_code == 404
    words = ("why", "mart.t", "--since", at(26))
    assert json.loads(run(url, *words, "--format", "json")) == [reason]
    assert run(url, *words).splitlines() == [
        "1. sources-changed  n mart: t  0 hops upstream",
        "   raw.a (AGGREGATION) -> raw.b (AGGREGATION)",
        f"   at {at(30)} by shop.mart, run {run_id(30)}",
    ]
