"""What made statements have shown, kept by ten seeds, and as tables by database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.spark import recorded_counts
from tests.spark.perturb.power import MISSED, SEEN
from tests.spark.perturb.results import JUDGED, POWER

RECORDED = Path(__file__).parent / "results.json"
STATEMENTS = "statements"
TAKEN = "power on statements"


def tables(kept: recorded_counts.Kept) -> Iterator[str]:
    """The lines of two tables: what was judged, and the edges that were taken away."""
    yield f"| database | {' | '.join(JUDGED)} |"
    yield "| --- |" + " ---: |" * len(JUDGED)
    for database, kinds in sorted(kept.items()):
        yield f"| {database} | {' | '.join(map(str, sums(kinds.get(STATEMENTS, {}), JUDGED)))} |"
    yield ""
    yield f"| edges taken away on | {' | '.join(POWER)} | of those that can be seen |"
    yield "| --- |" + " ---: |" * (len(POWER) + 1)
    for database, kinds in sorted(kept.items()):
        seen, missed, _ = counts = sums(kinds.get(TAKEN, {}), (SEEN, MISSED, *POWER[2:]))
        share = f"{100 * seen / (seen + missed):.0f} %" if seen + missed else ""
        yield f"| {database} | {' | '.join(map(str, counts))} | {share} |"


def sums(tens: dict[str, dict[str, int]], columns: tuple[str, ...]) -> list[int]:
    """The counts of all tens."""
    return [sum(ten.get(name, 0) for ten in tens.values()) for name in columns]
