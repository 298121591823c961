"""Two versions by a real MCP client, compared with `colgraph check --format json`."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.mcp_server.answers import MOST_BYTES
from airflow_colgraph.store.store import Store
from tests.mcp_server.test_tools import ask_in_memory, sample
from tests.store.samples import copy_event, memory_store

Json = dict[str, Any]
BASE = copy_event("shop.mart", 30, "mart", {"t": "raw.b", "n": "raw.a"})
CHANGED = copy_event("shop.mart", 40, "mart", {"t": "raw.b", "m": "raw.c"})
OTHER = copy_event("shop.board", 35, "board", {"t": "mart.t", "n": "mart.n"})


def lines(*events: Json) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def told_by_check(*arguments: str) -> Json:
    result = CliRunner().invoke(main, ["check", "--format", "json", *arguments])
    report: Json = json.loads(result.stdout)
    assert report["exitCode"] == result.exit_code
    return report


def as_in_report(row: Json) -> Json:
    keys = (
        "kind",
        "severity",
        "class",
        "namespace",
        "column",
        "before",
        "after",
        "waived",
        "expired",
    )
    return {**{key: row.get(key) for key in keys}, "name": row.get("dataset", row.get("name"))}


def assert_same(answer: Json, report: Json) -> None:
    assert len(json.dumps(answer)) <= MOST_BYTES
    rows, changes = (
        [as_in_report(row) for row in part] for part in (answer["rows"], report["changes"])
    )
    assert sorted(rows, key=str) == sorted(changes, key=str) != []
    assert answer["exitCode"] == report["exitCode"]
    assert answer["datasets_compared"] == len(report["datasets"]) - report["new"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    base, changed = tmp_path / "base.jsonl", tmp_path / "changed.jsonl"
    base.write_text(lines(BASE, OTHER))
    changed.write_text(lines(CHANGED))
    return str(base), str(changed)


def test_two_versions_are_compared_as_by_check(files: tuple[str, str]) -> None:
    report = told_by_check("--base", files[0], files[1])
    store = memory_store()
    for asked in (
        {"base": files[0], "changed": files[1]},
        {"base": lines(BASE, OTHER), "changed": json.dumps([CHANGED])},
    ):
        answer = ask_in_memory(store, "compare_versions", **asked).structured_content
        assert_same(answer, report)
        assert answer["rows"][0]["severity"] == "error"
        assert answer["complete"]
    renamed = next(row for row in answer["rows"] if row["kind"] == "column-removed")
    assert renamed["used_by"]["jobs"] == ["shop.board"]


def test_without_a_base_the_store_is_compared(tmp_path: Path, files: tuple[str, str]) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    store = Store.open(url)
    store.add([*sample(), BASE, OTHER])
    answer = ask_in_memory(store, "compare_versions", changed=files[1]).structured_content
    assert_same(answer, told_by_check(files[1], "--store", url))
    assert "name=mart" in answer["page"]


def test_two_sql_texts(tmp_path: Path) -> None:
    texts = [
        f"CREATE TABLE mart AS SELECT {f}(amount) AS total FROM orders" for f in ("sum", "avg")
    ]
    files: list[str] = []
    for text in texts:
        (tmp_path / "job.sql").write_text(text)
        files.append(str(tmp_path / f"{len(files)}.jsonl"))
        plan = ["plan", "--quiet", "--sql", str(tmp_path / "job.sql"), "--dialect", "postgres"]
        assert CliRunner().invoke(main, [*plan, "--output", files[-1]]).exit_code == 0
    answer = ask_in_memory(
        memory_store(), "compare_versions", base=texts[0], changed=texts[1], dialect="postgres"
    ).structured_content
    assert_same(answer, told_by_check("--base", files[0], files[1]))
    assert [row["kind"] for row in answer["rows"]] == ["expression-changed"]


def test_what_is_left_out_is_counted() -> None:
    names = [f"column_number_{number}" for number in range(300)]
    before = copy_event("shop.mart", 30, "mart", {name: f"raw.{name}" for name in names})
    readers = copy_event(
        "shop.board", 31, "board", {f"x{n}": "mart.column_number_299" for n in range(30)}
    )
    after = copy_event("shop.mart", 40, "mart", {name: f"raw.{name}" for name in names[:10]})
    asked = {"base": lines(before, readers), "changed": lines(after)}
    answer = ask_in_memory(memory_store(), "compare_versions", **asked).structured_content
    assert len(json.dumps(answer)) <= MOST_BYTES
    assert (answer["complete"], answer["count"]) == (False, 290)
    assert len(answer["rows"]) + answer["left_out"] == 290
    assert "colgraph check" in answer["to_see_more"]
    assert answer["rows"][0]["used_by"]["left_out"] == {"columns": 20}  # the error is the first


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"changed": "nowhere.jsonl"}, "nowhere.jsonl does not exist"),
        ({"changed": "-"}, "Expected OpenLineage events"),
        ({"changed": "[]"}, "event"),
        ({"changed": '{"eventTime": 1}\n{"run"'}, "line 1"),
        ({"changed": "SELEC 1", "base": "SELECT 1", "dialect": "postgres"}, "cannot be parsed"),
        ({"changed": lines(CHANGED)}, "no lineage to compare with"),
    ],
)
def test_versions_that_cannot_be_used(asked: dict[str, Any], text: str) -> None:
    answer = ask_in_memory(memory_store(), "compare_versions", **asked)
    assert answer.is_error
    assert text in answer.content[0].text


def test_over_the_network_neither_files_nor_the_store_are_read(files: tuple[str, str]) -> None:
    for asked, text in (
        ({"changed": lines(CHANGED)}, "`base` is missing"),
        ({"changed": lines(CHANGED), "base": files[0]}, "Expected OpenLineage events"),
    ):
        answer = ask_in_memory(memory_store(), "compare_versions", is_local=False, **asked)
        assert answer.is_error
        assert text in answer.content[0].text
