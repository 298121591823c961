"""Names of values say what the values are: the number of those that do not may only fall."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "airflow_colgraph"
WEAK = {"found", "one", "known", "given", "made"}
MOST = 10  # lower it when names are mended


def weak_names(tree: ast.AST) -> Iterator[str]:
    """The weak names that are bound anywhere in a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in WEAK:
            yield node.id
        elif isinstance(node, ast.arg) and node.arg in WEAK:
            yield node.arg


def test_weak_names_get_fewer() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    count = sum(len(list(weak_names(ast.parse(file.read_text("utf-8"))))) for file in files)
    assert count <= MOST, f"{count} variables are called one of {', '.join(sorted(WEAK))}"
    assert count > MOST - 50, f"only {count} are left: lower MOST"


def test_a_weak_name_is_seen_wherever_it_is_bound() -> None:
    text = "def f(known): found = [one for one in known]; return lambda made: found"
    assert sorted(weak_names(ast.parse(text))) == ["found", "known", "made", "one"]


def test_phrases_of_the_first_drafts_stay_out() -> None:
    """A reader had to turn them round: columns are computed, and filters affect rows."""
    phrases = re.compile(r"\bmade\s+of\b|\bdecid(?:e|es|ed|ing)\s+on\b|\bheard\b|\bof which\b")
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.glob("ui/src/*.ts*"), *PACKAGE.rglob("*.java")]
    files += (PACKAGE.parent / "docs").glob("*.md")
    assert len(files) > 800
    texts = {file: file.read_text("utf-8") for file in files}
    assert [str(file) for file, text in texts.items() if phrases.search(text)] == []
