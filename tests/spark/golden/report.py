"""What the suite has shown, counted by suite, and as a table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.spark import recorded_counts

RECORDED = Path(__file__).parent / "results.json"
COLUMNS = ("statements", "run", "same", "written", "judged", "right", "reported", "lost")
FIRST = {"results": "statements", "lineage": "judged"}  # what each half of a run counts for a file
REASONS = {  # classes that may be opaque or unresolved, and why
    "ScriptTransformation": "a script's output: what it makes of its input is not in the plan",
    "PythonUDTF": "a table function in Python: which of its arguments a column uses is not known",
}


Counts = Mapping[str, Mapping[str, Mapping[str, int]]]  # by suite, by file


class Report:
    """The counts of each file, and what was found."""

    def __init__(self) -> None:
        """Nothing is counted."""
        self.counts: dict[str, dict[str, dict[str, int]]] = {}
        self.why_not: dict[str, int] = {}
        self.findings: list[str] = []

    def count(self, suite: str, file: str, **more: int) -> None:
        """Add to the counts of a file."""
        found = self.counts.setdefault(suite, {}).setdefault(file, {})
        for name, number in more.items():
            found[name] = found.get(name, 0) + number

    def find(self, what: str, file: str, statement: str) -> None:
        """Something that is wrong."""
        self.findings.append(f"{what} in {file}:\n    {' '.join(statement.split())[:500]}")

    def sum(self, name: str) -> int:
        """One of COLUMNS over all files."""
        files = (file for suite in self.counts.values() for file in suite.values())
        return sum(file.get(name, 0) for file in files)

    def table(self) -> str:
        """The counts as a Markdown table, with a row of the sums."""
        return "\n".join(table(self.counts))


def table(counts: Counts) -> Iterator[str]:
    """A row for each suite, and one of the sums."""
    every = [file for suite in counts.values() for file in suite.values()]
    suites = [*sorted(counts.items()), ("all", dict(enumerate(every)))]
    return recorded_counts.table("files", COLUMNS, suites)


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
    """Keep the counts for docs/coverage.md, beside those of other files and of the other half."""
    kept = recorded()
    for suite, files in report.counts.items():
        for file, counts in files.items():
            known = kept.setdefault(version, {}).setdefault(suite, {}).setdefault(file, {})
            known.update(counts)
    recorded_counts.write(RECORDED, kept)


def recorded() -> recorded_counts.Kept:
    """What is kept, by version."""
    return recorded_counts.read(RECORDED)


def is_recorded(version: str, suite: str, file: str, only: str) -> bool:
    """Whether a file's counts are kept, of one half or of both."""
    known = recorded().get(version, {}).get(suite, {}).get(file, {})
    return all(FIRST[half] in known for half in FIRST if only in ("", half))
