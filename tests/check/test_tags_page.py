"""docs/tags.md: its commands run, its rules are valid."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from airflow_colgraph.check.tag_settings import read
from airflow_colgraph.cli import main
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event

TEXT = (Path(__file__).parents[2] / "docs/tags.md").read_text(encoding="utf-8")


def block(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


def test_the_rules_on_the_page_are_valid(tmp_path: Path) -> None:
    text, _ = block("toml")
    (tmp_path / "colgraph.toml").write_text(text)
    found = read(folder=tmp_path)
    assert found.travel[-1].indirect == ("JOIN", "CONDITIONAL")
    assert [one.severity for one in found.policies] == ["error"]


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path}/x.db"
    Store.open(url).add(copy_event("job", 1, "mart", {"t": "raw.a DIRECT:AGGREGATION"}))
    commands = re.findall(r"^\$ colgraph (tags .*)$", block("console")[0], flags=re.MULTILINE)
    assert len(commands) == 5
    shown = []
    for words in commands:
        result = CliRunner().invoke(main, ["--store", url, *shlex.split(words)])
        assert result.exit_code == 0, (words, result.output)
        shown.append(result.output.splitlines())
    expected = block("console")[0].splitlines()[2:4]
    assert shown[1][:2] == expected


def lesson() -> list[str]:
    return re.findall(
        r"^```(?:console|toml)\n(.*?)^```",
        TEXT[TEXT.index("## Lesson") :],
        flags=re.MULTILINE | re.DOTALL,
    )


def test_the_lesson_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path}/x.db"
    tagging, rules, broken, fixed = lesson()
    Path("colgraph.toml").write_text(rules)

    def events(how: str, minute: int) -> list[dict[str, Any]]:
        stage = copy_event(
            "shop.stage", 1, "stage/people", {"reach": "lake/customers.email DIRECT:TRANSFORMATION"}
        )
        report = copy_event(
            "shop.report", minute, "public/report", {"contact": f"stage/people.reach {how}"}
        )
        return json.loads(json.dumps([stage, report]).replace('"n"', '"file"'))

    def run(command: str) -> tuple[int, list[str]]:
        words = shlex.split(command.removeprefix("$ colgraph "))
        result = CliRunner().invoke(main, ["--store", url, *words])
        return result.exit_code, result.output.splitlines()

    def shown(lines: list[str]) -> list[str]:
        return [re.sub(r"by \S+ at .*", "by anna", line) for line in lines]

    store = Store.open(url)
    store.add(events("DIRECT:IDENTITY", 2))
    command, *expected = tagging.splitlines()
    assert run(command) == (0, expected)
    command, *expected = broken.splitlines()
    code, lines = run(command)
    assert (code, shown(lines)) == (1, shown(expected))
    store.add(events("DIRECT:TRANSFORMATION:masking", 3))
    command, *expected = fixed.splitlines()
    assert run(command) == (0, expected[:1])
    assert [run(command)[0] for command in expected[1:]] == [0, 0]
