"""What of a store is meant: datasets, jobs, runs, or whatever has a text."""

from __future__ import annotations

from typing import NamedTuple


class Selection(NamedTuple):
    """Datasets and jobs by ids and names, runs, or a text; `asked` says it to people."""

    asked: str
    datasets: dict[int, tuple[str, str]]
    jobs: dict[int, tuple[str, str]]
    runs: frozenset[bytes] = frozenset()
    text: str = ""
