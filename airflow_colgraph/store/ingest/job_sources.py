"""What a job's `lineage` facet states of jobs: which datasets and jobs feed which jobs. Pure.

Edges between datasets are in lineage bodies. A job without a name is the event's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from airflow_colgraph.store.ingest import facets
from airflow_colgraph.store.model.lineage_body import Field, LineageBody, make
from airflow_colgraph.store.model.runs import Job

DATASET, JOB = "DATASET", "JOB"


class JobSources(NamedTuple):
    """What feeds a job, or which jobs feed a dataset, by one facet."""

    target: Job | Field
    sources: tuple[Job | Field, ...]  # a dataset as a whole
    lineage_body: LineageBody


def job_sources(facet: Any, own: Job, is_declared: bool) -> Iterator[JobSources]:
    """The entries of a `lineage` facet that name jobs."""
    rows: dict[tuple[str, str, str], list[list[Any]]] = {}
    for entry in map(facets.as_dict, facets.as_list(facets.as_dict(facet).get("entries"))):
        target = _entity(entry, own)
        if target is not None:
            inputs = [("", source) for source in facets.as_list(entry.get("inputs"))]
            for name, field in facets.as_dict(entry.get("fields")).items():
                sources = facets.as_list(facets.as_dict(field).get("inputs"))
                inputs += [(str(name), source) for source in sources]
            rows.setdefault(target, []).extend(_rows(target, inputs, own))
    for target, listed in rows.items():
        if listed or target[0] == JOB:
            yield _sources(target, sorted(listed), own, is_declared)


def _entity(stated: dict[str, Any], own: Job) -> tuple[str, str, str] | None:
    """The type, namespace and name of what an entry or an input names."""
    kind = facets.text(stated.get("type")).upper() or DATASET
    name = facets.text(stated.get("name"))
    if name and kind in (DATASET, JOB):
        return kind, facets.text(stated.get("namespace")), name
    return (JOB, own.namespace, own.name) if kind == JOB else None


def _rows(
    target: tuple[str, str, str], inputs: list[tuple[str, Any]], own: Job
) -> Iterator[list[Any]]:
    """Each input that is a job, or whose target is one: the target's field, the input, and how."""
    for field, stated in inputs:
        source = facets.as_dict(stated)
        entity = _entity(source, own)
        is_own = entity == (JOB, own.namespace, own.name)  # its outputs say so
        if entity is not None and (target[0] == JOB or (entity[0] == JOB and not is_own)):
            steps = facets.as_list(source.get("transformations"))
            how = [list(facets.transformation(step)) for step in steps]
            yield [field, *entity, facets.text(source.get("field")), how]


def _sources(
    target: tuple[str, str, str], rows: list[list[Any]], own: Job, is_declared: bool
) -> JobSources:
    body = {"target": target, "by": own[:2], "declared": is_declared, "inputs": rows}
    sources = tuple(_named(row[1:4]) for row in rows)
    return JobSources(_named(target), sources, make(body))


def _named(entity: Any) -> Job | Field:
    kind, namespace, name = entity
    return Job(namespace, name) if kind == JOB else Field(namespace, name, "")
