"""Counts of long runs, kept as JSON for docs/coverage.md: by version of Spark, kind and part."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

Kept = dict[str, dict[str, dict[str, dict[str, int]]]]


def read(path: Path) -> Kept:
    """What is kept; nothing where there is no file."""
    found = json.loads(path.read_text()) if path.exists() else {}
    assert isinstance(found, dict)
    return found


def write(path: Path, kept: Kept) -> None:
    """Keep all of it, in an order that shows only what changed."""
    path.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")


def table(
    part: str,
    columns: Sequence[str],
    kinds: Iterable[tuple[str, Mapping[object, Mapping[str, int]]]],
) -> Iterator[str]:
    """The lines of a table: for each kind how many parts it has, and the sums of their counts."""
    yield f"| suite | {part} | {' | '.join(columns)} |"
    yield "| --- | ---: |" + " ---: |" * len(columns)
    for kind, parts in kinds:
        sums = (str(sum(one.get(name, 0) for one in parts.values())) for name in columns)
        yield f"| {kind} | {len(parts)} | {' | '.join(sums)} |"
