"""What the suite has shown, counted by suite, and as a table. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "results.json"
COLUMNS = ("statements", "run", "same", "written", "judged", "right", "reported", "lost")
REASONS = {  # classes that may be opaque or unresolved, and why
    "ScriptTransformation": "a script's output: what it makes of its input is not in the plan",
    "PythonUDTF": "a table function in Python: which of its arguments a column uses is not known",
}


class Report:
    """The counts of each suite, and what was found."""

    def __init__(self) -> None:
        """Nothing is counted."""
        self.counts: dict[str, dict[str, int]] = {}
        self.why_not: dict[str, int] = {}
        self.findings: list[str] = []

    def count(self, suite: str, **more: int) -> None:
        """Add to the counts of a suite."""
        found = self.counts.setdefault(suite, dict.fromkeys(COLUMNS, 0))
        for name, number in more.items():
            found[name] += number

    def find(self, what: str, file: str, statement: str) -> None:
        """Something that is wrong."""
        self.findings.append(f"{what} in {file}:\n    {' '.join(statement.split())[:500]}")

    def table(self) -> str:
        """The counts as a Markdown table, with a row of the sums."""
        return "\n".join(table(self.counts))


def table(counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """A row for each suite, and one of the sums."""
    yield f"| suite | {' | '.join(COLUMNS)} |"
    yield "| --- |" + " ---: |" * len(COLUMNS)
    for suite, found in counts.items():
        yield f"| {suite} | {' | '.join(str(found[name]) for name in COLUMNS)} |"
    sums = (str(sum(found[name] for found in counts.values())) for name in COLUMNS)
    yield f"| all | {' | '.join(sums)} |"


def reported(diagnostics: Mapping[str, Any]) -> list[str]:
    """The classes that an event reports, and what failed or was cut."""
    found = [
        item["class"] for kind in ("unresolved", "opaque") for item in diagnostics.get(kind, ())
    ]
    return [*found, *filter(None, [diagnostics.get("truncated")])]


def unexplained(classes: Iterable[str]) -> list[str]:
    """Those without a reason."""
    return [name for name in classes if name not in REASONS]


def record(version: str, report: Report) -> None:
    """Keep the counts for docs/coverage.md."""
    found = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    found[version] = report.counts
    RECORDED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
