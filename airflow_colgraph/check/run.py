"""Run a check: the changed job's events against a store."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.check.change import Report
from airflow_colgraph.check.compare import compare
from airflow_colgraph.check.dependents import with_dependents
from airflow_colgraph.check.settings import Settings
from airflow_colgraph.check.unknown import missing, unknown
from airflow_colgraph.exports import store_reader
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.ingest.openlineage import PLAN
from airflow_colgraph.store.query import latest_lineage
from airflow_colgraph.store.store import Store


def in_memory(events: list[dict[str, Any]]) -> Store:
    """A store of some events, in memory."""
    store = Store.open("sqlite://")
    store.add([without_plan(event) for event in events])
    return store


def without_plan(event: dict[str, Any]) -> dict[str, Any]:
    """An event of `colgraph plan` as that of a real run; any other as it is."""
    run = event.get("run")
    facets = run.get("facets") if isinstance(run, dict) else None
    if not isinstance(run, dict) or not isinstance(facets, dict) or PLAN not in facets:
        return event
    kept = {name: facet for name, facet in facets.items() if name != PLAN}
    return {**event, "run": {**run, "facets": kept}}


def run(base: Store, events: list[dict[str, Any]], settings: Settings, source: str = "") -> Report:
    """Compare the lineage of some events with that in force, and judge the changes.

    Args:
        base: The store that has the lineage in force.
        events: OpenLineage events of a run of the changed jobs.
        settings: The rules, and the datasets' names in the store.
        source: The file that the report is about.

    Returns:
        The report: each change that is not ignored, with its severity and what depends on it.

    Raises:
        EventError: One of the events is not an OpenLineage event.
        QuestionError: There is no lineage to compare with.
        StoreError: The database failed.
    """
    with in_memory(events).connection() as connection:
        after = settings.named(store_reader.lineage(connection))
    jobs = {output.job.name for output in after.outputs if output.job}
    with base.connection() as connection:
        if not latest_lineage.has_outputs(connection):
            raise QuestionError("There is no lineage to compare with: no job has reported any.")
        silent = missing(events, lambda job: bool(latest_lineage.written_by(connection, [job])))
        reported = settings.judged(silent)
        # Jobs of which a rule says that they write nothing.
        jobs |= {change.dataset.name for change in silent} - {
            change.dataset.name for change in reported
        }
        before = _before(connection, after, jobs)
    changes = [*compare(before, after, jobs), *settings.named_changes(unknown(events))]
    judged = settings.judged(with_dependents(base, changes, settings.exports_of))
    written = {output.dataset for output in after.outputs}
    datasets = sorted(f"{dataset.namespace} {dataset.name}" for dataset in written)
    new = len(written - {output.dataset for output in before.outputs})
    return Report([*judged, *reported], datasets, source, new)


def _before(connection: Connection, after: Lineage, jobs: Collection[str]) -> Lineage:
    """The lineage in force of what the changed jobs write, and of what they wrote before."""
    names = {output.dataset for output in after.outputs} | latest_lineage.written_by(
        connection, jobs
    )
    read = [store_reader.lineage(connection, of=name) for name in sorted(names)]
    schemas = {name: columns for lineage in read for name, columns in lineage.schemas.items()}
    return Lineage(tuple(output for lineage in read for output in lineage.outputs), schemas)
