"""Imports between our folders point one way, and the collector needs only the standard library."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent / "airflow_colgraph"

MAY_IMPORT: dict[str, set[str]] = {
    "openlineage": set(),
    "collector": {"openlineage"},
    # the store: operators/store_writer.py, deliver.py, export.py, policy.py, rerun.py; exports,
    # check: the last
    "operators": {"openlineage", "collector", "extractors", "sql", "store", "exports", "check"},
    "extractors": {"openlineage", "collector"},
    "sql": {"openlineage"},
    "store": {"openlineage"},
    "exports": {"openlineage", "store"},
    "api": {"openlineage", "store", "exports"},
    "check": {"store", "exports"},
    "mcp_server": {"api"},
    "testing": {"collector"},
    # the store: its pure model and the reading of events, see tests/warehouse/test_rooms.py
    "warehouse": {"store"},
    "publish": {"warehouse", "store"},  # the only one with both Spark and the database
}
# Thin edges to Airflow and the shell that a folder may read its settings from.
EDGES = {
    "operators": {"conf", "delivery", "run_tokens", "spools", "version_compat", "views"},
    "extractors": {"conf", "version_compat", "queries"},
    "api": {"queries", "run_tokens"},
    "warehouse": {"queries"},
}
NO_DEPENDENCIES = {"collector", "openlineage"}


def test_the_architecture_page_has_every_arrow() -> None:
    page = (ROOT.parent / "docs/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", page, flags=re.MULTILINE)
    arrows = {name: set(re.findall(r"`(\w+)`", cell)) for name, cell in rows if name in MAY_IMPORT}
    assert arrows == MAY_IMPORT


def imports(node: ast.AST, *, module_level: bool) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "relative imports are banned"
            yield child.module or ""
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif not (module_level and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)):
            yield from imports(child, module_level=module_level)


READ_TABLES = {"store", "publish"}  # the only folders that know the store's tables
FILES = {file.relative_to(ROOT): ast.parse(file.read_text()) for file in ROOT.rglob("*.py")}
IMPORTS = {place: set(imports(tree, module_level=False)) for place, tree in FILES.items()}


def test_the_tables_are_read_by_the_store_and_publish_only() -> None:
    readers = {
        place
        for place, names in IMPORTS.items()
        if any(name.startswith("airflow_colgraph.store.db") for name in names)
    }
    assert {place.parts[0] for place in readers} == READ_TABLES, readers


def test_imports_point_one_way() -> None:
    wrong = {}
    for place, names in IMPORTS.items():
        folder = place.parts[0]
        if folder in MAY_IMPORT:
            ours = {n.split(".")[1] for n in names if n.startswith("airflow_colgraph.")}
            allowed = MAY_IMPORT[folder] | EDGES.get(folder, set()) | {folder, "__version__"}
            wrong[place] = ours - allowed
    assert len(wrong) > len(MAY_IMPORT)
    assert not any(wrong.values()), {place: names for place, names in wrong.items() if names}


def test_the_collector_needs_only_the_standard_library() -> None:
    in_a_driver = {"delta", "pyspark", "py4j"}  # inside functions that run in a driver
    wrong = {}
    for place, tree in FILES.items():
        if place.parts[0] in NO_DEPENDENCIES:
            at_import = {n.split(".")[0] for n in imports(tree, module_level=True)}
            ever = {n.split(".")[0] for n in IMPORTS[place]} - in_a_driver
            wrong[place] = (at_import | ever) - {"airflow_colgraph"} - sys.stdlib_module_names
    assert len(wrong) > len(NO_DEPENDENCIES)
    assert not any(wrong.values()), {place: names for place, names in wrong.items() if names}


def test_the_check_sees_a_forbidden_import() -> None:
    tree = ast.parse("def f():\n    from airflow_colgraph.store import tables\n    import requests")
    assert "airflow_colgraph.store" in set(imports(tree, module_level=False))
    assert "requests" not in set(imports(tree, module_level=True))


def circles(arrows: dict[str, set[str]]) -> list[set[str]]:
    """The groups of modules that import each other, directly or through others."""
    reached: dict[str, set[str]] = {}
    for start in arrows:
        found: set[str] = set()
        stack = [start]
        while stack:
            new = arrows.get(stack.pop(), set()) - found
            found |= new
            stack.extend(new)
        reached[start] = found
    groups = [
        {other for other in found if start in reached[other]} for start, found in reached.items()
    ]
    return [group for group in groups if group]


def test_no_modules_import_each_other() -> None:
    """No circle anywhere in the package: imports inside functions and for types count."""
    modules = {}
    for place, names in IMPORTS.items():
        parts = (ROOT.name, *place.with_suffix("").parts)
        modules[".".join(part for part in parts if part != "__init__")] = names
    arrows = {
        name: {
            imported
            for imported in names
            if imported in modules and imported != name and not name.startswith(f"{imported}.")
        }
        for name, names in modules.items()
    }
    assert circles(arrows) == []


def test_no_modules_of_the_page_import_each_other() -> None:
    files = {file.stem: file for file in (ROOT / "ui" / "src").glob("*.ts*")}
    arrows = {
        name: set(re.findall(r'from "\./(\w+)"', file.read_text())) & files.keys()
        for name, file in files.items()
    }
    assert arrows["main"] >= {"App"}
    assert circles(arrows) == []


def test_the_check_sees_a_circle() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}] * 3


def test_any_environment_can_start_the_tests() -> None:
    """Those of other versions have pytest and what they are about, and no more."""
    ours = {"tests/conftest.py", "dev/class_data_sharing.py"}
    for name in ours:
        tree = ast.parse((ROOT.parent / name).read_text())
        found = {one.partition(".")[0] for one in imports(tree, module_level=True)}
        assert found <= sys.stdlib_module_names | {"pytest", "dev"}, name
