"""The files in deploy/: what they ask for is there, and each alert has its paragraph."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import click
import pytest
from fastapi.testclient import TestClient

from airflow_colgraph import __version__
from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli import main
from airflow_colgraph.cli.metrics import HELP
from dev.waiting import wait_for
from tests.cli.test_serve import free_port
from tests.store.samples import copy_event, memory_store

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
OF_PROMETHEUS = {"up"}


@pytest.fixture(scope="module")
def names() -> set[str]:
    """The names of all metrics of a server that has answered, and of `colgraph metrics`."""
    client = TestClient(create_app(memory_store()))
    client.post("/api/v1/lineage", json=copy_event("load", 1, "raw", {"x": "csv.a"}))
    text = client.get("/metrics").text
    return {*re.findall(r"^(\w+)[ {]", text, flags=re.MULTILINE), *HELP}


def asked(expression: str) -> set[str]:
    """The metrics in an expression of PromQL."""
    bare = re.sub(r"\{[^}]*\}|\[[^]]*\]|by \([^)]*\)", "", expression)
    return set(re.findall(r"\b(?:colgraph_|process_)\w+|\bup\b", bare))


def test_each_alert_asks_for_metrics_that_are_there_and_has_a_paragraph(names: set[str]) -> None:
    text = (DEPLOY / "alerts.yaml").read_text()
    alerts = re.findall(r"alert: (\w+)\n +expr: (.+)\n", text)
    assert len(alerts) == text.count("alert: ")
    page = (ROOT / "docs" / "operating.md").read_text()
    for name, expression in alerts:
        assert asked(expression)
        assert asked(expression) <= names | OF_PROMETHEUS, name
        assert f"| `{name}` |" in page
    rows = re.findall(r"^\| `(Colgraph\w+)` \|", page, flags=re.MULTILINE)
    assert rows == [name for name, _ in alerts]


def test_each_panel_asks_for_metrics_that_are_there(names: set[str]) -> None:
    panels = json.loads((DEPLOY / "grafana.json").read_text())["panels"]
    assert len(panels) > 9
    for panel in panels:
        (target,) = panel["targets"]
        assert asked(target["expr"])
        assert asked(target["expr"]) <= names, panel["title"]


def test_each_metric_of_ours_is_documented(names: set[str]) -> None:
    page = (ROOT / "docs" / "store.md").read_text()
    served = {name for name in names - {*HELP} if name.startswith("colgraph_")}
    ours = {re.sub("_(bucket|count|sum)$", "", name) for name in served if "_created" not in name}
    assert {name for name in ours if f"| `{name}` |" not in page} == set()
    assert len(ours) >= 6
    for name in HELP:
        assert f"`{name}`" in page or f"`_{name.split('_', 2)[2]}`" in page, name


def commands() -> list[list[str]]:
    """The commands of ours in all files."""
    lines = []
    for unit in DEPLOY.glob("*.service"):
        lines += [shlex.split(c) for c in re.findall(r"^Exec\w+=(.+)", unit.read_text(), re.M)]
    lines.append(["colgraph", *json.loads(_last("CMD", DEPLOY / "Containerfile"))])
    for words in re.findall(r"command: \[(.+)\]", (DEPLOY / "compose.yaml").read_text()):
        lines.append(["colgraph", *words.split(", ")])
    templates = "".join(file.read_text() for file in (DEPLOY / "helm/templates").glob("*.yaml"))
    for words in re.findall(r"args: \[(.+)\]", templates):
        lines.append(["colgraph", *re.sub(r"\{\{.+?\}\}", "now-400d", words).split(", ")])
    for words in re.findall(r"args:\n((?: +(?:- |\{\{).+\n)+)", templates):
        filled = re.sub(r"\{\{ .*quote \}\}", "now-400d", words)
        values = re.findall(r"^ +- (.+)$", filled, re.MULTILINE)
        lines.append(["colgraph", *values])
    for words in re.findall(r"args: \{\{ concat \(list (.+?)\)", templates):
        lines.append(["colgraph", *shlex.split(words)])
    return lines


def test_the_chart_is_of_this_version() -> None:
    chart = (DEPLOY / "helm" / "Chart.yaml").read_text()
    assert f"\nversion: {__version__}\nappVersion: {__version__}\n" in chart


def _last(word: str, file: Path) -> str:
    return re.findall(rf"^{word} (\[.+\])$", file.read_text(), flags=re.MULTILINE)[-1]


def test_each_command_has_the_options_that_are_given() -> None:
    assert len(commands()) == 8
    for _, *words in commands():
        command: click.Command = main
        while isinstance(command, click.Group):
            context = click.Context(command)
            inner = command.get_command(context, words.pop(0))
            assert inner is not None
            command = inner
        command.make_parser(click.Context(command)).parse_args(words)


def test_the_commands_of_the_image_run_without_a_home_and_end_by_its_signal(tmp_path: Path) -> None:
    """In the order of the compose file, with nothing in the environment but what it sets."""
    text = (DEPLOY / "Containerfile").read_text()
    port = str(free_port())
    bare = {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.defpath)),
        "COLGRAPH_STORE": f"sqlite:///{tmp_path}/store.db",
        **dict(re.findall(r"^ENV (\w+)=(.+)$", text, re.MULTILINE)),
    }
    (entry,) = json.loads(_last("ENTRYPOINT", DEPLOY / "Containerfile"))
    served, asked = (
        json.loads(re.findall(rf"{word} (\[.+\])$", text, re.MULTILINE)[-1].replace("8765", port))
        for word in ("^CMD", "^HEALTHCHECK CMD")
    )
    subprocess.run([entry, "db", "migrate"], env=bare, cwd="/", check=True)
    server = subprocess.Popen([entry, *served], env=bare, cwd="/", stderr=subprocess.PIPE)
    is_healthy = partial(subprocess.run, asked, env=bare, cwd="/", capture_output=True)
    wait_for(lambda: "the health check" if is_healthy().returncode else "")
    (signal_name,) = re.findall(r"^STOPSIGNAL (\w+)$", text, re.MULTILINE)
    server.send_signal(signal.Signals[signal_name])
    _, said = server.communicate(timeout=60)
    assert server.returncode == -signal.SIGTERM
    lines = said.decode().splitlines()
    assert "with API keys" in lines[0]
    assert {json.loads(line)["route"] for line in lines[1:]} == {"/livez"}
    assert is_healthy().returncode == 1


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        assert not os.environ.get("CI"), "CI installs systemd: see .ci/run"
        pytest.skip("there is no systemd-analyze here")
    (tmp_path / "colgraph").write_text("#!/bin/sh\n")
    (tmp_path / "colgraph").chmod(0o755)
    units = []
    for unit in sorted(DEPLOY.glob("colgraph*.*")):
        text = unit.read_text().replace("/opt/colgraph/bin", str(tmp_path))
        (tmp_path / unit.name).write_text(text.replace("User=colgraph", "User=root"))
        units.append(str(tmp_path / unit.name))
    done = subprocess.run([analyze, "verify", *units], capture_output=True, text=True, check=False)
    ours = [
        line for line in done.stderr.splitlines() if str(tmp_path) in line or "colgraph" in line
    ]
    assert ours == []
    broken = tmp_path / "colgraph.service"
    broken.write_text(broken.read_text().replace("TimeoutStopSec=20", "TimeoutStopSecs=20"))
    done = subprocess.run(
        [analyze, "verify", str(broken)], capture_output=True, text=True, check=False
    )
    assert "TimeoutStopSecs" in done.stderr  # it would have said so
