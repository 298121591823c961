"""One run of `dags/cases.py` by a real Airflow: what each way to end leaves in the events."""

from typing import Any

import pytest

from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from dev.waiting import read_events
from tests.airflow.conftest import Ran
from tests.airflow.ran import LINEAGE, outputs, store_url
from tests.openlineage.event_validator import valid

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]


def test_every_task_ends_as_it_would_without_us(ran: Ran) -> None:
    assert ran.states["cases"] == {
        "": "failed",
        "totals": "success",
        "half": "failed",
        "no_application": "failed",
        "no_spark_submit": "failed",
        "retried": "success",
        "mapped[0]": "success",
        "mapped[1]": "success",
        "mapped[2]": "success",
    }


def test_the_complete_event_has_the_exact_lineage(ran: Ran) -> None:
    (event,) = ran.of("totals", "COMPLETE")
    assert ran.text(event) == LINEAGE.replace("NAMESPACE", "file")


def fields(dataset: dict[str, Any]) -> dict[str, str]:
    return {field["name"]: field["type"] for field in dataset["facets"]["schema"]["fields"]}


def test_it_has_inputs_and_outputs_with_their_schemas(ran: Ran) -> None:
    (event,) = ran.of("totals", "COMPLETE")
    assert {d["name"]: fields(d) for d in event["inputs"]} == {
        f"{ran.home}/orders.json": {"id": "integer", "customer": "string", "amount": "double"}
    }
    assert {d["name"]: fields(d) for d in event["outputs"]} == {
        f"{ran.home}/staging": {"id": "integer", "customer": "string", "amount": "double"},
        f"{ran.home}/mart": {"customer": "string", "total": "double", "n": "long"},
    }


def test_it_links_the_spark_application_and_keeps_airflows_parent(ran: Ran) -> None:
    (event,) = ran.of("totals", "COMPLETE")
    facets = event["run"]["facets"]
    (application,) = facets["colgraph_spark"]["applications"]
    assert application["name"] == "cases.totals.spark"
    assert application["namespace"] == "tests"
    assert application["state"] == "COMPLETE"
    assert application["applicationId"] == facets["spark_applicationDetails"]["applicationId"]
    assert facets["parent"]["job"]["name"] == "cases"
    assert facets["parent"]["run"]["runId"] == ran.of("", "START")[0]["run"]["runId"]
    assert facets["processing_engine"]["name"] == "Airflow"
    assert facets["colgraph_diagnostics"]["unresolved"] == []


def test_the_spark_applications_parent_is_the_task(ran: Ran) -> None:
    (file,) = (ran.home / "airflow" / "colgraph" / "cases").glob("*/totals/task-*.ndjson")
    events = valid(read_events(file))
    kinds = [event["eventType"] for event in events]
    assert kinds == ["START", "RUNNING", "RUNNING", "COMPLETE"]
    (task,) = ran.of("totals", "COMPLETE")
    dag = ran.of("", "START")[0]
    for event in events:
        parent = event["run"]["facets"]["parent"]
        assert parent["run"]["runId"] == task["run"]["runId"]
        assert parent["job"]["name"] == "cases.totals"
        assert parent["root"]["run"]["runId"] == dag["run"]["runId"]


def test_start_has_no_lineage(ran: Ran) -> None:
    (event,) = ran.of("totals", "START")
    assert (event["inputs"], event["outputs"]) == ([], [])


def test_a_job_that_fails_half_way_keeps_what_it_wrote(ran: Ran) -> None:
    (event,) = ran.of("half", "FAIL")
    assert ran.text(event) == "kept  (file kept)\n  id <- orders.json.id  DIRECT:IDENTITY"
    assert [d["name"] for d in event["inputs"]] == [f"{ran.home}/orders.json"]
    (application,) = event["run"]["facets"]["colgraph_spark"]["applications"]
    assert application["state"] == "FAIL"
    assert "Error code is: 1." in event["run"]["facets"]["errorMessage"]["message"]
    assert "ValueError: the second half is missing" in ran.logs["half"]


def test_a_missing_application_is_spark_submits_own_error(ran: Ran) -> None:
    (event,) = ran.of("no_application", "FAIL")
    assert (event["inputs"], event["outputs"]) == ([], [])
    message = event["run"]["facets"]["errorMessage"]["message"]
    assert "Cannot execute: spark-submit" in message
    assert "none.py" in message


def test_without_spark_submit_the_error_is_the_stock_one(ran: Ran) -> None:
    (event,) = ran.of("no_spark_submit", "FAIL")
    message = event["run"]["facets"]["errorMessage"]["message"]
    assert message == "[Errno 2] No such file or directory: 'spark3-submit'"


def test_each_try_has_its_own_run_and_lineage(ran: Ran) -> None:
    events = ran.of("retried")
    assert [(event["eventType"], outputs(event)) for event in events] == [
        ("START", []),
        ("FAIL", ["mart-first-try"]),
        ("START", []),
        ("COMPLETE", ["mart"]),
    ]
    first, failed, second, complete = (event["run"]["runId"] for event in events)
    assert (first, second) == (failed, complete)
    assert first != second


def test_mapped_instances_do_not_mix(ran: Ran) -> None:
    events = ran.of("mapped", "COMPLETE")
    indexes = {
        event["run"]["facets"]["airflow"]["taskInstance"]["map_index"]: outputs(event)
        for event in events
    }
    assert indexes == {0: ["part-0"], 1: ["part-1"], 2: ["part-2"]}


def test_the_schedulers_events_of_the_dag_arrive(ran: Ran) -> None:
    start, fail = ran.of("")
    assert (start["eventType"], fail["eventType"]) == ("START", "FAIL")
    assert start["run"]["runId"] == fail["run"]["runId"]


def test_the_store_answers_across_the_jobs_queries(ran: Ran) -> None:
    with Store.open(store_url(ran.home)) as store:
        found = graph.upstream(store, "file", f"{ran.home}/mart", "total")
    edges = [
        (edge.input.name.rpartition("/")[2], edge.input.field, edge.transformation.subtype)
        for edge in found.edges
    ]
    assert edges == [("staging", "amount", "AGGREGATION"), ("orders.json", "amount", "IDENTITY")]
    assert {(one.job.dag_id, one.job.task_id) for e in found.edges for one in e.reported_by} == {
        ("cases", "totals")
    }


def test_airflow_shows_the_plugin_and_the_provider(ran: Ran) -> None:
    assert "colgraph" in ran.plugins
    assert "airflow-colgraph" in ran.providers
