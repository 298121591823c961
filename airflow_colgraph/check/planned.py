"""What would hold in a store if planned jobs ran now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import time
from typing import Any, NamedTuple

from sqlalchemy.engine import Connection

from airflow_colgraph.check.policy import PolicyReport, check
from airflow_colgraph.check.run import without_plan
from airflow_colgraph.check.settings import Settings
from airflow_colgraph.check.tag_settings import TagSettings
from airflow_colgraph.check.unknown import event_time, missing, without_rows
from airflow_colgraph.store.admin.backup import working_copy
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.query import latest_lineage
from airflow_colgraph.store.store import Store

Json = dict[str, Any]
DATASET_LISTS = ("inputs", "outputs")  # of a run event; its job also has a namespace and a name


class PlannedReport(NamedTuple):
    """The policies' report, and the datasets that the plan reads and the store does not have."""

    report: PolicyReport
    new_sources: list[Dataset]


def check_planned(
    store: Store, tags: TagSettings, events: Iterable[Json], settings: Settings
) -> PlannedReport:
    """Check the policies as if the planned jobs had just run; the store is not changed.

    Args:
        store: The store.
        tags: How tags travel, and the policies.
        events: OpenLineage events of `colgraph plan`, or of runs that the store does not have.
        settings: The rules of checks, and the datasets' names in the store.

    Returns:
        The report, with the reasons why the planned lineage may not be whole.

    Raises:
        EventError: One of the events is not an OpenLineage event.
        StoreError: The database failed.
    """
    with as_if_run(store, events, settings) as trial:
        return PlannedReport(replace(check(trial.store, tags), gaps=trial.gaps), trial.new_sources)


class Trial(NamedTuple):
    """A copy of a store in which planned jobs have run.

    `gaps` are the reasons why their lineage may not be whole, `new_sources` the datasets that they
    read and the store does not have.
    """

    store: Store
    gaps: list[str]
    new_sources: list[Dataset]


@contextmanager
def as_if_run(store: Store, events: Iterable[Json], settings: Settings) -> Iterator[Trial]:
    """A copy of the store in which the planned jobs have just run; it is removed at the end.

    Raises:
        EventError: One of the events is not an OpenLineage event.
        StoreError: The database failed.
    """
    with working_copy(store) as file, Store.open(f"sqlite:///{file}") as copy:
        with copy.connection() as connection:
            planned = as_runs(connection, events, settings, int(time() * 1000))
            sources = sources_of(planned)
            new_sources = sorted(sources - set(latest_lineage.names_in_force(connection, sources)))
            reasons = gaps(connection, planned, settings)
        if sources and len(new_sources) == len(sources):
            reasons.append("the store has no dataset that the planned jobs read")
        copy.add([without_plan(event) for event in planned])
        yield Trial(copy, reasons, new_sources)


def as_runs(
    connection: Connection, events: Iterable[Json], settings: Settings, now: int
) -> list[Json]:
    """The events as those of runs whose last event is now, in the order of their times.

    Datasets get the names that `[[check.datasets]]` gives them. A job that the store has in one
    other namespace only, as CI may run it in its own, is that one.
    """
    ordered = sorted(events, key=event_time)
    delay = now - event_time(ordered[-1]) if ordered else 0
    return [
        {
            **event,
            "eventTime": clock.iso(event_time(event) + delay),
            **{part: _renamed(event[part], settings) for part in DATASET_LISTS if part in event},
            **({"job": _job(connection, event["job"])} if event.get("job") else {}),
        }
        for event in ordered
    ]


def _renamed(part: Any, settings: Settings) -> Any:
    """The part of an event with the names that its datasets have in the store."""
    if isinstance(part, list):
        return [_renamed(item, settings) for item in part]
    if not isinstance(part, dict):
        return part
    renamed = {key: _renamed(value, settings) for key, value in part.items()}
    namespace, name = part.get("namespace"), part.get("name")
    if isinstance(namespace, str) and isinstance(name, str):
        renamed |= settings.name(Dataset(namespace, name))._asdict()
    return renamed


def _job(connection: Connection, job: Json) -> Json:
    namespaces = latest_lineage.namespaces_of(connection, str(job.get("name")))
    if len(namespaces) == 1:
        return {**job, "namespace": namespaces[0]}
    return job


def gaps(connection: Connection, events: Sequence[Json], settings: Settings) -> list[str]:
    """Why the planned lineage may not be all that the jobs would report, a text each.

    The rules for `lineage-missing` and `plan-incomplete` apply.
    """

    def is_writer(job: str) -> bool:
        return bool(latest_lineage.written_by(connection, [job]))

    changes = settings.judged([*missing(events, is_writer), *without_rows(events)])
    return [
        f"{change.kind} {change.where}: {change.after}"
        for change in changes
        if change.severity == "error"
    ]


def sources_of(events: Sequence[Json]) -> set[Dataset]:
    """The datasets that the jobs read and none of them writes."""
    return set(_datasets(events, "inputs")) - set(_datasets(events, "outputs"))


def _datasets(events: Iterable[Json], part: str) -> Iterator[Dataset]:
    for event in events:
        for dataset in event.get(part) or ():
            yield Dataset(str(dataset.get("namespace")), str(dataset.get("name")))
