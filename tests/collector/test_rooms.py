"""The collector's folders: which may import which, what is pure, and that rules stand on top."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = "airflow_colgraph.collector"
ROOT = Path(__file__).parents[2] / "airflow_colgraph" / "collector"

# What a folder may import besides itself and BASE.
BASE = {"connect_protocol", "model", "openlineage", "plan", "registry", "settings"}
MAY_IMPORT: dict[str, set[str]] = {
    "naming": set(),
    "lineage": set(),
    "events": {"lineage"},
    "spark": {"lineage", "naming"},
    "sinks": {"spark"},
    "dry_run": {"naming", "python_functions", "spark"},
    "python_functions": {"lineage"},
    "load_rules": {"lineage", "python_functions", "spark"},
    "rule_api": {"lineage", "spark"},
    "extensions": {"lineage", "spark"},
    "accounting": {"events", "python_functions", "spark"},
    "pipeline": {
        *("accounting", "events", "lineage", "load_rules", "python_functions", "spark"),
    },
    "connect_client": {"sinks"},
    "driver": {"pipeline", "extensions", "events", "python_functions", "spark", "sinks"},
    **{name: set() for name in BASE},
    "__init__": {"driver"},
}
PURE = {"naming", "lineage", "events", "python_functions", *BASE}
FILES = sorted(ROOT.rglob("*.py"))


def room(name: str) -> str:
    """The folder below the collector, or the module, that a dotted name is in."""
    return name.removeprefix(PACKAGE).strip(".").partition(".")[0] or "__init__"


@cache
def imported(file: Path) -> tuple[str, ...]:
    """The names that a file imports, anywhere in it, types included."""
    return tuple(names_in(file))


def names_in(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def of(file: Path) -> str:
    """The room that a file is in."""
    return file.relative_to(ROOT).with_suffix("").parts[0]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_folders_import_only_what_they_may(file: Path) -> None:
    ours = {room(name) for name in imported(file) if name.startswith(f"{PACKAGE}.")}
    assert ours <= MAY_IMPORT[of(file)] | BASE | {of(file)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_py4j_is_met_behind_the_wall_only(file: Path) -> None:
    """Only spark, driver and sinks import py4j or pyspark, or hold objects of the JVM."""
    names = set(imported(file))
    if of(file) in PURE | {"pipeline", "load_rules", "extensions"}:
        assert not {name for name in names if name.split(".")[0] in ("py4j", "pyspark")}
        assert not {name for name in names if name.endswith((".jvm.Java", ".jvm"))}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_resolving_needs_no_rule(file: Path) -> None:
    """Rules import the resolution; whatever the resolution needs imports no rule."""
    if file in needed_by(ROOT / "lineage" / "resolution.py") | needed_by(
        ROOT / "lineage" / "evaluation.py"
    ):
        assert not [name for name in imported(file) if ".lineage.rules." in name]


@cache
def needed_by(file: Path) -> set[Path]:
    """A module of the collector and all modules of it that it imports, directly or not."""
    found, stack = {file}, [file]
    while stack:
        for name in imported(stack.pop()):
            path = ROOT.joinpath(*name.removeprefix(f"{PACKAGE}.").split(".")[:-1])
            for module in (path.with_suffix(".py"), path / f"{name.rpartition('.')[2]}.py"):
                if name.startswith(PACKAGE) and module.is_file() and module not in found:
                    found.add(module)
                    stack.append(module)
    return found


def test_every_module_of_rules_is_loaded() -> None:
    listed = {name.rpartition(".")[2] for name in imported(ROOT / "load_rules.py")}
    rules = {file.stem for file in (ROOT / "lineage" / "rules").glob("[!_]*.py")}
    registering = {
        file.stem
        for file in (ROOT / "spark").glob("[!_]*.py")
        if any(line.startswith("@register(") for line in file.read_text().splitlines())
    }
    assert rules | registering <= listed


def test_the_check_sees_what_is_needed() -> None:
    needed = needed_by(ROOT / "lineage" / "rules" / "udfs.py")
    assert {ROOT / "lineage" / "resolution.py", ROOT / "plan.py"} <= needed
