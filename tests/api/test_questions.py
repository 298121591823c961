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
    assert client.get("/api/v1/unused", params={"days": 0}).status_code == 400
    words = ("unused", "--days", "36500")
    assert json.loads(run(url, *words, "--format", "json")) == found["unused"]
    rows = list(csv.DictReader(io.StringIO(run(url, *words, "--format", "csv"))))
    assert [row["status"] for row in rows] == ["unused", "unused"]
    line = "n mart: n  unused  never used; 0 jobs read the dataset"
    assert run(url, *words).splitlines()[0] == line
    assert run(url, *words, "--name", "raw") == "Every field is used.\n"
