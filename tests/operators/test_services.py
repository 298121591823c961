"""Operators that hand the job to a service, against a service that notes what it was asked."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from airflow.exceptions import AirflowException
from airflow.providers.common.compat.sdk import TaskDeferred
from airflow.sdk import BaseOperator

from airflow_colgraph.operators.collector_archive import collector_files
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.livy import ColgraphLivyOperator
from airflow_colgraph.operators.requests import DATAPROC_JOB, EMR_STEP, Request
from airflow_colgraph.operators.services import ServiceLineage
from tests.operators.fake_spark_submit import write_events
from tests.operators.test_inject import context
from tests.operators.test_spark_submit import names, warnings


class Livy(ThreadingHTTPServer):
    """Takes batches, and ends each at once, in `state`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.batches: list[dict[str, Any]] = []
        self.state = "success"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.batches.append(body)  # type: ignore[attr-defined]
        write_events(body["conf"], ["mart"])
        self.answer({"id": 7, "state": "running", "appId": "app-7"}, 201)

    def do_GET(self) -> None:
        state = self.server.state  # type: ignore[attr-defined]
        self.answer({"id": 7, "state": state, "appId": "app-7", "log": [], "total": 0, "from": 0})

    def answer(self, body: dict[str, Any], status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def livy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Livy]:
    with Livy() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        connection = {"conn_type": "livy", "host": "127.0.0.1", "port": server.server_port}
        monkeypatch.setenv("AIRFLOW_CONN_LIVY_DEFAULT", json.dumps(connection))
        yield server
        server.shutdown()
        thread.join()


def livy_task(**arguments: Any) -> Any:
    given = {"task_id": "load", "file": "/job.py", "polling_interval": 1, **arguments}
    return ColgraphLivyOperator(**given)


def livy_context(**how: Any) -> dict[str, Any]:
    made = context(**how)
    made["ti"].xcom_push = lambda **_: None
    made["ti"].stats_tags = {}
    return made


def written(operator: Any) -> list[str]:
    return names(operator.get_openlineage_facets_on_complete(None).outputs)


def test_livy_gets_the_batch_with_the_collector(livy: Livy) -> None:
    operator = livy_task(conf={"spark.x": "1"}, py_files=["/lib.zip"], args=["a"])
    operator.execute(livy_context())
    assert livy.batches == [
        {
            "file": "/job.py",
            "args": ["a"],
            "pyFiles": [collector_files().archive, "/lib.zip"],
            "conf": {"spark.x": "1", **inject({}, context())},
        }
    ]
    assert written(operator) == ["mart"]
    assert operator.spark_params["conf"] == {"spark.x": "1"}


def test_a_batch_that_fails_keeps_its_writes(livy: Livy) -> None:
    livy.state = "dead"
    operator = livy_task()
    with pytest.raises(AirflowException, match="Batch 7 did not succeed"):
        operator.execute(livy_context())
    assert names(operator.get_openlineage_facets_on_failure(None).outputs) == ["mart"]


def test_a_deferred_task_finds_its_lineage_in_another_process(livy: Livy) -> None:
    livy.state = "running"
    first = livy_task(deferrable=True)
    with pytest.raises(TaskDeferred) as deferred:
        first.execute(livy_context())
    assert first.colgraph_lineage is None  # the job has not ended: nothing is reported too early
    resumed = livy_task(deferrable=True)
    event = {"status": "success", "response": "fine", "batch_id": 7, "log_lines": None}
    resumed.resume_execution(deferred.value.method_name, {"event": event}, livy_context())
    assert written(resumed) == ["mart"]


def test_the_collector_is_where_the_option_says(
    livy: Livy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__COLLECTOR_PATH", "s3a://b/colgraph")
    livy_task().execute(livy_context())
    (batch,) = livy.batches
    assert batch["pyFiles"] == [collector_files("s3a://b/colgraph").archive]
    assert batch["pyFiles"][0].startswith("s3a://b/colgraph/colgraph-collector-")


# Operators whose provider is not installed: what they would submit ------------------------------


class StepsOperator(BaseOperator):
    """Has steps, as EmrAddStepsOperator."""

    def __init__(self, *, steps: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.steps = steps

    def execute(self, context: Any) -> None:
        self.submitted = self.steps


class ColgraphStepsOperator(ServiceLineage, StepsOperator):
    colgraph_requests: ClassVar[dict[str, Request]] = {"steps": EMR_STEP}


def step(*words: str) -> dict[str, Any]:
    return {"Name": words[0], "HadoopJarStep": {"Jar": "command-runner.jar", "Args": [*words]}}


def test_of_several_steps_those_that_run_spark_get_the_collector(sink: Path) -> None:
    steps = [step("s3-dist-cp"), step("spark-submit", "s3://b/job.py")]
    operator = ColgraphStepsOperator(task_id="load", steps=steps)
    operator.execute(context())
    copy, spark = operator.submitted
    assert copy == steps[0]
    assert spark["HadoopJarStep"]["Args"][-3:] == [
        "--py-files",
        collector_files().archive,
        "s3://b/job.py",
    ]
    assert operator.steps == steps
    assert operator.colgraph_sink == inject({}, context())["spark.colgraph.sink"]


def test_without_a_spark_step_the_steps_are_submitted_and_one_line_says_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    operator = ColgraphStepsOperator(task_id="load", steps=[step("s3-dist-cp")])
    operator.execute(context())
    assert operator.submitted == [step("s3-dist-cp")]
    (warning,) = warnings(capsys)
    assert "adding the collector failed: the step 's3-dist-cp' does not run spark" in warning


class JobOperator(StepsOperator):
    """Has a job, as DataprocSubmitJobOperator."""

    def __init__(self, *, job: Any, **kwargs: Any) -> None:
        super().__init__(steps=None, **kwargs)
        self.job = job


class ColgraphJobOperator(ServiceLineage, JobOperator):
    colgraph_requests: ClassVar[dict[str, Request]] = {"job": DATAPROC_JOB}


def test_disabled_the_request_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__DISABLED", "True")
    operator = ColgraphStepsOperator(task_id="load", steps=[step("spark-submit", "job.py")])
    operator.execute(context())
    assert operator.submitted == [step("spark-submit", "job.py")]
    assert operator.colgraph_lineage is None


def test_a_request_that_is_not_as_it_should_be_costs_only_the_lineage(
    capsys: pytest.CaptureFixture[str],
) -> None:
    operator = ColgraphJobOperator(task_id="load", job={"pyspark_job": {}})
    operator.execute(context())
    (warning,) = warnings(capsys)
    assert "adding the collector failed: KeyError: 'main_python_file_uri'" in warning


def test_an_operator_whose_job_is_given_otherwise_runs_and_one_line_says_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    operator = ColgraphJobOperator(task_id="load", job=None)
    operator.execute(context())
    (warning,) = warnings(capsys)
    assert warning.endswith("adding the collector failed: job is not given")
