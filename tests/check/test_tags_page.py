"""docs/tags.md: its commands run, its rules are valid."""

import re
import shlex
from pathlib import Path

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
    (text,) = block("toml")
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
