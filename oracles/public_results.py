"""What public programs have shown, kept by suite and program, and as a table. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.spark import recorded_counts

RECORDED = Path(__file__).parent / "public_results.json"
ENDED, FAILED = "ended well", "failed plainly too"
WHOLE, PARTLY, REPORTED, SILENT = "whole", "some without inputs", "reported", "silent"
GAPS = "counted only"
COLUMNS = (ENDED, FAILED, "writes", WHOLE, PARTLY, REPORTED, SILENT, GAPS)

Counts = Mapping[str, Mapping[str, Mapping[str, int]]]  # by suite, by program


def keep(
    version: str, suite: str, program: str, counts: Mapping[str, int], path: Path = RECORDED
) -> None:
    """Keep the counts of a program, in place of those of an earlier run."""
    kept = recorded_counts.read(path)
    of_suite = kept.setdefault(version, {}).setdefault(suite, {})
    of_suite[program] = {name: counts[name] for name in COLUMNS if counts.get(name)}
    recorded_counts.write(path, kept)


def table(counts: Counts) -> Iterator[str]:
    """A row for each suite."""
    return recorded_counts.table("programs", COLUMNS, sorted(counts.items()))
