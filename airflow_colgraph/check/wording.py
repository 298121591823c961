"""A change in words: what depends on it, and all of it in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from airflow_colgraph.check.change import KINDS, Change, Report


def compared(report: Report) -> str:
    """How much was looked at: `3 datasets compared, 1 of them new`."""
    count = len(report.datasets)
    if not count:
        return "nothing compared"
    if report.new == count:
        return f"nothing compared: {_datasets(count)} new"
    new = f", {report.new} of them new" if report.new else ""
    return f"{_datasets(count)} compared{new}"


def _datasets(count: int) -> str:
    return f"{count} dataset{'' if count == 1 else 's'}"


def summary(changes: Sequence[Change]) -> str:
    """The changes in numbers: `1 error, 2 warnings`."""
    counts = []
    for severity in ("error", "warning", "note"):
        count = sum(change.severity == severity for change in changes)
        if count:
            counts.append(f"{count} {severity}{'' if count == 1 else 's'}")
    return ", ".join(counts) or "no change"


def depends(change: Change) -> str:
    """What depends on a change, in numbers and by name; nothing if nothing does."""
    dependents = change.dependents
    if not change.is_depended_on:
        return ""
    parts = []
    columns = [column for column in dependents.columns if column[2]]
    if columns:
        count = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
        parts.append(f"{count} of {_some(dict.fromkeys(name for _, name, _ in columns))}")
    rows = [name for _, name, column in dependents.columns if not column]
    if rows:
        parts.append(f"the rows of {_some(rows)}")
    by = f", by {_some(dependents.jobs)}" if dependents.jobs else ""
    derived = ("at least " if dependents.truncated else "") + " and ".join(parts) + by
    used = f"used by {_some(dependents.exports)}" if dependents.exports else ""
    owned = f"owned by {_some(dependents.owners)}" if dependents.owners else ""
    return "; ".join(filter(None, (derived, used, owned)))


def _some(names: Iterable[str]) -> str:
    """The first three names, and how many more there are."""
    names = list(names)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if names[3:] else "")


def sentence(change: Change) -> str:
    """The change in one line, with its place and what depends on it."""
    depending = f". Depends on it: {depends(change)}" if change.is_depended_on else ""
    waived = "".join(f" ({why})" for why in (change.waived, change.expired) if why)
    return f"{change.kind} {change.where}: {change.text or KINDS[change.kind]}{depending}{waived}"


def full_name(change: Change) -> str:
    """The dataset's or column's name with its namespace."""
    column = f"#{change.column}" if change.column else ""
    return f"{change.dataset.namespace}/{change.dataset.name}{column}"
