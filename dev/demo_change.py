"""The change that somebody makes to a job between its two runs in the demo."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path
from typing import Any

from airflow_colgraph.collector.events.render import labels, lines, table

TASK = "mart"
# A column is rounded, one is renamed, and one is new.
CHANGES = {
    'F.col("share_late").alias("airline_share_late")': (
        'F.round("share_late", 3).alias("airline_share_late")'
    ),
    '.alias("on_time")': '.alias("on_time_flights")',
    '/carriers").select("day", "carrier", "rank")': (
        '/carriers").withColumnRenamed("mean_delay", "carrier_mean_delay")'
    ),
}


def changed(text: str) -> str:
    """The job's text with the changes; ValueError if one of them does not fit."""
    for before, after in CHANGES.items():
        if text.count(before) != 1:
            raise ValueError(f"{before} is {text.count(before)} times in the job. Expected: once.")
        text = text.replace(before, after)
    return text


def change(job: Path) -> str:
    """Change the job's file; the difference as lines that begin with - or +."""
    before = job.read_text()
    after = changed(before)
    job.write_text(after)
    _, _, *found = unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in found if not line.startswith("@@"))


def lineage_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What an event says of its outputs that the other does not, as lines with - and +."""
    label = labels([before, after])
    then, now = (
        {line for out in e["outputs"] for line in lines(out, label)} for e in (before, after)
    )
    found = [("-", line) for line in then - now] + [("+", line) for line in now - then]
    found.sort(key=lambda one: (one[1][0], one[0] == "+", one[1]))
    shown = table((line for _, line in found), indent=" ")
    return "\n".join(f"{sign}{line}" for (sign, _), line in zip(found, shown, strict=True))
