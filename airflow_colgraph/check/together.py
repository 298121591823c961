"""Changes of a column that come together with those of all its readers. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from airflow_colgraph.check.change import Change
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.store.model.latest_lineage import Dataset

ENDS = ("column-removed", "column-renamed", "dataset-removed")
KINDS = (*ENDS, "type-changed")


def together(
    changes: Iterable[Change], after: Lineage, jobs: Collection[str], used: Collection[Dataset]
) -> list[Change]:
    """Return the changes, those whose readers have all changed with them as `changed-together`.

    Args:
        changes: All changes, with what depends on each.
        after: The changed jobs' lineage.
        jobs: The names of the changed jobs.
        used: The datasets that somebody uses outside of any job.

    A plan of a whole DAG has all its jobs, those that have not changed, too. So the reader of a
    column of another type counts as changed only if its own columns have. Readers are compared
    themselves, so that what the change does to them is a change of theirs. Columns of theirs that
    went with it are part of the one change.
    """
    reads = {
        (source.dataset, source.field)
        for output in after.outputs
        for inputs in (*(output.fields or {}).values(), output.rows)
        for source in inputs
    } | {(dataset, "") for output in after.outputs for dataset in output.inputs}

    changes = list(changes)
    changed = {(*change.dataset, change.was or change.column) for change in changes}

    def has_readers_changed(change: Change) -> bool:
        """Whether they read another column, or have changed with a type that they still read."""
        if change.kind in ENDS:
            return (change.dataset, change.was) not in reads
        return changed >= set(change.dependents.columns)

    def is_together(change: Change) -> bool:
        dependents = change.dependents
        return (
            change.kind in KINDS
            and bool(dependents.readers)
            and set(dependents.readers) <= set(jobs)
            and not dependents.truncated
            and change.dataset not in used
            and has_readers_changed(change)
        )

    coordinated = [change for change in changes if is_together(change)]
    behind = {
        (Dataset(namespace, name), column)
        for change in coordinated
        for namespace, name, column in change.dependents.columns
    }
    parts = [change for change in changes if _is_part(change, behind, used)]
    return [
        _as_one(change, parts) if change in coordinated else change
        for change in changes
        if change not in parts
    ]


def _as_one(change: Change, parts: Iterable[Change]) -> Change:
    """The change with what went with it, by name."""
    behind = change.dependents.columns
    readers = {name for _, name, _ in behind}
    gone = [part for part in parts if (*part.dataset, part.was) in behind]
    what = "; ".join(
        " ".join(filter(None, (part.kind, part.where if part in gone else "", part.text)))
        for part in (change, *gone)
    )
    text = f"{what}; with all that read it: {', '.join(sorted(readers))}"
    return replace(change, kind="changed-together", before="", after=text)


def _is_part(
    change: Change, behind: Collection[tuple[Dataset, str]], used: Collection[Dataset]
) -> bool:
    """Whether a reader's column went with the one that it came from, and nothing else uses it."""
    return (
        change.kind in ("column-removed", "column-renamed", "type-changed")
        and (change.dataset, change.was) in behind
        and not change.is_depended_on
        and change.dataset not in used
    )
