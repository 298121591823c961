"""Jobs and runs as JSON, under the keys of Marquez's API, which our own routes answer too."""

from __future__ import annotations

from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query import job_runs as stored_runs
from airflow_colgraph.store.query.job_datasets import inputs_of, outputs_of

EPOCH = clock.iso(0)


def job_json(connection: Connection, row: stored_runs.JobInfo) -> dict[str, Any]:
    """A job with its inputs, outputs and latest run."""
    id = Job(row.namespace, row.name).id
    runs = stored_runs.runs(connection, [id], limit=1)
    times = runs[0].started_at if runs else EPOCH
    return {
        "id": {"namespace": row.namespace, "name": row.name},
        "type": "BATCH",
        "name": row.name,
        "simpleName": row.task_id or row.name,
        "parentJobName": row.dag_id if row.task_id else None,
        "createdAt": times,
        "updatedAt": row.updated_at or EPOCH,
        "namespace": row.namespace,
        "inputs": [_id(dataset) for dataset in inputs_of(connection, id)],
        "outputs": [_id(dataset) for dataset in outputs_of(connection, id)],
        "tags": [],
        "location": None,
        "description": None,
        "latestRun": run_json(runs[0]) if runs else None,
        "latestRuns": [run_json(run) for run in runs],
        "facets": {},
    }


def _id(dataset: Field) -> dict[str, str]:
    return {"namespace": dataset.namespace, "name": dataset.name}


def run_json(row: stored_runs.RunInfo) -> dict[str, Any]:
    """A run with its state and times."""
    states = {"START": "RUNNING", "COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED"}
    duration = None
    if row.ended_at:
        duration = clock.parse_iso(row.ended_at) - clock.parse_iso(row.started_at)
    return {
        "id": row.id,
        "createdAt": row.started_at,
        "updatedAt": row.ended_at or row.started_at,
        "nominalStartTime": None,
        "nominalEndTime": None,
        "state": states.get(row.state, "RUNNING"),
        "startedAt": row.started_at,
        "endedAt": row.ended_at,
        "durationMs": duration,
        "args": {},
        "facets": {},
        "jobVersion": None,
    }
