"""Counts of long runs, kept as JSON for docs/coverage.md: by version of Spark, kind and part."""

from __future__ import annotations

import json
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
