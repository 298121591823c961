"""Add the properties that a Spark job needs to report its lineage. Pure but for the run's token.

Any operator that can set Spark properties can use it:

    properties = inject(properties, context)
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from airflow_colgraph import conf
from airflow_colgraph.collector.sinks.spool import default_folder
from airflow_colgraph.operators.sink_token import OPENLINEAGE, OURS, SINK_TOKEN, run_token
from airflow_colgraph.version_compat import TaskIdentity, identity

SINK = OURS + "sink"


def inject(
    properties: Mapping[Any, Any] | None, context: Mapping[str, Any], *, sink: str | None = None
) -> dict[Any, Any]:
    """Add the sink, the job's name and the parent run to a job's Spark properties.

    Args:
        properties: The properties that the DAG gives the job, or None.
        context: Airflow's task context; `context["ti"]` names the task instance.
        sink: The folder, URI or http(s) address for the events. Default: `[colgraph] sink`.

    Returns:
        A new dict: the given properties, `[colgraph] properties`, and `spark.colgraph.sink`,
        `namespace`, `jobName`, `dagId`, `dagRunId`, `taskId`, `mapIndex`, `tryNumber`, `parent*`
        and `rootParent*`; with `[colgraph] spool` also `spool`, and with an http(s) sink and
        `[colgraph] sink_key` `sinkToken`, for this run only. Given values are never changed,
        so the function is idempotent; a job with `spark.openlineage.parent*` properties (also by
        the provider's `openlineage_inject_parent_job_info`) keeps that parent.

    Raises:
        ConfigException: `[colgraph] properties` is invalid.
        TokenError: `[colgraph] sink_key` is no key.

    The parent is the `ParentRunFacet` of the Spark job's events: its ids are those that Airflow's
    OpenLineage provider gives the task instance and its DAG run.
    """
    dag_properties = dict(properties or {})
    task = identity(context["ti"])
    ours = {
        **conf.properties(),
        SINK: location(sink or conf.sink(), context["ti"]),
        OURS + "namespace": task.namespace,
        OURS + "jobName": f"{task.name}.spark",
        **_task(task),
    }
    if conf.spool() != default_folder():
        ours[OURS + "spool"] = conf.spool()
    if not any(
        str(key).startswith((OURS + "parent", OPENLINEAGE + "parent")) for key in dag_properties
    ):
        parents = {
            "parentJobNamespace": task.namespace,
            "parentJobName": task.name,
            "parentRunId": task.run_id,
            "rootParentJobNamespace": task.root_namespace,
            "rootParentJobName": task.root_name,
            "rootParentRunId": task.root_run_id,
        }
        ours |= {
            OURS + key: of for key, of in parents.items() if OPENLINEAGE + key not in dag_properties
        }
    job_properties = dag_properties | {
        key: value for key, value in ours.items() if key not in dag_properties
    }
    token = run_token(job_properties) if is_http(str(job_properties[SINK])) else ""
    return job_properties | {SINK_TOKEN: token} if token else job_properties


def _task(task: TaskIdentity) -> dict[str, str]:
    """The properties that name the Airflow task instance in the job's events."""
    named = {"dagId": task.dag_id, "dagRunId": task.dag_run_id, "taskId": task.task_id}
    numbers = {"mapIndex": task.map_index, "tryNumber": task.try_number}
    named |= {key: str(of) for key, of in numbers.items() if of is not None and of >= 0}
    return {OURS + key: of for key, of in named.items()}


def location(base: str, ti: Any) -> str:
    """The path of a task instance's events beneath `base`; nothing else writes there.

    Airflow 3 gives each try an id, and so each pass of a loop (3.4), which has the DAG, run, task
    and map index of the others. It stays the same while a task is deferred. A retry that finds the
    job of an earlier try still running has another one: it finds that try's file by what the try
    kept in Airflow's task state store before it submitted, as the provider finds the job.
    Airflow 2 has no such id, and no such retries: there all tries share a file.
    """
    if is_http(base):
        return base
    parts = [ti.dag_id, ti.run_id, ti.task_id]
    name = "task" if ti.map_index is None or ti.map_index < 0 else str(ti.map_index)
    if (number := getattr(ti, "id", None)) is not None:
        name = f"{name}-{number}"
    return "/".join([base.rstrip("/"), *map(_path_part, parts), f"{name}.ndjson"])


def is_http(sink: str) -> bool:
    """Whether a sink is an HTTP endpoint, from which events cannot be read back."""
    return sink.startswith(("http://", "https://"))


def _path_part(name: str) -> str:
    """A name that every file system takes, different for different names."""
    plain = re.sub(r"[^A-Za-z0-9_.=-]", "_", name)
    if plain == name and name.strip("."):
        return name
    return f"{plain.strip('.')}-{hashlib.sha1(name.encode()).hexdigest()[:8]}"


def parent_run_id(properties: Mapping[Any, Any]) -> str | None:
    """The parent run that a job with these properties reports."""
    for prefix in (OURS, OPENLINEAGE):
        if properties.get(prefix + "parentRunId"):
            return str(properties[prefix + "parentRunId"])
    return None
