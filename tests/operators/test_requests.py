"""What is submitted to each service: the whole request, for a Python job and for a jar."""

import copy
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.operators.collector_archive import CollectorFiles
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.requests import (
    DATABRICKS_SPARK_SUBMIT,
    DATAPROC_JOB,
    EMR_JOB_DRIVER,
    EMR_STEP,
    LIVY_BATCH,
    SPARK_APPLICATION,
    Request,
)
from airflow_colgraph.operators.submit_arguments import NotPossible
from tests.operators.test_inject import context

AT = CollectorFiles("s3://b/c.zip", "s3://b/launcher.py")
OURS = inject({}, context(), sink="s3a://b/lineage")
CONF = [word for name, value in OURS.items() for word in ("--conf", f"{name}={value}")]
JOINED = " ".join(CONF)


def application(spec: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "SparkApplication", "metadata": {"name": "load"}, "spec": spec}


def step(*words: str) -> dict[str, Any]:
    return {
        "Name": "load",
        "ActionOnFailure": "CONTINUE",
        "HadoopJarStep": {"Jar": "command-runner.jar", "Args": ["spark-submit", *words]},
    }


LIVY = {"driver_memory": "1g", "class_name": None, "py_files": None, "jars": None}
CASES: dict[str, tuple[Request, dict[str, Any], dict[str, Any]]] = {
    "kubernetes, Python": (
        SPARK_APPLICATION,
        application(
            {
                "type": "Python",
                "pythonVersion": "3",
                "image": "spark:4.1",
                "mainApplicationFile": "local:///job.py",
                "arguments": ["--day", "1"],
                "sparkConf": {"spark.x": "1"},
                "deps": {"pyFiles": ["local:///lib.zip"], "packages": ["g:a:1"]},
                "driver": {"cores": 1},
            }
        ),
        application(
            {
                "image": "spark:4.1",
                "driver": {"cores": 1},
                "type": "Python",
                "pythonVersion": "3",
                "mainApplicationFile": "local:///job.py",
                "arguments": ["--day", "1"],
                "deps": {"packages": ["g:a:1"], "pyFiles": [AT.archive, "local:///lib.zip"]},
                "sparkConf": {"spark.x": "1", **OURS},
            }
        ),
    ),
    "kubernetes, jar, as SparkKubernetesOperator takes it": (
        SPARK_APPLICATION,
        {
            "spark": application(
                {
                    "type": "Scala",
                    "mainClass": "shop.Main",
                    "mainApplicationFile": "local:///job.jar",
                }
            )
        },
        {
            "spark": application(
                {
                    "type": "Python",
                    "pythonVersion": "3",
                    "mainApplicationFile": AT.launcher,
                    "arguments": ["shop.Main"],
                    "deps": {"pyFiles": [AT.archive], "jars": ["local:///job.jar"]},
                    "sparkConf": OURS,
                }
            )
        },
    ),
    "Livy, Python": (
        LIVY_BATCH,
        {**LIVY, "file": "/job.py", "args": ["1"], "conf": {"spark.x": 1}, "name": None},
        {
            **LIVY,
            "file": "/job.py",
            "args": ["1"],
            "conf": {"spark.x": 1, **OURS},
            "name": None,
            "py_files": [AT.archive],
        },
    ),
    "Livy, jar": (
        LIVY_BATCH,
        {**LIVY, "file": "/job.jar", "class_name": "shop.Main", "jars": ["/l.jar"], "args": None},
        {
            **LIVY,
            "file": AT.launcher,
            "class_name": None,
            "jars": ["/l.jar", "/job.jar"],
            "args": ["shop.Main"],
            "conf": OURS,
            "name": "shop.Main",
            "py_files": [AT.archive],
        },
    ),
    "EMR, Python": (
        EMR_STEP,
        step("--deploy-mode", "cluster", "--conf", "spark.x=1", "s3://b/job.py", "--day", "1"),
        step(
            *("--deploy-mode", "cluster", "--conf", "spark.x=1", *CONF),
            *("--py-files", AT.archive, "s3://b/job.py", "--day", "1"),
        ),
    ),
    "EMR, jar": (
        EMR_STEP,
        step("--class", "shop.Main", "s3://b/job.jar", "1"),
        step(
            *(*CONF, "--py-files", AT.archive, "--jars", "s3://b/job.jar", "--name", "shop.Main"),
            *(AT.launcher, "shop.Main", "1"),
        ),
    ),
    "EMR Serverless, Python": (
        EMR_JOB_DRIVER,
        {
            "sparkSubmit": {
                "entryPoint": "s3://b/job.py",
                "entryPointArguments": ["a b"],
                "sparkSubmitParameters": "--conf spark.x='1 2'",
            }
        },
        {
            "sparkSubmit": {
                "entryPoint": "s3://b/job.py",
                "entryPointArguments": ["a b"],
                "sparkSubmitParameters": f"--conf 'spark.x=1 2' {JOINED} --py-files {AT.archive}",
            }
        },
    ),
    "EMR on EKS, jar": (
        EMR_JOB_DRIVER,
        {
            "sparkSubmitJobDriver": {
                "entryPoint": "s3://b/job.jar",
                "sparkSubmitParameters": "--class shop.Main",
            }
        },
        {
            "sparkSubmitJobDriver": {
                "entryPoint": AT.launcher,
                "entryPointArguments": ["shop.Main"],
                "sparkSubmitParameters": (
                    f"{JOINED} --py-files {AT.archive} --jars s3://b/job.jar --name shop.Main"
                ),
            }
        },
    ),
    "Dataproc, Python": (
        DATAPROC_JOB,
        {
            "placement": {"cluster_name": "c"},
            "pyspark_job": {"main_python_file_uri": "gs://b/job.py", "args": ["1"]},
        },
        {
            "placement": {"cluster_name": "c"},
            "pyspark_job": {
                "main_python_file_uri": "gs://b/job.py",
                "args": ["1"],
                "python_file_uris": [AT.archive],
                "properties": OURS,
            },
        },
    ),
    "Dataproc, jar": (
        DATAPROC_JOB,
        {
            "reference": {"job_id": "j"},
            "spark_job": {
                "main_class": "shop.Main",
                "jar_file_uris": ["gs://b/job.jar", "gs://b/l.jar"],
                "properties": {"spark.x": "1"},
                "logging_config": {},
            },
        },
        {
            "reference": {"job_id": "j"},
            "pyspark_job": {
                "logging_config": {},
                "main_python_file_uri": AT.launcher,
                "args": ["shop.Main"],
                "python_file_uris": [AT.archive],
                "jar_file_uris": ["gs://b/l.jar", "gs://b/job.jar"],
                "properties": {"spark.x": "1", **OURS},
            },
        },
    ),
    "Dataproc Serverless, Python": (
        DATAPROC_JOB,
        {
            "pyspark_batch": {
                "main_python_file_uri": "gs://b/job.py",
                "python_file_uris": ["gs://b/lib.py"],
            },
            "runtime_config": {"version": "2.3", "properties": {"spark.x": "1"}},
        },
        {
            "pyspark_batch": {
                "main_python_file_uri": "gs://b/job.py",
                "python_file_uris": [AT.archive, "gs://b/lib.py"],
            },
            "runtime_config": {"version": "2.3", "properties": {"spark.x": "1", **OURS}},
        },
    ),
    "Dataproc Serverless, jar": (
        DATAPROC_JOB,
        {
            "spark_batch": {"main_jar_file_uri": "gs://b/job.jar", "main_class": "shop.Main"},
        },
        {
            "pyspark_batch": {
                "main_python_file_uri": AT.launcher,
                "args": ["shop.Main"],
                "python_file_uris": [AT.archive],
                "jar_file_uris": ["gs://b/job.jar"],
            },
            "runtime_config": {"properties": OURS},
        },
    ),
    "Databricks": (
        DATABRICKS_SPARK_SUBMIT,
        {"parameters": ["--class", "shop.Main", "dbfs:/job.jar"]},
        {
            "parameters": [
                *(*CONF, "--py-files", AT.archive, "--jars", "dbfs:/job.jar"),
                *("--name", "shop.Main", AT.launcher, "shop.Main"),
            ]
        },
    ),
}


@pytest.fixture(autouse=True)
def _in_a_bucket(sink: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SINK", "s3a://b/lineage")


@pytest.mark.parametrize(("kind", "given", "expected"), CASES.values(), ids=CASES)
def test_what_is_submitted(kind: Request, given: dict[str, Any], expected: dict[str, Any]) -> None:
    before = copy.deepcopy(given)
    assert kind.with_lineage(given, context(), AT) == expected
    assert given == before
    assert kind.properties(expected).items() >= OURS.items()


@pytest.mark.parametrize("name", [name for name in CASES if "Python" in name])
def test_what_the_user_set_stays(name: str) -> None:
    kind, given, _ = CASES[name]
    job = kind.read(given)
    mine = job.properties | {"spark.colgraph.sink": "s3://mine"}
    asked = kind.write(given, job._replace(properties=mine))
    submitted = kind.with_lineage(asked, context(), AT)
    assert kind.properties(submitted)["spark.colgraph.sink"] == "s3://mine"


@pytest.mark.parametrize(
    ("kind", "request_", "why"),
    [
        (EMR_STEP, {"Name": "copy", "HadoopJarStep": {"Args": ["s3-dist-cp"]}}, "'copy' does not"),
        (EMR_STEP, step("--version"), "name no application"),
        (EMR_JOB_DRIVER, {"hive": {}}, "job driver 'hive' does not run spark-submit"),
        (DATAPROC_JOB, {"hive_job": {}}, "neither a pyspark nor a spark job"),
        (LIVY_BATCH, {"file": "s3://b/job.jar"}, "set java_class"),
        (LIVY_BATCH, {"file": "s3://b/job.R"}, "neither a Python file nor a jar"),
        (SPARK_APPLICATION, {"spec": {}}, "'' is neither a Python file nor a jar"),
    ],
)
def test_a_job_that_it_cannot_go_along_with_is_named(
    kind: Request, request_: dict[str, Any], why: str
) -> None:
    with pytest.raises(NotPossible, match=why):
        kind.with_lineage(request_, context(), AT)
