"""What a job's events say they could not tell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from airflow_colgraph.check.change import Change
from airflow_colgraph.exports.lineage_model import Dataset

# Parts of the diagnostics facet -> what they say of the outputs of the event.
REASONS = {"unresolved": "not resolved", "opaque": "taken as made of all its inputs"}


def unknown(events: Iterable[dict[str, Any]]) -> list[Change]:
    """A change `lineage-unknown` for each output whose event has diagnostics.

    The source is the run facet `colgraph_diagnostics` (docs/events.md).
    """
    found = {}
    for event in events:
        why = _why(event)
        if why:
            for output in event.get("outputs") or ():
                name = Dataset(str(output.get("namespace")), str(output.get("name")))
                found[name, why] = Change("lineage-unknown", name, after=why)
    return list(found.values())


def _why(event: dict[str, Any]) -> str:
    facet = ((event.get("run") or {}).get("facets") or {}).get("colgraph_diagnostics") or {}
    reasons = [
        f"{text}: {', '.join(str(one.get('class')) for one in facet[part])}"
        for part, text in REASONS.items()
        if facet.get(part)
    ]
    for rows in facet.get("throughDriver") or ():
        read = ", ".join(str(one.get("name")) for one in rows.get("datasets") or ())
        reasons.append(f"rows that the driver made, perhaps of what it had read: {read}")
    if facet.get("truncated"):
        reasons.append(f"cut: {facet['truncated']}")
    return "; ".join(reasons)
