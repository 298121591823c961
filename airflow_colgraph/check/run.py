"""Run a check: the changed job's events against a store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timezone
from functools import cache
from itertools import compress
from typing import Any, NamedTuple

from sqlalchemy.engine import Connection

from airflow_colgraph.check import lifecycle
from airflow_colgraph.check.change import Change, Report
from airflow_colgraph.check.compare import compare, without_namesakes
from airflow_colgraph.check.dependents import TagsOf, with_dependents, without_tags
from airflow_colgraph.check.lifecycle import Ending
from airflow_colgraph.check.names import Name, names_in, renamed
from airflow_colgraph.check.settings import Settings
from airflow_colgraph.check.together import together
from airflow_colgraph.check.unknown import event_time, missing, unknown, without_rows
from airflow_colgraph.check.waivers import waived
from airflow_colgraph.exports import store_reader
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.ingest.openlineage import PLAN
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import latest_lineage
from airflow_colgraph.store.query.dataset_details import are_gone
from airflow_colgraph.store.query.tag_spread import FieldTag, tags_at
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


def run(
    base: Store,
    events: list[dict[str, Any]],
    settings: Settings,
    source: str = "",
    today: date | None = None,
) -> Report:
    """Compare the lineage of some events with that in force, and judge the changes.

    Args:
        base: The store that has the lineage in force.
        events: OpenLineage events of a run of the changed jobs.
        settings: The rules, and the datasets' names in the store.
        source: The file that the report is about.
        today: The day by which waivers expire. Default: that of now, in UTC.

    Returns:
        The report: each change that is not ignored, with its severity and what depends on it, and
        each waiver that has expired or is for no change.

    Raises:
        EventError: One of the events is not an OpenLineage event.
        QuestionError: There is no lineage to compare with.
        StoreError: The database failed.
    """
    events = sorted(events, key=event_time)
    sides = _sides(base, events, settings)
    before, after, name = sides.before, sides.after, sides.name
    changes = _changes(base, sides, settings)
    changes += [replace(change, dataset=name(change.dataset)) for change in unknown(events)]
    changes += without_rows(events)
    named = {output.dataset for output in after.outputs}.union(sides.ended)
    datasets = sorted(f"{dataset.namespace} {dataset.name}" for dataset in named)
    new = len(named - {output.dataset for output in before.outputs})
    judged, of_waivers = waived(
        settings.accepted([*settings.judged(changes), *sides.silent]),
        settings.waivers,
        today or datetime.now(timezone.utc).date(),
    )
    return Report(
        [*judged, *settings.judged(of_waivers)], datasets, source, new, _jobs(before, after)
    )


class _Sides(NamedTuple):
    """The lineage in force and that of the changed `jobs`, under the `name`s that the base has.

    `ended` are the datasets that the jobs drop, empty or rename, `others` the changes that are not
    seen in lineage, `silent` those of jobs that have not told all.
    """

    before: Lineage
    after: Lineage
    jobs: Collection[str]
    name: Name
    ended: Mapping[Dataset, Ending]
    others: Sequence[Change]
    silent: Sequence[Change]


def _sides(base: Store, events: list[dict[str, Any]], settings: Settings) -> _Sides:
    with in_memory(events).connection() as changed, base.connection() as connection:
        if not latest_lineage.has_outputs(connection):
            raise QuestionError("There is no lineage to compare with: no job has reported any.")
        name = names_in(connection, changed, settings.name)
        ended = lifecycle.named(lifecycle.endings(events), name)
        own = store_reader.lineage(changed)
        stated = renamed(own, name)
        jobs = {output.job.name for output in stated.outputs if output.job}
        silent = missing(events, lambda job: bool(latest_lineage.written_by(connection, [job])))
        reported = settings.judged(silent)
        # Jobs that write nothing, as a rule says.
        jobs |= {change.dataset.name for change in silent} - {
            change.dataset.name for change in reported
        }
        own_jobs = {tuple(change.dataset) for change in silent}
        own_jobs |= {output.job[:2] for output in stated.outputs if output.job}
        before = without_namesakes(_before(connection, stated, jobs, ended), own_jobs)
        was = lifecycle.states_of(connection, before.outputs)
        now = {name(each): s for each, s in lifecycle.states_of(changed, own.outputs).items()}
        alike = lifecycle.ended_alike(before, stated, ended, was)
        ended = {dataset: end for dataset, end in ended.items() if dataset not in alike}
        after = lifecycle.without(stated, ended)
        are_ended = are_gone(connection, [Field(*dataset, "") for dataset in ended])
        gone = set(compress(ended, are_ended))
    ways = lifecycle.other_writes(before, after, was, now)
    ends = lifecycle.ended_changes(before, ended, gone)
    return _Sides(before, after, jobs, name, ended, [*ways, *ends], reported)


def _jobs(*lineages: Lineage) -> dict[Dataset, list[str]]:
    """The jobs that write each dataset."""
    jobs: dict[Dataset, list[str]] = {}
    for output in (output for lineage in lineages for output in lineage.outputs if output.job):
        if output.job and output.job.name not in jobs.setdefault(output.dataset, []):
            jobs[output.dataset].append(output.job.name)
    return jobs


def _tags_of(base: Store, settings: Settings) -> TagsOf:
    """The tags of a column or dataset in the base, if a rule is about any."""
    if not settings.needs_tags:
        return without_tags

    @cache
    def tags(dataset: Dataset) -> list[FieldTag]:
        field = Field(*dataset, "")
        return base.ask(lambda asked: tags_at(asked, field, rules=settings.travel)).tags

    return lambda dataset, column: [
        set_tag.tag for set_tag in tags(dataset) if set_tag.field.field in ("", column)
    ]


def _changes(base: Store, sides: _Sides, settings: Settings) -> list[Change]:
    """The changes with what depends on each, coordinated ones as one.

    Of one that is not seen in lineage what is seen there says more.
    """
    before, after, ended = sides.before, sides.after, sides.ended
    changes = compare(before, after, sides.jobs)
    changes = [change for change in changes if change.dataset not in ended]
    kinds = {(change.kind, *change.dataset) for change in changes}
    changes += [change for change in sides.others if (change.kind, *change.dataset) not in kinds]
    changes = with_dependents(base, changes, settings.exports_of, _tags_of(base, settings))
    held = {output.dataset for output in before.outputs if output.fields or output.inputs}
    changes = [
        change
        for change in changes
        if change.dataset not in ended or change.dataset in held or change.is_depended_on
    ]
    used = {change.dataset for change in changes if settings.exports_of(change.dataset)}
    changes = together(changes, after, sides.jobs, used)
    return sorted(changes, key=lambda change: (change.dataset, change.column, change.kind))


def _before(
    connection: Connection, after: Lineage, jobs: Collection[str], ended: Collection[Dataset]
) -> Lineage:
    """The lineage in force of what the changed jobs write or end, and of what they wrote before."""
    names = {output.dataset for output in after.outputs}.union(
        latest_lineage.written_by(connection, jobs), ended
    )
    return store_reader.lineage(connection, of=names)
