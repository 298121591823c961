"""Each way by which the lineage of a task comes into a store: WAYS, all of the task of DAG `cases`.

The task's job is the collector without Spark: events as the driver makes them of its properties.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from airflow.providers.openlineage import conf as openlineage_conf
from airflow.providers.openlineage.api import emit
from airflow.providers.openlineage.plugins.listener import get_openlineage_listener
from airflow.providers.openlineage.utils.sql_hook_lineage import _create_ol_event_pair
from click.testing import CliRunner
from fastapi.testclient import TestClient
from openlineage.client.event_v2 import Dataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import column_lineage_dataset, parent_run

from airflow_colgraph import conf
from airflow_colgraph.api.access import everyone
from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli import main
from airflow_colgraph.collector.driver.application_run import run_of
from airflow_colgraph.collector.events.build import run_event
from airflow_colgraph.collector.settings import read
from airflow_colgraph.collector.sinks.sink import open_sink
from airflow_colgraph.get_provider_info import OPTIONS
from airflow_colgraph.operators.inject import SINK, inject
from airflow_colgraph.operators.lineage_mixin import TaskLineage
from airflow_colgraph.store.store import Store
from airflow_colgraph.version_compat import BaseOperator, identity
from tests.collector.test_application_run import context as spark_context
from tests.operators.test_inject import context as context_of_shop
from tests.store.samples import copy_event, output

PROPERTIES = {"colgraph_properties": {"format": "csv", "options": []}}
LACKS = {"unresolved": [{"class": "columns without inputs", "count": 1}]}


def context() -> dict[str, Any]:
    """The context of the task `totals` of the DAG `cases` in its run `first`."""
    found = context_of_shop()
    found["ti"].dag_id, found["ti"].task_id, found["ti"].run_id = "cases", "totals", "first"
    return found


def driver_events(properties: dict[str, str]) -> list[dict[str, Any]]:
    """What the collector in the driver of a job with these properties emits."""
    run = run_of(spark_context({}), read(properties))
    steps = {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "cases only"}
    written: Any = output("mart", {"t": "raw.new"})
    for entry in written["facets"]["columnLineage"]["fields"]["t"]["inputFields"]:
        entry["transformations"] = [{**steps, "masking": False}]
    inputs: Any = [{"namespace": "n", "name": "raw", "facets": PROPERTIES}]
    facets: Any = {"colgraph_diagnostics": LACKS}
    return [
        dict(run_event(run, "START")),
        dict(run_event(run, "RUNNING", inputs, [written], facets)),
        dict(run_event(run, "COMPLETE")),
    ]


class Stock(BaseOperator):  # type: ignore[misc]
    """Runs the job."""

    def execute(self, context: Any) -> None:
        sink = open_sink(self.properties[SINK])
        for event in driver_events(self.properties):
            sink.write(event)
        sink.close()


class Submits(TaskLineage, Stock):
    """The same with the collector in the job."""

    def colgraph_prepare(self, context: Any) -> None:
        self.properties = inject({}, context)
        self._collector_added(self.properties)


@contextmanager
def configured(**options: str) -> Iterator[None]:
    """Airflow's options in a block, without what was read of them before and after."""
    cached = [getattr(conf, name) for name in OPTIONS]
    cached += [one for one in vars(openlineage_conf).values() if hasattr(one, "cache_clear")]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COLGRAPH_STORE", raising=False)
        for name, value in options.items():
            patch.setenv(f"AIRFLOW__{name.upper()}", value)
        for option in cached:
            option.cache_clear()
        get_openlineage_listener().adapter._client = None
        yield
    for option in cached:
        option.cache_clear()
    get_openlineage_listener().adapter._client = None


def transport(url: str) -> dict[str, str]:
    """The option that makes the store OpenLineage's transport."""
    of_store = {"type": "airflow_colgraph.transport.StoreTransport", "url": url}
    return {"openlineage__transport": json.dumps(of_store)}


def execute() -> Submits:
    """The task, after it has run."""
    operator = Submits(task_id="totals")
    operator.execute(context())
    return operator


def parent() -> dict[str, Any]:
    """The parent of the task's run as Airflow's provider names it."""
    task = identity(context()["ti"])
    run = parent_run.Run(runId=task.root_run_id)
    job = parent_run.Job(namespace="default", name="cases")
    root = parent_run.Root(
        run=parent_run.RootRun(runId=task.root_run_id),
        job=parent_run.RootJob(namespace="default", name="cases"),
    )
    return {"parent": parent_run.ParentRunFacet(run=run, job=job, root=root)}


def by_store_option(url: str, folder: Path) -> None:
    """`[colgraph] store` alone."""
    with configured(colgraph__sink=str(folder), colgraph__store=url):
        execute()


def by_listener(url: str, folder: Path) -> None:
    """What the extractor adds to the task's event, without the provider's own facets."""
    with configured(colgraph__sink=str(folder), **transport(url)):
        found = execute().get_openlineage_facets_on_complete(None)
        emit(
            RunEvent(
                eventType=RunState.COMPLETE,
                eventTime="2026-11-20T12:10:00Z",
                producer="https://github.com/apache/airflow/tree/providers-openlineage/2.20.3",
                run=Run(identity(context()["ti"]).run_id, {**found.run_facets, **parent()}),
                job=Job("default", "cases.totals"),
                inputs=found.inputs,
                outputs=found.outputs,
            )
        )


def by_forwarding(url: str, folder: Path) -> None:
    """The job's own events by the transport."""
    forwarded = {"colgraph__forward_events": "True"}
    with configured(colgraph__sink=str(folder), **forwarded, **transport(url)):
        execute()


def by_replay(url: str, folder: Path) -> None:
    """The file of the sink by `colgraph ingest`."""
    with configured(colgraph__sink=str(folder)):
        execute()
    (file,) = folder.rglob("*.ndjson")
    result = CliRunner().invoke(main, ["ingest", "--store", url, str(file)])
    assert result.exit_code == 0, result.output


def by_http_sink(url: str, folder: Path) -> None:
    """The driver's events by a server."""
    with configured(colgraph__sink="http://lineage.test/api/v1/lineage"):
        events = driver_events(inject({}, context()))
    store = Store.open(url)
    client = TestClient(create_app(store, everyone))
    assert client.post("/api/v1/lineage", json=events).status_code == 201
    store.close()


def by_query_lineage(url: str, folder: Path) -> None:
    """A statement that a task reports by `emit_query_lineage`, after the START of the task."""
    entry = column_lineage_dataset.InputField("n", "raw", "new")
    lineage = column_lineage_dataset.ColumnLineageDatasetFacet(
        {"t": column_lineage_dataset.Fields([entry])}
    )
    airflow = {
        "dag": {"dag_id": "cases"},
        "dagRun": {"run_id": "first"},
        "task": {"task_id": "totals"},
        "taskInstance": {"try_number": 1},
    }
    task = identity(context()["ti"])
    started = {
        **copy_event("cases.totals", 9, "mart", {}, airflow=airflow),
        "eventType": "START",
        "job": {"namespace": "default", "name": "cases.totals"},
        "outputs": [],
    }
    dag_run = {"runId": task.root_run_id}
    above = {"run": dag_run, "job": {"namespace": "default", "name": "cases"}}
    started["run"] = {"runId": task.run_id, "facets": {"airflow": airflow, "parent": above}}
    store = Store.open(url)
    store.add(started)
    store.close()
    with configured(**transport(url)):
        for event in _create_ol_event_pair(
            context()["ti"],
            "cases.totals.manual_query.1",
            is_successful=True,
            inputs=[Dataset("n", "raw")],
            outputs=[OutputDataset("n", "mart", {"columnLineage": lineage})],
        ):
            emit(event)


Way = Callable[[str, Path], None]
WAYS: dict[str, Way] = {
    "[colgraph] store": by_store_option,
    "listener and transport": by_listener,
    "forwarded events": by_forwarding,
    "file sink and ingest": by_replay,
    "http sink": by_http_sink,
    "emit_query_lineage": by_query_lineage,
}
