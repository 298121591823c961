"""docs/store.md: every route is in it, and what it shows works."""

import doctest
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli import main
from airflow_colgraph.store.query.graph import Question
from airflow_colgraph.store.store import Store
from tests.api.conftest import log
from tests.store.samples import memory_store

TEXT = (Path(__file__).parents[2] / "docs" / "store.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", TEXT, flags=re.M | re.S)


def blocks(language: str) -> str:
    return "".join(text for kind, text in BLOCKS if kind == language)


def test_every_route_is_documented() -> None:
    paths: dict[str, Any] = create_app(memory_store()).openapi()["paths"]
    every = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    documented = set(re.findall(r"^\| `((?:GET|POST|DELETE) [^`]*)` \|", TEXT, flags=re.M))
    assert documented == every


def test_every_option_is_documented() -> None:
    options = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`\w+`.*?) \|", TEXT, re.M))))
    assert set(Question.__dataclass_fields__) - {"direction"} <= options


def test_the_python_example_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Store.open("sqlite:///lineage.db").add(log())
    exec(blocks("python"), {"event": log()[-1]})
    assert "AGGREGATION" in capsys.readouterr().out


def test_the_edges_of_an_answer_are_read_as_documented() -> None:
    example = doctest.DocTestParser().get_doctest(blocks("pycon"), {}, "store.md", None, 0)
    assert doctest.DocTestRunner().run(example) == (0, 5)


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in log()))
    commands = re.findall(r"^\$ colgraph (.*)$", blocks("console"), flags=re.M)
    assert len(commands) == 20
    for words in commands:
        result = CliRunner().invoke(main, ["--store", "sqlite:///x.db", *shlex.split(words)])
        assert result.exit_code == 0, (words, result.output)


def test_the_query_runs() -> None:
    store = Store.open("sqlite://")
    store.add(log())
    with store.connection() as connection:
        rows = connection.exec_driver_sql(blocks("sql")).fetchall()
    assert [tuple(row) for row in rows] == [("raw", "b")]
