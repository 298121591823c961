"""One Spark application as an OpenLineage run: its job, parents and run facets."""

from __future__ import annotations

import os
import uuid

from airflow_colgraph import __version__
from airflow_colgraph.collector.events.facets import ApplicationRun, facet, task_facet
from airflow_colgraph.collector.openlineage import ParentFacet, ParentRun, RunFacets
from airflow_colgraph.collector.settings import OPENLINEAGE_PREFIX, PREFIX, Settings, read
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.openlineage.redaction import without_credentials, without_secrets


def settings_of(context: Java) -> Settings:
    """The settings in the configuration of a JVM SparkContext."""
    conf = context.conf()
    properties: dict[str, str] = {}
    for prefix in (OPENLINEAGE_PREFIX, PREFIX):
        for pair in conf.getAllWithPrefix(prefix):
            properties[prefix + str(pair._1())] = str(pair._2())
    return read(properties)


def run_of(context: Java, settings: Settings) -> ApplicationRun:
    """The run of the application, with the run facets that all its events carry."""
    name = str(context.appName())
    facets: RunFacets = {
        "processing_engine": {
            **facet("processing_engine"),
            "version": str(context.version()),
            "name": "spark",
            "openlineageAdapterVersion": __version__,
        },
        "spark_applicationDetails": {
            **facet("spark_applicationDetails"),
            "appName": name,
            "applicationId": str(context.applicationId()),
            "master": without_credentials(str(context.master())),
            "deployMode": str(context.deployMode()),
            "userName": str(context.sparkUser()),
        },
    }
    facets.update(captured(context, settings))
    parent = parent_facet(settings)
    if parent:
        facets["parent"] = parent
    if settings["dagId"]:
        names = ("dagId", "dagRunId", "taskId", "mapIndex", "tryNumber")
        facets["colgraph_task"] = task_facet(*(settings[name] for name in names))
    if settings["planned"]:
        facets["colgraph_plan"] = facet("colgraph_plan")
    return ApplicationRun(
        settings["namespace"], settings["jobName"] or name, str(uuid.uuid4()), facets
    )


def captured(context: Java, settings: Settings) -> RunFacets:
    """The Spark properties and environment variables that the settings name, without secrets."""
    facets: RunFacets = {}
    conf = context.conf()
    names = settings["capturedProperties"]
    properties = {name: str(conf.get(name)) for name in names if conf.contains(name)}
    if properties:
        properties = without_secrets(properties)
        facets["spark_properties"] = {**facet("spark_properties"), "properties": properties}
    names = settings["capturedEnvironment"]
    variables = without_secrets({name: os.environ[name] for name in names if name in os.environ})
    if variables:
        facets["environmentVariables"] = {
            **facet("environmentVariables"),
            "environmentVariables": [{"name": n, "value": v} for n, v in variables.items()],
        }
    return facets


def parent_facet(settings: Settings) -> ParentFacet | None:
    """The parent run facet, where the settings name a parent run."""
    if not settings["parentRunId"]:
        return None
    parent = _run(settings, "parent")
    root = _run(settings, "rootParent") if settings["rootParentRunId"] else parent
    return {**facet("parent"), **parent, "root": root}


def _run(settings: Settings, prefix: str) -> ParentRun:
    return {
        "run": {"runId": settings[f"{prefix}RunId"]},
        "job": {
            "namespace": settings[f"{prefix}JobNamespace"],
            "name": settings[f"{prefix}JobName"],
        },
    }
