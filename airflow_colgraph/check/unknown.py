"""What a job's events say they could not tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from airflow_colgraph.check.change import Change
from airflow_colgraph.store.model.latest_lineage import Dataset

# Parts of the diagnostics facet -> what they say of the outputs of the event.
REASONS = {"unresolved": "not resolved", "opaque": "taken as made of all its inputs"}


def unknown(events: Iterable[dict[str, Any]]) -> list[Change]:
    """A change `lineage-unknown` for each output whose event has diagnostics.

    The source is the run facet `colgraph_diagnostics` (docs/events.md).
    """
    changes = {}
    for event in events:
        why = _why(event)
        if why:
            for output in event.get("outputs") or ():
                name = Dataset(str(output.get("namespace")), str(output.get("name")))
                changes[name, why] = Change("lineage-unknown", name, after=why)
    return list(changes.values())


# The last event of a job -> what it says of a run without outputs, and of one with some.
ENDINGS = {
    "COMPLETE": "its run reported no output",
    "FAIL": "its run failed and reported no output",
    "ABORT": "its run was aborted and reported no output",
}
UNENDED = {
    "FAIL": "its run failed, so it may write more",
    "ABORT": "its run was aborted, so it may write more",
    "START": "its run has not ended, so it may write more",
    "RUNNING": "its run has not ended, so it may write more",
}


def missing(events: Iterable[dict[str, Any]], is_writer: Callable[[str], bool]) -> list[Change]:
    """A change `lineage-missing` for each job without outputs, or whose last run is not complete.

    Where other jobs have outputs, it takes a job that `is_writer` knows to have had some.
    """
    last: dict[Dataset, dict[str, Any]] = {}
    writers: set[Dataset] = set()
    for event in events:
        job = _job(event.get("job"))
        if job is None:
            continue
        last[job] = event
        if event.get("outputs"):
            parent = ((event.get("run") or {}).get("facets") or {}).get("parent") or {}
            writers |= {job, _job(parent.get("job")) or job}
    silent = [
        Change("lineage-missing", job, after=_ending(event))
        for job, event in last.items()
        if job not in writers and (not writers or is_writer(job.name))
    ]
    unended = [
        Change("lineage-missing", job, after=UNENDED[state])
        for job, event in last.items()
        if job in writers and (state := str(event.get("eventType"))) in UNENDED
    ]
    return silent + unended


def without_rows(events: Iterable[dict[str, Any]]) -> list[Change]:
    """A change `plan-incomplete` for each planned job with actions that had no rows.

    The source is the run facet `colgraph_plan` (docs/events.md).
    """
    changes = {}
    for event in events:
        facet = ((event.get("run") or {}).get("facets") or {}).get("colgraph_plan") or {}
        job = _job(event.get("job"))
        if job is not None and (actions := facet.get("withoutRows")):
            changes[job] = Change("plan-incomplete", job, after=", ".join(map(str, actions)))
    return list(changes.values())


def _job(named: Any) -> Dataset | None:
    return Dataset(str(named.get("namespace")), str(named.get("name"))) if named else None


def _ending(event: dict[str, Any]) -> str:
    ending = ENDINGS.get(
        str(event.get("eventType")), "its run has not ended, and has no output yet"
    )
    return "; ".join(filter(None, (ending, _why(event))))


def _why(event: dict[str, Any]) -> str:
    facet = ((event.get("run") or {}).get("facets") or {}).get("colgraph_diagnostics") or {}
    reasons = [
        f"{text}: {', '.join(str(entry.get('class')) for entry in facet[part])}"
        for part, text in REASONS.items()
        if facet.get(part)
    ]
    for rows in facet.get("throughDriver") or ():
        read = ", ".join(str(dataset.get("name")) for dataset in rows.get("datasets") or ())
        reasons.append(f"rows that the driver made, perhaps of what it had read: {read}")
    if facet.get("truncated"):
        reasons.append(f"cut: {facet['truncated']}")
    return "; ".join(reasons)
