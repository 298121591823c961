"""Jobs and runs as JSON, under the keys of Marquez's API, which our own routes answer too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy.engine import Connection

from airflow_colgraph.openlineage.facets import facet
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query import job_runs as stored_runs
from airflow_colgraph.store.query.job_datasets import inputs_of, outputs_of
from airflow_colgraph.store.query.job_sources import JobSource, sources_of
from airflow_colgraph.store.query.kept_facets import RunReport, facets_of, reports_of_runs

EPOCH = clock.iso(0)


def job_json(connection: Connection, row: stored_runs.JobInfo) -> dict[str, Any]:
    """A job with its inputs, outputs and latest run, and what its facets say."""
    id = Job(row.namespace, row.name).id
    runs = runs_json(connection, stored_runs.runs(connection, [id], limit=1))
    times = runs[0]["startedAt"] if runs else EPOCH
    facets = facets_of(connection, [id])
    sources = sources_of(connection, id)
    read = {Field(s.namespace, s.name, "") for s in sources if s.type == "DATASET"}
    if sources:
        facets = {**facets, "lineage": facet("lineage", entries=[entry_json(row, sources)])}
    parent = runs[0]["facets"].get("parent") if runs else None
    return {
        "id": {"namespace": row.namespace, "name": row.name},
        "type": _type(facets),
        "name": row.name,
        "simpleName": row.task_id or row.name,
        "parentJobName": row.dag_id if row.task_id else parent and parent["job"]["name"],
        "createdAt": times,
        "updatedAt": row.updated_at or EPOCH,
        "namespace": row.namespace,
        "inputs": [_id(dataset) for dataset in sorted({*inputs_of(connection, id), *read})],
        "outputs": [_id(dataset) for dataset in outputs_of(connection, id)],
        "tags": tag_names(facets),
        "location": _part(facets, "sourceCodeLocation", "url"),
        "description": _part(facets, "documentation", "description"),
        "latestRun": runs[0] if runs else None,
        "latestRuns": runs,
        "facets": facets,
    }


def entry_json(target: stored_runs.JobInfo, sources: Iterable[JobSource]) -> dict[str, Any]:
    """What feeds a job, as an entry of OpenLineage's `lineage` facet."""
    inputs = [
        {
            "type": source.type,
            "namespace": source.namespace,
            "name": source.name,
            **({"field": source.field} if source.field else {}),
            "transformations": [Transformation(*how)._asdict() for how in source.transformations],
        }
        for source in sources
    ]
    named = {"namespace": target.namespace, "name": target.name}
    return {"type": "JOB", **named, "inputs": inputs}


def _type(facets: dict[str, Any]) -> str:
    """Marquez' type: a job is a batch unless its facet says that it is a stream."""
    processing = _part(facets, "jobType", "processingType")
    return "STREAM" if str(processing).upper() == "STREAMING" else "BATCH"


def _part(facets: dict[str, Any], name: str, part: str) -> str | None:
    """A text in a facet."""
    value = facets.get(name, {}).get(part)
    return value if isinstance(value, str) else None


def tag_names(facets: dict[str, Any]) -> list[str]:
    """The keys of the tags in a `tags` facet."""
    tags = facets.get("tags", {}).get("tags")
    keys = [tag.get("key") for tag in tags or () if isinstance(tag, dict)]
    return sorted({key for key in keys if isinstance(key, str)})


def _id(dataset: Field) -> dict[str, str]:
    return {"namespace": dataset.namespace, "name": dataset.name}


def runs_json(connection: Connection, rows: Sequence[stored_runs.RunInfo]) -> list[dict[str, Any]]:
    """Runs with their state, times and facets, and the statistics of what they read and wrote."""
    reports = reports_of_runs(connection, [UUID(row.id).bytes for row in rows])
    parents = stored_runs.parent_jobs(connection, [row.parent for row in rows])
    unknown = RunReport({}, [], [])
    return [_run_json(row, reports.get(UUID(row.id).bytes, unknown), parents) for row in rows]


def _run_json(
    row: stored_runs.RunInfo, report: RunReport, parents: dict[str, tuple[str, str]]
) -> dict[str, Any]:
    states = {"START": "RUNNING", "COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED"}
    duration = None
    if row.ended_at:
        duration = clock.parse_iso(row.ended_at) - clock.parse_iso(row.started_at)
    facets = report.facets
    if row.parent and row.parent in parents:
        job = dict(zip(("namespace", "name"), parents[row.parent], strict=True))
        facets = {**facets, "parent": facet("parent", run={"runId": row.parent}, job=job)}
    return {
        "id": row.id,
        "createdAt": row.started_at,
        "updatedAt": row.ended_at or row.started_at,
        "nominalStartTime": _part(facets, "nominalTime", "nominalStartTime"),
        "nominalEndTime": _part(facets, "nominalTime", "nominalEndTime"),
        "state": states.get(row.state, "RUNNING"),
        "startedAt": row.started_at,
        "endedAt": row.ended_at,
        "durationMs": duration,
        "args": {},
        "facets": facets,
        "inputDatasetVersions": _counted("inputStatistics", report.inputs),
        "outputDatasetVersions": _counted("outputStatistics", report.outputs),
        "jobVersion": None,
    }


def _counted(name: str, rows: Iterable[list[Any]]) -> list[dict[str, Any]]:
    return [
        {
            "datasetVersionId": {"namespace": namespace, "name": dataset, "version": None},
            "facets": {name: counts},
        }
        for namespace, dataset, counts in rows
    ]
