"""docs/exports.md is true: its commands print what it says, its DAG imports, nothing is missing."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_colgraph.exports.datahub.platform import Mapping, Site
from airflow_colgraph.exports.datahub.proposals import ASPECTS
from airflow_colgraph.exports.exporters import FORMATS
from airflow_colgraph.exports.openlineage_events import FACETS
from airflow_colgraph.store.store import Store
from tests.exports.samples import daily, load

TEXT = (Path(__file__).parents[2] / "docs/exports.md").read_text()
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def examples(text: str) -> list[tuple[str, str]]:
    """Each command and what it prints."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].rstrip("\n"), ""))
        else:
            command, printed = found.pop()
            found.append((command, printed + line))
    return found


def test_every_command_prints_what_the_page_shows(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'lineage.db'}"
    with Store.open(url) as store:
        store.add([load(), daily()])
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    wanted, printed = [], []
    for _, name, text in BLOCKS:
        if name:
            (tmp_path / name).write_text(text)
    for kind, _, text in BLOCKS:
        for command, output in examples(text) if kind == "console" else []:
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env={"PATH": path, "COLGRAPH_STORE": url},
                capture_output=True,
                text=True,
                check=False,
            )
            wanted.append((command, output))
            printed.append((command, done.stdout + done.stderr))
    assert printed == wanted
    assert len(printed) >= 12


def test_the_tasks_of_the_page_can_be_made() -> None:
    (code,) = (text for kind, _, text in BLOCKS if kind == "python")
    names: dict[str, object] = {}
    exec(compile(code, "docs/exports.md", "exec"), names)
    assert {name for name in names if name.startswith("to_")} == {
        "to_datahub",
        "to_marquez",
        "to_file",
    }


OPTIONS = {option for known in FORMATS.values() for option in known.options}


@pytest.mark.parametrize(
    "word",
    sorted(
        {*FORMATS, *ASPECTS, *FACETS, *(f"--{o}" for o in OPTIONS - {"aspects"}), "--aspect"}
        | {*Mapping.__dataclass_fields__, *Site.__dataclass_fields__}
    ),
)
def test_the_page_has_every_format_and_option(word: str) -> None:
    assert re.search(rf"[`\"| ]{re.escape(word)}\b", TEXT)
