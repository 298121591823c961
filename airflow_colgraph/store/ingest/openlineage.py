"""Parses an OpenLineage event into facts. Pure: no database, no clock.

Events of any producer are accepted: `columnLineage` 1-0-0 to 1-2-0 with its deprecated forms and
the `lineage` facet on jobs and datasets. Of several statements about an output the best one counts:
`lineage`, else `columnLineage`, else inputs and outputs at the dataset level. Column edges are
never derived from inputs times outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

import orjson

from airflow_colgraph.store.errors import EventError
from airflow_colgraph.store.ingest import facets, kept_facets, malformed, storable
from airflow_colgraph.store.ingest.job_sources import JobSources, job_sources
from airflow_colgraph.store.ingest.lifecycle_facet import (
    is_alteration,
    is_ended_after_write,
    replaces,
    state_of,
)
from airflow_colgraph.store.ingest.task_identity import TaskIdentity, identity, parents, run_id
from airflow_colgraph.store.model import clock, gaps, name_case
from airflow_colgraph.store.model.bounded_cache import BoundedCache
from airflow_colgraph.store.model.lifecycle import (
    ALTERED,
    CHANGES,
    RENAMED,
    UNLINKED,
    UNSTATED,
    LifecycleChange,
)
from airflow_colgraph.store.model.lineage_body import Field, LineageBody, make, output_body
from airflow_colgraph.store.model.runs import Job, ReportedRun, event_state

T = TypeVar("T")

# Of a run that has not done it yet, or that failed, a life cycle change is a plan only.
PLANNED = {"START", "FAIL", "ABORT"}

DIAGNOSTICS = "colgraph_diagnostics"  # run facet: what the lineage of the event lacks
PLAN = "colgraph_plan"  # run facet of events that `colgraph plan` has made

# The facets of an output that determine its lineage body.
_SMALL = ("symlinks", "lifecycleStateChange", "colgraph_properties", "tags")
_DESCRIBING = ("schema", "documentation", "ownership")
_SHAPING = ("lineage", "columnLineage", "colgraph_operations", "colgraph_digests", "schema")
# Canonical forms by a digest of the JSON that they were made from: an unchanged run makes none.
_outputs: BoundedCache[bytes, Parsed] = BoundedCache(4096)
_descriptions: BoundedCache[bytes, Described] = BoundedCache(4096)
_tags: BoundedCache[bytes, LineageBody] = BoundedCache(4096)
_kept: BoundedCache[bytes, LineageBody] = BoundedCache(4096)


class Parsed(NamedTuple):
    """A lineage body, the datasets in it, and the malformed parts of facets that it lacks."""

    lineage_body: LineageBody
    datasets: frozenset[Field]
    malformed: tuple[str, ...]


class Described(NamedTuple):
    """The schema and description in a dataset's facets, and what is malformed of them."""

    schema: LineageBody | None
    description: LineageBody | None
    malformed: tuple[str, ...]


class ReportedOutput(NamedTuple):
    """A dataset that an event reports as written, and its lineage."""

    output: Field
    lineage_body: LineageBody
    replaces: bool


class OfDataset(NamedTuple):
    """What facets report of a dataset itself: a body with `columns`, `about` or `tags`."""

    dataset: Field
    lineage_body: LineageBody


@dataclass
class Facts:
    """All facts in one event."""

    at: int
    job: Job | None
    run: ReportedRun | None
    parents: list[ReportedRun] = field(default_factory=list)
    datasets: set[Field] = field(default_factory=set)
    schemas: list[OfDataset] = field(default_factory=list)
    descriptions: list[OfDataset] = field(default_factory=list)
    symlinks: set[tuple[Field, Field]] = field(default_factory=set)
    tags: list[OfDataset] = field(default_factory=list)
    outputs: list[ReportedOutput] = field(default_factory=list)
    reading: LineageBody | None = None
    gaps: LineageBody | None = None
    changes: list[LifecycleChange] = field(default_factory=list)
    job_sources: list[JobSources] = field(default_factory=list)
    kept_facets: list[tuple[int, LineageBody]] = field(default_factory=list)  # owner, facets
    run_facets: LineageBody | None = None
    declared: Job | None = None  # the job of a JobEvent with a `lineage` facet, which states all
    malformed: list[str] = field(default_factory=list)  # parts of facets that are left out
    event: Any = None  # as it was received


def facts(event: Any) -> Facts:
    """The facts in an OpenLineage RunEvent, JobEvent or DatasetEvent; EventError if it is none."""
    event = facets.expect(event, "The event")
    storable.check(event)
    at = _event_time(event)
    if "dataset" in event and "job" not in event:
        stated = Facts(at, None, None, event=event)
        _dataset_event(facets.expect(event["dataset"], "'dataset'"), stated)
        return stated
    if "job" not in event:
        raise EventError("The event has neither 'job' nor 'dataset': it is not OpenLineage.")
    job_json = facets.expect(event["job"], "'job'")
    run_json = facets.expect(event["run"], "'run'") if "run" in event else None
    run_facets = facets.of(run_json or {}, "run")
    if PLAN in run_facets:
        raise EventError("The event is of `colgraph plan`: no such data was written.")
    named = facets.identity(job_json, "'job'")
    task = identity(event, named[1], run_facets)
    job = Job(*named, task.dag_id, task.task_id)
    stated = Facts(at, job, None, event=event)
    stated.malformed += malformed.malformed(run_facets, malformed.RUN)
    stated.malformed += malformed.malformed(facets.of(job_json, "job"), malformed.JOB)
    if run_json is not None:
        _run_event(event, run_json, job, task, stated)
    job_facets = facets.of(job_json, "job")
    _datasets(event, job_facets, stated)
    _add_job_facets(job, job_facets, stated)
    stated.gaps = _gaps(event, run_facets.get(DIAGNOSTICS), job, stated.outputs)
    return stated


def _gaps(
    event: dict[str, Any], facet: Any, job: Job, outputs: list[ReportedOutput]
) -> LineageBody | None:
    lacks, incomplete = gaps.gaps_of(facets.as_dict(facet)), gaps.is_incomplete(facet)
    if not any(lacks) and not incomplete:
        return None
    written = {(dataset.output.namespace, dataset.output.name) for dataset in outputs}
    inputs = _listed(event, "inputs") if incomplete else {}
    reads = {(dataset.namespace, dataset.name) for dataset in inputs}
    return gaps.body((job.namespace, job.name), written, lacks, reads)


def _event_time(event: dict[str, Any]) -> int:
    text = event.get("eventTime")
    if not isinstance(text, str):
        raise EventError("The event has no 'eventTime': it is not OpenLineage.")
    try:
        return clock.parse_iso(text)
    except ValueError as error:
        raise EventError(f"'eventTime': {error}") from None


def _run_event(
    event: dict[str, Any], run: dict[str, Any], job: Job, task: TaskIdentity, stated: Facts
) -> None:
    state = event_state(facets.expect_text(event.get("eventType"), "'eventType'"))
    stated.parents += parents(facets.of(run, "run").get("parent"), stated.at, job, task)
    stated.run = ReportedRun(
        run_id(run.get("runId")),
        job,
        stated.at,
        state,
        stated.parents[0].id if stated.parents else None,
        task.attempt,
        task.map_index,
        None if task.task_id else task.dag_run,
    )
    stated.run_facets = kept_facets.of_run(stated.run.id.hex(), facets.of(run, "run"), event)


def _add_job_facets(job: Job, job_facets: dict[str, Any], stated: Facts) -> None:
    kept = kept_facets.of_owner(kept_facets.OF_JOBS, job_facets)
    if kept:
        body = _cached(_kept, [job[:2], kept], lambda: kept_facets.body("job", job[:2], kept))
        stated.kept_facets.append((job.id, body))
    is_declared = stated.declared is not None
    for sources in job_sources(job_facets.get("lineage"), job, is_declared):
        stated.job_sources.append(sources)
        for entity in (sources.target, *sources.sources):
            if isinstance(entity, Field):
                _name(entity, stated)


def _datasets(event: dict[str, Any], job_facets: dict[str, Any], reported: Facts) -> None:
    inputs = _listed(event, "inputs")
    outputs = _listed(event, "outputs")
    for dataset, dataset_facets in [*inputs.items(), *outputs.items()]:
        _describe(dataset, dataset_facets, reported)
    if facets.text(event.get("eventType")).upper() not in PLANNED:
        for dataset, dataset_facets in outputs.items():
            _change(dataset, dataset_facets, reported)
    stated = facets.job_lineage(job_facets.get("lineage"))
    is_complete = facets.is_complete(job_facets.get("lineage"))
    if is_complete and reported.run is None and reported.job:
        reported.declared = reported.job
    both = inputs.keys() & outputs.keys()
    for output in {**dict.fromkeys(outputs), **dict.fromkeys(stated)}:
        output_facets = outputs.get(output, {})
        lineage = stated.get(output) or (facets.Lineage(None) if is_complete else None)
        unordered = _unordered(output, both) if inputs else set()
        _write(output, output_facets, lineage, list(inputs), unordered, len(outputs) == 1, reported)
    if facets.text(event.get("eventType")).upper() in PLANNED:  # the former rows may be there
        reported.outputs = [each._replace(replaces=False) for each in reported.outputs]
    properties = [
        [dataset.namespace, dataset.name, shown]
        for dataset, dataset_facets in sorted(inputs.items())
        if (shown := facets.content(dataset_facets.get("colgraph_properties")))
    ]
    read = set(inputs)
    if is_complete and outputs:  # the others are sources of what the facet names
        read -= {source for lineage in stated.values() for source in lineage.datasets}
    if properties or (read and (is_complete or not outputs)):
        reads = [[dataset.namespace, dataset.name] for dataset in sorted(read)]
        reported.reading = make({"reads": reads, "properties": properties})


def _dataset_event(dataset: dict[str, Any], stated: Facts) -> None:
    output = Field(*facets.identity(dataset, "'dataset'"), "")
    dataset_facets = facets.of(dataset, "dataset")
    _describe(output, dataset_facets, stated)
    _change(output, dataset_facets, stated)
    is_renamed = any(change.change == RENAMED for change in stated.changes)
    if is_renamed or {"lineage", "columnLineage"} & dataset_facets.keys():
        _write(output, dataset_facets, None, [], set(), False, stated)


def _change(dataset: Field, dataset_facets: dict[str, Any], stated: Facts) -> None:
    """Add what happened to the dataset as a whole."""
    change = CHANGES.get(state_of(dataset_facets))
    is_after_write = is_ended_after_write(dataset_facets)
    if change == RENAMED:
        facet = facets.as_dict(dataset_facets["lifecycleStateChange"])
        previous = facets.as_dict(facet.get("previousIdentifier"))
        name = facets.text(previous.get("name"))
        before = Field(facets.text(previous.get("namespace")), name, "")
        if name and before != dataset:
            _name(before, stated)
            stated.changes.append(LifecycleChange(dataset, RENAMED, before))
    elif change is not None and is_after_write is not None:
        stated.changes.append(LifecycleChange(dataset, change, is_after_write=is_after_write))
    if facets.is_deleted(dataset_facets.get("columnLineage")):
        stated.changes.append(LifecycleChange(dataset, UNSTATED))


def _listed(event: dict[str, Any], which: str) -> dict[Field, dict[str, Any]]:
    """The event's datasets with their facets; those of a dataset listed twice are merged."""
    facets_of: dict[Field, dict[str, Any]] = {}
    of_use = f"{which[:-1]}Facets"
    for number, dataset in enumerate(facets.expect_list(event.get(which), f"'{which}'")):
        place = f"{which}[{number}]"
        dataset = facets.expect(dataset, f"'{place}'")
        name = Field(*facets.identity(dataset, f"'{place}'"), "")
        both = {**facets.of(dataset, place), **facets.of(dataset, place, of_use)}
        facets_of.setdefault(name, {}).update(both)
    return facets_of


def _name(dataset: Field, stated: Facts) -> None:
    """Add a dataset, and the name that its database has for it."""
    stated.datasets.add(dataset)
    canonical = name_case.canonical(dataset)
    if canonical != dataset:
        stated.datasets.add(canonical)
        stated.symlinks.add((dataset, canonical))


def _describe(dataset: Field, dataset_facets: dict[str, Any], stated: Facts) -> None:
    _name(dataset, stated)
    describing = {name: dataset_facets[name] for name in _DESCRIBING if dataset_facets.get(name)}
    if describing:
        described = _cached(
            _descriptions,
            [[dataset.namespace, dataset.name], describing],
            lambda: _described(dataset, describing),
        )
        if described.schema:
            stated.schemas.append(OfDataset(dataset, described.schema))
        if described.description:
            stated.descriptions.append(OfDataset(dataset, described.description))
        stated.malformed += described.malformed
    kept = kept_facets.of_owner(kept_facets.OF_DATASETS, dataset_facets)
    if kept:
        names = dataset[:2]
        body = _cached(_kept, [names, kept], lambda: kept_facets.body("dataset", names, kept))
        stated.kept_facets.append((dataset.id, body))
    small = {name: dataset_facets[name] for name in _SMALL if name in dataset_facets}
    stated.malformed += _left_out(dataset, small)
    if isinstance(dataset_facets.get("tags"), dict):
        job, facet = stated.job, dataset_facets["tags"]
        named = [dataset.namespace, dataset.name, *(job[:2] if job else ())]
        body = _cached(_tags, [named, facet], lambda: _tags_body(dataset, facet, job))
        stated.tags.append(OfDataset(dataset, body))
    if facets.is_deleted(dataset_facets.get("symlinks")):
        stated.changes.append(LifecycleChange(dataset, UNLINKED))
    for alias in facets.symlinks(dataset_facets.get("symlinks")):
        for name in {alias, name_case.canonical(alias)} - {dataset}:
            stated.datasets.add(name)
            stated.symlinks.add((name, dataset))


def _tags_body(dataset: Field, facet: dict[str, Any], job: Job | None) -> LineageBody:
    named = [dataset.namespace, dataset.name]
    tags = facets.tags(facet, dataset.namespace)
    return make({"tagged": named, "job": job and list(job[:2]), "tags": tags})


def _described(dataset: Field, describing: dict[str, Any]) -> Described:
    named = [dataset.namespace, dataset.name]
    schema = description = None
    if "schema" in describing:
        columns = facets.schema(describing["schema"], dataset.namespace) or []
        schema = make({"schema": named, "columns": columns})
    about = facets.about(describing, dataset.namespace)
    if about:
        description = make({"described": named, "about": about})
    return Described(schema, description, _left_out(dataset, describing))


def _unordered(output: Field, both: Set[Field]) -> Set[Field]:
    """The datasets that a run may have read for an output before or after it wrote them itself.

    A task's event is about many statements. What it lists as an input was read before it was
    written, and an output that is no input was written before it was read. An event without inputs
    tells no order. `both`: the datasets that are an input and an output.
    """
    return both ^ {output}


def _write(
    output: Field,
    output_facets: dict[str, Any],
    stated: facets.Lineage | None,
    inputs: list[Field],
    unordered: Set[Field],
    alone: bool,
    reported: Facts,
) -> None:
    """Add the lineage of one output: from the job's `lineage` facet if it was `stated` there."""

    def parse() -> Parsed:
        lineage = stated or facets.dataset_lineage(output, output_facets.get("lineage"))
        if lineage is None:
            lineage = facets.column_lineage(output, output_facets.get("columnLineage"))
            if lineage is None or alone:
                lineage = facets.with_inputs(lineage, inputs)
        operations = facets.as_dict(output_facets.get("colgraph_operations")).get("operations")
        body = make(
            output_body(
                output,
                {(d.namespace, d.name) for d in lineage.datasets},
                lineage.fields,
                lineage.dataset,
                facets.schema(output_facets.get("schema"), output.namespace),
                facets.as_list(operations),
                facets.digests(output_facets.get("colgraph_digests"), output.namespace),
                {(d.namespace, d.name) for d in unordered & set(lineage.datasets)},
            )
        )
        shaping = {name: output_facets.get(name) for name in _SHAPING if name != "schema"}
        return Parsed(body, frozenset(lineage.datasets), _left_out(output, shaping))

    source = [alone, [list(dataset_name) for dataset_name in (output, *inputs)]]
    source += [sorted(map(list, unordered)), *(output_facets.get(name) for name in _SHAPING)]
    parsed = parse() if stated else _cached(_outputs, source, parse)
    _name(output, reported)
    for dataset in parsed.datasets:
        if name_case.canonical(dataset) != dataset:
            _name(dataset, reported)
    reported.outputs.append(ReportedOutput(output, parsed.lineage_body, replaces(output_facets)))
    if is_alteration(output, output_facets, parsed.datasets):
        reported.changes.append(LifecycleChange(output, ALTERED))
    reported.malformed += parsed.malformed


def _left_out(dataset: Field, describing: dict[str, Any]) -> tuple[str, ...]:
    """The malformed parts of a dataset's facets."""
    parts = malformed.malformed(describing, malformed.DATASET)
    return tuple(f"Dataset {storable.quoted(dataset.name)}: {part}" for part in parts)


def _cached(cache: BoundedCache[bytes, T], source: Any, make: Callable[[], T]) -> T:
    digest = blake2b(orjson.dumps(source), digest_size=16).digest()
    value = cache.get(digest)
    if value is None:
        value = make()
        cache.put(digest, value)
    return value


def many(events: Any) -> Iterable[Any]:
    """One event or a list of them as a list."""
    return events if isinstance(events, list | tuple) else [events]
