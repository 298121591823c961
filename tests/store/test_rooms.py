"""The folders of the store import one way, and `model` needs no database."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import airflow_colgraph.store

ROOT = Path(airflow_colgraph.store.__file__).parent
STORE = "airflow_colgraph.store"

# What each folder may import of the store, besides itself.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "default_url": {"errors"},
    "interruption": {"errors"},
    "model": {"errors"},
    "db": {"model", "errors", "interruption"},
    "migrations": {"db", "errors"},
    "ingest": {"db", "model", "errors", "interruption"},
    "query": {"db", "model", "errors"},
    "admin": {"db", "model", "ingest", "migrations", "errors"},
    "store": {"db", "model", "ingest", "query", "migrations", "errors", "default_url"},
    "readiness": {"db", "migrations", "store", "errors"},
}
MODULES = {
    ".".join([STORE, *file.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__"): file
    for file in sorted(ROOT.rglob("*.py"))
    if "versions" not in file.parts
}


def imported(text: str) -> Iterator[str]:
    """Modules imported anywhere in the text, also in functions and for types only."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def store_modules(text: str) -> set[str]:
    return {name for name in imported(text) if name in MODULES and name != STORE}


def rooms(text: str) -> set[str]:
    return {name.split(".")[2] for name in store_modules(text)}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other, in order; empty if there are none."""
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str]:
        if module in path:
            return path[path.index(module) :]
        if module in done:
            return []
        found = next(filter(None, (visit(one, [*path, module]) for one in graph[module])), [])
        done.add(module)
        return found

    return next(filter(None, (visit(module, []) for module in graph)), [])


@pytest.mark.parametrize("module", [name for name in MODULES if name != STORE])
def test_folders_import_one_way(module: str) -> None:
    room = module.split(".")[2]
    assert rooms(MODULES[module].read_text()) <= MAY_IMPORT[room] | {room}


def test_no_modules_import_each_other() -> None:
    graph = {module: store_modules(file.read_text()) - {module} for module, file in MODULES.items()}
    # `from package import module` names the package too, which imports nothing.
    assert circle(graph) == []
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]


def test_queries_and_ingestion_do_not_import_each_other() -> None:
    assert "query" not in MAY_IMPORT["ingest"]
    assert "ingest" not in MAY_IMPORT["query"]
    assert rooms("def f():\n    from airflow_colgraph.store.ingest import persist") == {"ingest"}


def test_the_model_imports_no_database() -> None:
    modules = [name for name in MODULES if name.startswith(f"{STORE}.model")]
    assert len(modules) > 5
    code = f"import sys, {', '.join(modules)}; "
    code += "assert not {'sqlalchemy', 'sqlite3'} & set(sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_readers_reach_the_edge_cache_by_one_function() -> None:
    """The others are the protocol's own, the columns of a row, and functions of rows."""
    cache = f"{STORE}.query.edge_cache"
    used = {
        name.removeprefix(f"{cache}.")
        for file in MODULES.values()
        for name in imported(file.read_text())
        if name.startswith(f"{cache}.")
    }
    columns = {"INPUT", "OUTPUT", "JOB_OUTPUT", "FIRST_SEEN", "LAST_SEEN", "CLOSED_AT", "NAMES"}
    columns |= {"KIND", "TRANSFORMATION"}
    assert used == {"snapshot", "Row", "FEW", "held", "timeline"} | columns


def test_every_folder_describes_its_contents() -> None:
    packages = [file for file in MODULES.values() if file.name == "__init__.py"]
    docstrings = [ast.get_docstring(ast.parse(file.read_text())) for file in packages]
    assert len(packages) == 7
    assert all(docstrings)
