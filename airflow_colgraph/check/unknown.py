"""What a job's events say they could not tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from airflow_colgraph.check.change import Change
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.runs import STATES, TERMINAL, event_state, rank

# Parts of the diagnostics facet -> what they say of the outputs of the event.
REASONS = {"unresolved": "not resolved", "opaque": "taken as computed from all its inputs"}
OF_TABLES = "name the tables' columns in --schemas of colgraph plan"
ADVICE = {  # for classes of SQL text (docs/sql.md)
    "AmbiguousColumn": "write the table before the column",
    **dict.fromkeys(("NaturalJoin", "Position", "Star"), OF_TABLES),
    "Column": f"check its name, or {OF_TABLES}",
    "TargetColumns": f"list the columns in the statement, or {OF_TABLES}",
    "UnnamedColumn": "give the column an alias",
}


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


# The state of a job's last run -> what it says of one without outputs, and of one with some.
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


class _Run(NamedTuple):
    """A run of a job: its first and its last event, its state, and the event that reported it."""

    begin: int
    end: int
    state: str
    event: dict[str, Any]


def missing(events: Iterable[dict[str, Any]], is_writer: Callable[[str], bool]) -> list[Change]:
    """A change `lineage-missing` for each job without outputs, or with a run that did not complete.

    Where other jobs have outputs, it takes a job that `is_writer` knows to have had some. A run
    that did not complete does not count if the job ran again and completed.
    """
    events = sorted(events, key=event_time)
    writers: set[Dataset] = set()
    for event in events:
        job = _job(event.get("job"))
        if job is not None and event.get("outputs"):
            parent = ((event.get("run") or {}).get("facets") or {}).get("parent") or {}
            writers |= {job, _job(parent.get("job")) or job}
    last = {job: _last(runs) for job, runs in _runs(events).items()}
    silent = [
        Change("lineage-missing", job, after=_ending(run))
        for job, run in last.items()
        if job not in writers and (not writers or is_writer(job.name))
    ]
    unended = [
        Change("lineage-missing", job, after=UNENDED[run.state])
        for job, run in last.items()
        if job in writers and run.state in UNENDED
    ]
    return silent + unended


def _runs(events: Iterable[dict[str, Any]]) -> dict[Dataset, list[_Run]]:
    """The runs of each job, by events in the order of time."""
    of_runs: dict[tuple[Dataset, str], list[dict[str, Any]]] = {}
    for event in events:
        job = _job(event.get("job"))
        if job is not None:
            id = str((event.get("run") or {}).get("runId"))
            of_runs.setdefault((job, id), []).append(event)
    runs: dict[Dataset, list[_Run]] = {}
    for (job, _), its in of_runs.items():
        event = max(its, key=lambda each: (_rank(each), _why(each)))
        state = STATES[event_state(event.get("eventType"))]
        run = _Run(event_time(its[0]), event_time(its[-1]), state, event)
        runs.setdefault(job, []).append(run)
    return runs


def _rank(event: dict[str, Any]) -> tuple[bool, int, int]:
    state = event_state(event.get("eventType"))
    return rank(event_time(event) if state >= TERMINAL else None, state)


def _last(runs: Sequence[_Run]) -> _Run:
    """A run that did not complete, if the job was not run again after it; else the last one.

    Nothing orders two runs that ended at one time.
    """
    completed = [run for run in runs if run.state == "COMPLETE"]
    unended = [
        run
        for run in runs
        if run.state in UNENDED
        and not any(each.begin >= run.end and each.end > run.end for each in completed)
    ]
    return max(
        unended or runs,
        key=lambda run: (run.end, run.state not in UNENDED, run.state, _why(run.event)),
    )


def event_time(event: dict[str, Any]) -> int:
    """When the event was; of one without a time the store says what is wrong."""
    try:
        return clock.parse_iso(str(event.get("eventTime")))
    except ValueError:
        return 0


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


def advice(classes: Iterable[str]) -> list[str]:
    """What to do about lineage that is not resolved for these reasons, each thing once."""
    return list(dict.fromkeys(ADVICE[name] for name in classes if name in ADVICE))


def _job(named: Any) -> Dataset | None:
    return Dataset(str(named.get("namespace")), str(named.get("name"))) if named else None


def _ending(run: _Run) -> str:
    ending = ENDINGS.get(run.state, "its run has not ended, and has no output yet")
    return "; ".join(filter(None, (ending, _why(run.event))))


def _why(event: dict[str, Any]) -> str:
    facet = ((event.get("run") or {}).get("facets") or {}).get("colgraph_diagnostics") or {}
    reasons = [
        f"{text}: {', '.join(str(entry.get('class')) for entry in facet[part])}"
        for part, text in REASONS.items()
        if facet.get(part)
    ]
    reasons += advice(str(entry.get("class")) for entry in facet.get("unresolved") or ())
    for rows in facet.get("throughDriver") or ():
        read = ", ".join(str(dataset.get("name")) for dataset in rows.get("datasets") or ())
        reasons.append(f"rows that the driver made, perhaps of what it had read: {read}")
    if facet.get("truncated"):
        reasons.append(f"cut: {facet['truncated']}")
    return "; ".join(reasons)
