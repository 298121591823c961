"""Requests that services take for a Spark job, with the collector in them. Pure.

A kind of request is two functions: one reads its spark-submit arguments, one writes others into it.
Attaching the collector to the arguments is the same for all of them.

    LIVY_BATCH.with_lineage(parameters, context, at) -> the parameters with the collector
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.operators.collector_archive import CollectorFiles
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.submit_arguments import NotPossible, SubmitArguments, with_collector
from airflow_colgraph.operators.submit_command import assemble, parse

Json = dict[str, Any]


class Request(NamedTuple):
    """One kind of request: how it is read, and how it is written."""

    read: Callable[[Json], SubmitArguments]
    write: Callable[[Json, SubmitArguments], Json]

    def properties(self, request: Json) -> dict[Any, Any]:
        """The Spark properties that the request sets."""
        return self.read(request).properties

    def with_lineage(self, request: Json, context: Mapping[str, Any], at: CollectorFiles) -> Json:
        """The request for the same job with the collector; the given one is not changed."""
        job = self.read(request)
        job = job._replace(properties=inject(job.properties, context))
        ours = with_collector(
            job, archive=at.archive, launcher=at.launcher, master="", deploy_mode="cluster"
        )
        return self.write(request, ours)


def _joined(names: Iterable[str] | None) -> str | None:
    return ",".join(names or ()) or None


def _list(names: str | None) -> list[str]:
    return (names or "").split(",") if names else []


def _set(request: Json, values: Mapping[str, Any]) -> Json:
    """The request with these values; those that are None or empty are not in it."""
    kept = {key: value for key, value in request.items() if key not in values}
    return kept | {key: value for key, value in values.items() if value not in (None, [], "")}


# Kubernetes: the SparkApplication of the Spark operator -----------------------------------------


def _from_application(manifest: Json) -> SubmitArguments:
    manifest = manifest.get("spark") or manifest  # SparkKubernetesOperator takes it in this, too
    spec = manifest.get("spec") or {}
    deps = spec.get("deps") or {}
    return SubmitArguments(
        application=spec.get("mainApplicationFile") or "",
        application_args=list(spec.get("arguments") or ()),
        py_files=_joined(deps.get("pyFiles")),
        jars=_joined(deps.get("jars")),
        java_class=spec.get("mainClass"),
        name=(manifest.get("metadata") or {}).get("name"),
        properties=dict(spec.get("sparkConf") or {}),
    )


def _to_application(manifest: Json, job: SubmitArguments) -> Json:
    if "spark" in manifest:
        return {**manifest, "spark": _to_application(manifest["spark"], job)}
    spec = manifest.get("spec") or {}
    deps = {"pyFiles": _list(job.py_files), "jars": _list(job.jars)}
    values = {
        "type": "Python",
        "pythonVersion": spec.get("pythonVersion") or "3",
        "mainApplicationFile": job.application,
        "mainClass": job.java_class,
        "arguments": job.application_args,
        "deps": _set(spec.get("deps") or {}, deps),
        # The operator wants strings; a property's value is one anyway.
        "sparkConf": {name: str(value) for name, value in job.properties.items()},
    }
    return {**manifest, "spec": _set(spec, values)}


SPARK_APPLICATION = Request(_from_application, _to_application)


# Livy: the parameters of LivyOperator -----------------------------------------------------------


def _from_livy(parameters: Json) -> SubmitArguments:
    return SubmitArguments(
        application=parameters["file"],
        application_args=list(parameters.get("args") or ()),
        py_files=_joined(parameters.get("py_files")),
        jars=_joined(parameters.get("jars")),
        java_class=parameters.get("class_name"),
        name=parameters.get("name"),
        properties=dict(parameters.get("conf") or {}),
    )


def _to_livy(parameters: Json, job: SubmitArguments) -> Json:
    return {
        **parameters,
        "file": job.application,
        "class_name": job.java_class,
        "args": job.application_args or None,
        "py_files": _list(job.py_files),
        "jars": _list(job.jars) or None,
        "name": job.name,
        "conf": job.properties,
    }


LIVY_BATCH = Request(_from_livy, _to_livy)


# spark-submit's own arguments: EMR's steps, EMR Serverless, EMR on EKS, Databricks ---------------


def _from_command(words: list[str]) -> SubmitArguments:
    command = parse(words)
    if command.application is None:
        raise NotPossible("its spark-submit arguments name no application")
    properties = command.properties()
    return SubmitArguments(
        application=command.application,
        application_args=list(command.application_args),
        py_files=command.value("--py-files"),
        jars=command.value("--jars") or properties.get("spark.jars"),
        java_class=command.value("--class"),
        name=command.value("--name"),
        properties=dict(properties),
    )


def _to_command(words: list[str], job: SubmitArguments) -> list[str]:
    command = parse(words)
    properties = command.properties()
    ours = {name: value for name, value in job.properties.items() if name not in properties}
    return assemble(command, job, ours)


def _step_words(step: Json) -> list[str]:
    words = list((step.get("HadoopJarStep") or {}).get("Args") or ())
    if words[:1] != ["spark-submit"]:
        raise NotPossible(f"the step {step.get('Name')!r} does not run spark-submit")
    return words


def _from_step(step: Json) -> SubmitArguments:
    return _from_command(_step_words(step)[1:])


def _to_step(step: Json, job: SubmitArguments) -> Json:
    words = ["spark-submit", *_to_command(_step_words(step)[1:], job)]
    return {**step, "HadoopJarStep": {**step["HadoopJarStep"], "Args": words}}


EMR_STEP = Request(_from_step, _to_step)


def _driver_of(job_driver: Json) -> tuple[str, Json]:
    for kind in ("sparkSubmit", "sparkSubmitJobDriver"):  # Serverless, on EKS
        if kind in job_driver:
            return kind, job_driver[kind]
    raise NotPossible(f"a job driver {', '.join(job_driver)!r} does not run spark-submit")


def _driver_words(driver: Json) -> list[str]:
    options = shlex.split(driver.get("sparkSubmitParameters") or "")
    return [*options, driver["entryPoint"], *(driver.get("entryPointArguments") or ())]


def _from_driver(job_driver: Json) -> SubmitArguments:
    return _from_command(_driver_words(_driver_of(job_driver)[1]))


def _to_driver(job_driver: Json, job: SubmitArguments) -> Json:
    kind, driver = _driver_of(job_driver)
    words = _to_command(_driver_words(driver), job)
    behind = 1 + len(job.application_args)
    values = {
        "entryPoint": job.application,
        "entryPointArguments": job.application_args,
        "sparkSubmitParameters": shlex.join(words[:-behind]),
    }
    return {**job_driver, kind: _set(driver, values)}


EMR_JOB_DRIVER = Request(_from_driver, _to_driver)


def _to_databricks(task: Json, job: SubmitArguments) -> Json:
    return {**task, "parameters": _to_command(task["parameters"], job)}


# The value of `spark_submit_task`. Databricks runs other tasks in existing sessions.
DATABRICKS_SPARK_SUBMIT = Request(lambda task: _from_command(task["parameters"]), _to_databricks)


# Dataproc ---------------------------------------------------------------------------------------

PYTHON_JOB, JAR_JOB = ("pyspark_job", "pyspark_batch"), ("spark_job", "spark_batch")


def _dataproc_kind(job: Json) -> str:
    for kind in (*PYTHON_JOB, *JAR_JOB):
        if kind in job:
            return kind
    raise NotPossible("it is neither a pyspark nor a spark job")


def _from_dataproc(request: Json) -> SubmitArguments:
    kind = _dataproc_kind(request)
    job = request[kind]
    jars = list(job.get("jar_file_uris") or ())
    if kind in JAR_JOB:  # the main jar, or a main class that is in one of the jars
        application = job.get("main_jar_file_uri") or next(iter(jars), "")
        jars = [jar for jar in jars if jar != application]
    else:
        application = job["main_python_file_uri"]
    batch = kind.endswith("_batch")
    configured = (request.get("runtime_config") or {}) if batch else job
    return SubmitArguments(
        application=application,
        application_args=list(job.get("args") or ()),
        py_files=_joined(job.get("python_file_uris")),
        jars=_joined(jars),
        java_class=job.get("main_class"),
        name=None,
        properties=dict(configured.get("properties") or {}),
    )


def _to_dataproc(request: Json, job: SubmitArguments) -> Json:
    kind = _dataproc_kind(request)
    batch = kind.endswith("_batch")
    properties = {name: str(value) for name, value in job.properties.items()}
    values: Json = {
        "main_jar_file_uri": None,
        "main_class": None,
        "main_python_file_uri": job.application,
        "args": job.application_args,
        "python_file_uris": _list(job.py_files),
        "jar_file_uris": _list(job.jars),
    }
    if not batch:
        values["properties"] = properties
    kept = {key: value for key, value in request.items() if key != kind}
    written = {**kept, PYTHON_JOB[batch]: _set(request[kind], values)}
    if batch:
        configured = request.get("runtime_config") or {}
        written["runtime_config"] = {**configured, "properties": properties}
    return written


DATAPROC_JOB = Request(_from_dataproc, _to_dataproc)
