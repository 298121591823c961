"""A task's lineage as an OpenLineage event of its own. Pure.

The store gets this one when `[colgraph] store` is set: whole and unredacted, under the same run as
Airflow's own event, so that it adds to that run and makes no second one.
"""

from __future__ import annotations

from typing import Any

from airflow_colgraph.collector.events.facets import task_facet
from airflow_colgraph.extractors.task_lineage import Lineage
from airflow_colgraph.openlineage.facets import PRODUCER, RUN_EVENT, facet
from airflow_colgraph.version_compat import TaskIdentity


def of_task(lineage: Lineage, task: TaskIdentity) -> Lineage:
    """The lineage with the run facet that names the task instance."""
    named = task_facet(task.dag_id, task.dag_run_id, task.task_id, task.map_index, task.try_number)
    return lineage._replace(run_facets={**lineage.run_facets, "colgraph_task": dict(named)})


def task_event(
    task: TaskIdentity, lineage: Lineage, *, event_type: str, event_time: str
) -> dict[str, Any]:
    """The event of a task that ended: COMPLETE, or FAIL with what was written before."""
    root = {
        "run": {"runId": task.root_run_id},
        "job": {"namespace": task.root_namespace, "name": task.root_name},
    }
    parent = facet("parent", **root, root=root)
    job_type = facet("jobType", processingType="BATCH", integration="AIRFLOW", jobType="TASK")
    return {
        "eventType": event_type,
        "eventTime": event_time,
        "producer": PRODUCER,
        "schemaURL": RUN_EVENT,
        "run": {"runId": task.run_id, "facets": {**lineage.run_facets, "parent": parent}},
        "job": {"namespace": task.namespace, "name": task.name, "facets": {"jobType": job_type}},
        "inputs": lineage.inputs,
        "outputs": lineage.outputs,
    }
