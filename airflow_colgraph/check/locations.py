"""Where a change stands in the program or script that makes it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from airflow_colgraph.check.change import Change, Report


def physical_location(report: Report, change: Change) -> dict[str, Any]:
    """SARIF's `physicalLocation` of a change; none if the file is not known.

    The file is the report's `source`, else the one that the job is named after, as those of SQL
    scripts are. The line is the first one that names the column, else the dataset; else the first.
    """
    jobs = report.jobs.get(change.dataset, ())
    file = report.source or next((job for job in jobs if _lines(job)), "")
    if not file:
        return {}
    region = {"region": {"startLine": _line(file, change)}} if _lines(file) else {}
    return {"physicalLocation": {"artifactLocation": {"uri": Path(file).as_posix()}, **region}}


def _line(file: str, change: Change) -> int:
    table = re.split(r"[./]", change.dataset.name.rstrip("/"))[-1]
    words = (change.column.rpartition(".")[2], change.was, table)
    numbers = (
        number
        for word in filter(None, words)
        for number, line in enumerate(_lines(file), 1)
        if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", line, re.IGNORECASE)
    )
    return next(numbers, 1)


@cache
def _lines(file: str) -> list[str]:
    """The lines of a file below the current folder; none if there is no such text."""
    path = Path(file)
    if path.is_absolute() or ".." in path.parts:
        return []
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []
