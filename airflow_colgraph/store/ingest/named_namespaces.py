"""The namespaces and the runs that events name. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_colgraph.store.ingest.openlineage import Facts
from airflow_colgraph.store.model.lineage_body import named_fields, unpack
from airflow_colgraph.store.model.runs import run_id


def namespaces_of(facts: Facts) -> Iterator[str]:
    """The namespaces of every job and dataset in the facts."""
    runs = [run for run in (facts.run, *facts.parents) if run]
    yield from (job.namespace for job in (facts.job, *(run.job for run in runs)) if job)
    yield from (dataset.namespace for dataset in facts.datasets)
    for sources in facts.job_sources:
        yield from (entity.namespace for entity in (sources.target, *sources.sources))
    for output in facts.outputs:
        body = unpack(output.lineage_body.packed)
        yield from (namespace for namespace, _ in body["inputs"])
        yield from (field.namespace for field in named_fields(body))


def runs_of(facts: Facts) -> Iterator[str]:
    """The ids of the run that is reported and of the runs above it."""
    yield from (run_id(run.id) for run in (facts.run, *facts.parents) if run)
