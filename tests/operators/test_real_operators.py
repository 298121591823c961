"""The recipes of docs/operators.md with the providers' own operators (`make services`).

Each executes as far as its request to the service, which takes notes and refuses. Google's is asked
by gRPC: there the request that its hook is given must be one of the service's messages.
"""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.operators import requests
from airflow_colgraph.operators.collector_archive import collector_files
from tests.operators.test_docs import RECIPES
from tests.operators.test_inject import context

pytestmark = pytest.mark.services

AT = collector_files("s3://b/colgraph")
CLUSTER = {"spark_version": "15.4.x-scala2.12", "num_workers": 1}
FACTS = {  # what operators ask before they submit
    "ElasticMapReduce.DescribeCluster": {"Cluster": {"Id": "j-1"}},
    "/applications/00a": {
        "application": {
            "applicationId": "00a",
            "arn": "arn:aws:emr-serverless:eu-west-1:1:/applications/00a",
            "releaseLabel": "emr-7.0.0",
            "type": "Spark",
            "state": "STARTED",
            "createdAt": 0,
            "updatedAt": 0,
        }
    },
}


class Service(ThreadingHTTPServer):
    """Answers what it knows, and notes and refuses all else."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, Any]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        what = self.headers.get("X-Amz-Target") or self.path
        known = FACTS.get(what)
        if known is None:
            self.server.asked.append((what, json.loads(body or b"{}")))
        answer = json.dumps(known or {"message": "refused"}).encode()
        self.send_response(200 if known else 400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A service that all connections lead to; the collector lies where it can be read."""
    monkeypatch.setenv("AIRFLOW__COLGRAPH__COLLECTOR_PATH", "s3://b/colgraph")
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SINK", "s3a://b/lineage")
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        aws = {"endpoint_url": server.address, "region_name": "eu-west-1"}
        connections = {
            "aws_default": {"conn_type": "aws", "login": "a", "password": "b", "extra": aws},
            "databricks_default": {
                "conn_type": "databricks",
                "schema": "http",
                "host": "127.0.0.1",
                "port": server.server_port,
                "password": "token",
            },
            "livy_default": {
                "conn_type": "livy",
                "host": "127.0.0.1",
                "port": server.server_port,
            },
            "kubernetes_default": {
                "conn_type": "kubernetes",
                "extra": {"kube_config": json.dumps(kube_config(server.address))},
            },
        }
        for name, connection in connections.items():
            monkeypatch.setenv(f"AIRFLOW_CONN_{name.upper()}", json.dumps(connection))
        yield server
        server.shutdown()
        thread.join()


def kube_config(address: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": address}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }


def recipe(name: str) -> Any:
    """A class that the docs make of a provider's."""
    (block,) = (block for block in RECIPES if f"class {name}(" in block)
    made: dict[str, Any] = {}
    exec(block, made)
    return made[name]


def task_context() -> dict[str, Any]:
    made = context()
    made["ti"].xcom_push = lambda **_: None
    made["ti"].stats_tags = {}
    return made


def refused(operator: Any) -> None:
    with pytest.raises(Exception, match=r"(?i)refused|400"):
        operator.execute(task_context())


def same(kind: requests.Request, given: Any, arrived: Any) -> None:
    """The job that arrived is the one that was given, with the collector."""
    expected = kind.read(kind.with_lineage(given, context(), AT))
    assert kind.read(arrived) == expected
    assert AT.archive in str(expected.py_files)
    assert expected.properties["spark.colgraph.jobName"] == "shop.group.load.spark"


def test_databricks(service: Service) -> None:
    given = {"parameters": ["--conf", "spark.x=1", "dbfs:/job.py", "--day", "1"]}
    operator = recipe("ColgraphDatabricksSubmitRunOperator")(
        task_id="load", spark_submit_task=given, new_cluster=CLUSTER
    )
    refused(operator)
    ((path, body),) = service.asked
    assert path == "/api/2.2/jobs/runs/submit"
    assert body["new_cluster"]["spark_version"] == CLUSTER["spark_version"]
    same(requests.DATABRICKS_SPARK_SUBMIT, given, body["spark_submit_task"])
    assert operator.spark_submit_task == given


MANIFEST = {
    "apiVersion": "sparkoperator.k8s.io/v1beta2",
    "kind": "SparkApplication",
    "metadata": {"name": "load"},
    "spec": {
        "type": "Python",
        "mainApplicationFile": "local:///job.py",
        "sparkConf": {"spark.x": "1"},
        "driver": {"cores": 1},
    },
}


@pytest.mark.parametrize("given", [MANIFEST, {"spark": MANIFEST}], ids=["plain", "wrapped"])
def test_kubernetes(service: Service, given: dict[str, Any]) -> None:
    operator = recipe("ColgraphSparkKubernetesOperator")(
        task_id="load",
        template_spec=given,
        reattach_on_restart=False,
        random_name_suffix=False,
    )
    refused(operator)
    path, body = service.asked[0]
    assert path == "/apis/sparkoperator.k8s.io/v1beta2/namespaces/default/sparkapplications"
    assert body["spec"]["driver"]["cores"] == 1
    same(requests.SPARK_APPLICATION, MANIFEST, body)
    assert operator.template_spec == given


def test_livy(service: Service) -> None:
    from airflow_colgraph.operators.livy import ColgraphLivyOperator

    operator = ColgraphLivyOperator(
        task_id="load", file="/job.py", args=["1"], conf={"spark.x": "1"}
    )
    given = dict(operator.spark_params)
    refused(operator)
    ((path, body),) = service.asked
    assert path == "/batches"
    arrived = {**body, "py_files": body["pyFiles"], "class_name": body.get("className")}
    same(requests.LIVY_BATCH, given, arrived)


STEP = {
    "Name": "load",
    "ActionOnFailure": "CONTINUE",
    "HadoopJarStep": {
        "Jar": "command-runner.jar",
        "Args": ["spark-submit", "--conf", "spark.x=1", "s3://b/job.py"],
    },
}


def test_emr_steps(service: Service) -> None:
    operator = recipe("ColgraphEmrAddStepsOperator")(
        task_id="load", job_flow_id="j-1", steps=[STEP]
    )
    refused(operator)
    ((target, body),) = service.asked
    assert target == "ElasticMapReduce.AddJobFlowSteps"
    (arrived,) = body["Steps"]
    same(requests.EMR_STEP, STEP, arrived)


def test_emr_serverless(service: Service) -> None:
    given = {
        "sparkSubmit": {
            "entryPoint": "s3://b/job.py",
            "entryPointArguments": ["1"],
            "sparkSubmitParameters": "--conf spark.x=1",
        }
    }
    operator = recipe("ColgraphEmrServerlessStartJobOperator")(
        task_id="load",
        application_id="00a",
        execution_role_arn="arn:aws:iam::1:role/r",
        job_driver=given,
        client_request_token="t",
    )
    refused(operator)
    ((path, body),) = service.asked
    assert path == "/applications/00a/jobruns"
    same(requests.EMR_JOB_DRIVER, given, body["jobDriver"])


def test_emr_on_eks(service: Service) -> None:
    given = {"sparkSubmitJobDriver": {"entryPoint": "s3://b/job.py"}}
    operator = recipe("ColgraphEmrContainerOperator")(
        task_id="load",
        name="load",
        virtual_cluster_id="v1",
        execution_role_arn="arn:aws:iam::1:role/some-role-of-ours",
        release_label="emr-7.0.0-latest",
        job_driver=given,
    )
    refused(operator)
    ((path, body),) = service.asked
    assert path == "/virtualclusters/v1/jobruns"
    same(requests.EMR_JOB_DRIVER, given, body["jobDriver"])


class Refused(Exception):
    pass


def submitted(operator: Any, method: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the operator gives its hook to submit."""
    from airflow.providers.google.cloud.hooks.dataproc import DataprocHook

    given: dict[str, Any] = {}

    def refuse(self: Any, **arguments: Any) -> None:
        given.update(arguments)
        raise Refused

    assert callable(getattr(DataprocHook, method))
    monkeypatch.setattr(DataprocHook, method, refuse)
    monkeypatch.setattr(DataprocHook, "__init__", lambda self, **_: None)
    with pytest.raises(Refused):
        operator.execute(task_context())
    return given


@pytest.mark.parametrize(
    "given",
    [
        {"pyspark_job": {"main_python_file_uri": "gs://b/job.py", "properties": {"spark.x": "1"}}},
        {"spark_job": {"main_class": "shop.Main", "jar_file_uris": ["gs://b/job.jar"]}},
    ],
    ids=["Python", "jar"],
)
def test_dataproc(service: Service, given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from google.cloud.dataproc_v1 import Job

    given = {"placement": {"cluster_name": "c"}, **given}
    operator = recipe("ColgraphDataprocSubmitJobOperator")(
        task_id="load", job=given, region="r", project_id="p"
    )
    arrived = submitted(operator, "submit_job", monkeypatch)["job"]
    Job(arrived)  # raises at a field that the service has not
    same(requests.DATAPROC_JOB, given, arrived)


def test_dataproc_serverless(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    from google.cloud.dataproc_v1 import Batch

    given = {
        "pyspark_batch": {"main_python_file_uri": "gs://b/job.py"},
        "runtime_config": {"version": "2.3", "properties": {"spark.x": "1"}},
    }
    operator = recipe("ColgraphDataprocCreateBatchOperator")(
        task_id="load", batch=given, batch_id="b", region="r", project_id="p"
    )
    arrived = submitted(operator, "create_batch", monkeypatch)["batch"]
    Batch(arrived)
    same(requests.DATAPROC_JOB, given, arrived)
