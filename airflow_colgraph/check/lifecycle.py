"""What the runs of a changed job leave of datasets: those dropped, emptied or renamed.

The source is OpenLineage's `lifecycleStateChange` of outputs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.check.change import Change
from airflow_colgraph.check.compare import same_jobs
from airflow_colgraph.check.names import Name, renamed
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.store.model.latest_lineage import Dataset, JobOutput
from airflow_colgraph.store.model.lifecycle import CHANGES, ENDS
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.kept_facets import life_cycle_states

KINDS = {state: ENDS[change] for state, change in CHANGES.items()}


@dataclass(frozen=True)
class Ending:
    """The end of a dataset, or of its rows, by a job; `now` is its new name, if it has one."""

    state: str
    job: str
    now: Dataset | None = None

    @property
    def text(self) -> str:
        """What has happened, for a person."""
        if self.now is not None:
            return f"renamed to {self.now.name}"
        return f"by {self.state} in {self.job}"


def endings(events: Iterable[dict[str, Any]]) -> dict[Dataset, Ending]:
    """The datasets that are gone or empty after the events, which are in the order of time."""
    ended: dict[Dataset, Ending] = {}
    for event in events:
        job = str((event.get("job") or {}).get("name"))
        for output in event.get("outputs") or ():
            dataset = _dataset(output)
            facet = (output.get("facets") or {}).get("lifecycleStateChange") or {}
            state = str(facet.get("lifecycleStateChange")).upper()
            previous = facet.get("previousIdentifier")
            ended.pop(dataset, None)
            if state == "RENAME" and isinstance(previous, dict):
                ended[_dataset(previous)] = Ending(state, job, dataset)
            elif state in KINDS and state != "RENAME":
                ended[dataset] = Ending(state, job)
    return ended


def _dataset(named: dict[str, Any]) -> Dataset:
    return Dataset(str(named.get("namespace")), str(named.get("name")))


def named(ended: dict[Dataset, Ending], name: Name) -> dict[Dataset, Ending]:
    """The same with the names that the base has."""
    return {
        name(dataset): replace(ending, now=ending.now and name(ending.now))
        for dataset, ending in ended.items()
    }


def without(lineage: Lineage, ended: dict[Dataset, Ending]) -> Lineage:
    """The lineage of what is there in the end: a renamed dataset has that of its rows."""
    moved = {dataset: ending.now for dataset, ending in ended.items() if ending.now is not None}
    left = [
        output
        for output in lineage.outputs
        if (output.dataset not in ended or output.dataset in moved)
        and not (output.dataset in moved.values() and output.fields is None)
    ]
    now = renamed(Lineage(tuple(left)), lambda dataset: moved.get(dataset, dataset))
    schemas = {
        moved.get(dataset, dataset): fields
        for dataset, fields in lineage.schemas.items()
        if dataset not in ended or dataset in moved
    }
    return replace(lineage, outputs=now.outputs, schemas=schemas)


def ended_alike(
    before: Lineage, stated: Lineage, ended: dict[Dataset, Ending], was: States
) -> set[Dataset]:
    """The datasets that are written and then dropped or emptied, as before: they are compared."""
    made = [
        {output.dataset for output in lineage.outputs if output.fields and output.inputs}
        for lineage in (before, stated)
    ]
    return {
        dataset
        for dataset in made[0] & made[1] & ended.keys()
        if ended[dataset].now is None and was.get(dataset) == ended[dataset].state
    }


def ended_changes(
    before: Lineage, ended: dict[Dataset, Ending], gone: Collection[Dataset]
) -> list[Change]:
    """A change for each dataset that is gone or empty, unless the same job did so before.

    `gone`: the datasets that were gone before.
    """
    return [
        Change(KINDS[ending.state], dataset, after=ending.text)
        for dataset, ending in ended.items()
        if dataset not in gone and not _ended_before(before, dataset, ending.job)
    ]


States = Mapping[Dataset, str]  # the life cycle changes that the last writes were


def states_of(connection: Connection, outputs: Iterable[JobOutput]) -> States:
    """The last life cycle changes of the datasets, where none was written without one since."""
    written: dict[Dataset, int] = {}
    for output in outputs:
        written[output.dataset] = max(output.at, written.get(output.dataset, output.at))
    states = life_cycle_states(connection, (Field(*dataset, "") for dataset in written))
    return {
        dataset: states[field][0]
        for dataset, at in written.items()
        if (field := Field(*dataset, "")) in states and states[field][1] >= at
    }


def other_writes(before: Lineage, after: Lineage, was: States, now: States) -> list[Change]:
    """A change for each dataset whose rows a job replaced and now adds to, or the other way round.

    A table that was only made may be one that rows are added to.
    """
    pairs = {
        output.dataset: (
            _way(same_jobs(before, after, output.dataset), was.get(output.dataset)),
            _way([output], now.get(output.dataset)),
        )
        for output in after.outputs
    }
    return [
        Change("rows-changed", dataset, "", old, new)
        for dataset, (old, new) in pairs.items()
        if old and new and old != new
    ]


def _way(outputs: Iterable[JobOutput], state: str | None) -> str:
    """How the rows are written; empty if that is not known."""
    kinds = {output.replaces for output in outputs if output.fields}
    if kinds == {True}:
        return "replaces the rows" if state == "OVERWRITE" else ""
    return "adds rows" if kinds == {False} else ""


def _ended_before(before: Lineage, dataset: Dataset, job: str) -> bool:
    same = [
        output
        for output in before.outputs
        if output.dataset == dataset and output.job and output.job.name == job
    ]
    return bool(same) and not any(output.fields or output.inputs for output in same)
