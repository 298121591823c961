"""Imports of the folders that users touch: no circles, and core routes without `api.compat`."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "airflow_colgraph"
FOLDERS = ("api", "cli", "exports", "extractors", "operators")


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_by_module(files: Iterator[Path]) -> dict[str, set[str]]:
    """Every module's imports of the others: inside functions and under TYPE_CHECKING, too."""
    sources = {module_name(file): file.read_text(encoding="utf-8") for file in files}
    return {
        name: set(imported_names(ast.parse(text))) & sources.keys() - {name}
        for name, text in sources.items()
    }


def imported_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_core_routes_never_import_compat() -> None:
    imports = imports_by_module((ROOT / "api").rglob("*.py"))
    compat = {name for name in imports if name.startswith("airflow_colgraph.api.compat")}
    importers = {name for name, used in imports.items() if used & compat}
    assert importers - compat == {"airflow_colgraph.api.app"}
    assert len(compat) > 5


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_has_no_circular_imports(folder: str) -> None:
    imports = imports_by_module((ROOT / folder).rglob("*.py"))
    order = list(TopologicalSorter(imports).static_order())
    assert len(order) == len(imports) > 1


def test_the_folders_and_the_edges_have_no_circular_imports() -> None:
    files = [*ROOT.glob("*.py"), *(file for f in FOLDERS for file in (ROOT / f).rglob("*.py"))]
    assert list(TopologicalSorter(imports_by_module(iter(files))).static_order())


def test_the_check_sees_a_circle_of_types() -> None:
    tree = ast.parse("if TYPE_CHECKING:\n    from pkg import a\ndef f():\n    import pkg.b")
    assert {"pkg.a", "pkg.b"} <= set(imported_names(tree))
    with pytest.raises(CycleError):
        list(TopologicalSorter({"a": {"b"}, "b": {"a"}}).static_order())
