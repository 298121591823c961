"""What other projects' suites have shown, kept as JSON and shown as a table. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

RESULTS = Path(__file__).with_name("results.json")


class Row(NamedTuple):
    """A suite: how many of its assertions hold, which do not, and which differ for a reason.

    `unread` are tests that need classes or services of their own.
    """

    suite: str
    right: int
    wrong: list[str]
    reasons: Mapping[str, int] = Counter()
    unread: Sequence[str] = ()


def as_results(rows: Iterable[Row], version: str) -> dict[str, Any]:
    """The counts of rows by suite, in the form that is kept."""
    return {
        row.suite: {
            "version": version,
            "right": row.right,
            "wrong": len(row.wrong),
            "reasons": dict(row.reasons),
            "unread": len(row.unread),
        }
        for row in rows
    }


def keep(results: Mapping[str, Any], path: Path = RESULTS) -> None:
    """Keep the results of all suites."""
    path.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


def recorded(path: Path = RESULTS) -> dict[str, Any]:
    """The kept results by suite."""
    return dict(json.loads(path.read_text())) if path.exists() else {}


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a table of results, and a list of the reasons."""
    yield "| suite | commit | assertions | right | differs for a reason | not run | wrong |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for suite, result in sorted(results.items()):
        differs = sum(result["reasons"].values())
        total = result["right"] + result["wrong"] + result["unread"] + differs
        counts = (total, result["right"], differs, result["unread"], result["wrong"])
        yield f"| {suite} | {result['version']} | {' | '.join(map(str, counts))} |"
    yield ""
    for suite, result in sorted(results.items()):
        for reason, count in sorted(result["reasons"].items()):
            yield f"* {suite}: {reason} ({count})."
