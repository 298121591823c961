"""Our facets have JSON schemas, events follow them, and their URLs are those that checkers accept.

No earlier test could see that OpenLineage's own validator refused each of our events: the URLs were
only compared with themselves.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from airflow_colgraph.collector.driver.application_run import parent_facet
from airflow_colgraph.collector.events.build import job_event, run_event
from airflow_colgraph.collector.events.facets import task_facet
from airflow_colgraph.collector.settings import read
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.openlineage_events import FACETS
from airflow_colgraph.exports.openlineage_events import events as exported_events
from airflow_colgraph.extractors.task_event import of_task, task_event
from airflow_colgraph.extractors.task_lineage import merge
from airflow_colgraph.openlineage.facets import CUSTOM, facet, schema_url
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.version_compat import TaskIdentity
from tests.collector.pipelines import RUN
from tests.collector.recorded_events import events_of_all_cases
from tests.openlineage.event_validator import errors, schema, validator

Json = dict[str, Any]


@pytest.mark.parametrize("name", CUSTOM)
def test_each_facet_of_ours_has_a_valid_schema_with_descriptions(name: str) -> None:
    document = schema(name)
    Draft202012Validator.check_schema(document)
    url, _, pointer = schema_url(name).partition("#/")
    assert document["$id"] == url
    definition = document["$defs"][pointer.removeprefix("$defs/")]
    assert definition["description"]
    undescribed = {
        key
        for key, value in definition["allOf"][1]["properties"].items()
        if not value.get("description")
    }
    assert undescribed == set()


def test_a_facet_without_a_required_key_is_invalid() -> None:
    incomplete = facet("colgraph_task", dag_id="d", run_id="r")
    assert [
        error.message
        for error in validator("colgraph_task").iter_errors({"colgraph_task": incomplete})
    ] == ["'task_id' is a required property"]
    assert list(validator("colgraph_task").iter_errors({"colgraph_task": {"task_id": "t"}}))


def test_an_event_with_an_unknown_url_is_seen() -> None:
    event = json.loads(json.dumps(run_event(RUN, "START")))
    event["run"]["facets"]["colgraph_plan"] = {"_producer": "p", "_schemaURL": "urn:x"}
    assert list(errors(event)) == ["run colgraph_plan: urn:x"]


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ({"rowCount": "3"}, "outputs outputStatistics.rowCount: '3' is no <class 'int'>"),
        ({"_schemaURL": "urn:x"}, "outputs outputStatistics: urn:x is none of the client's"),
    ],
)
def test_a_facet_that_the_specification_does_not_allow_is_seen(
    change: dict[str, str], seen: str
) -> None:
    """Nothing looked at the facets of a run's inputs and outputs, and at others by URL only."""
    event = json.loads(json.dumps(run_event(RUN, "COMPLETE")))
    item = {"namespace": "n", "name": "t", "facets": {}}
    counts = {**facet("outputStatistics"), "rowCount": 3, **change}
    event["outputs"] = [{**item, "outputFacets": {"outputStatistics": counts}}]
    assert list(errors(event)) == [seen]
    del event["eventTime"]
    assert list(errors(event)) == ["event: eventTime is missing", seen]


@pytest.mark.slow
def test_the_events_of_all_recorded_cases_are_valid() -> None:
    events = list(events_of_all_cases())
    assert len(events) > 300
    events += [job_event(event) for event in events]
    assert {text for event in events for text in errors(event)} == set()
    seen = {
        name
        for event in events
        for entity in (event.get("run", {}), event["job"], *event["inputs"], *event["outputs"])
        for name in entity.get("facets", ())
    }
    assert seen >= {"colgraph_diagnostics", "colgraph_operations", "colgraph_properties", "lineage"}


def test_the_event_of_a_task_is_valid() -> None:
    task = TaskIdentity("ns", "d.t", "r", "ns", "d", "q", "d", "manual", "t", 3, 1)
    spark = run_event(RUN, "RUNNING", run_facets={"colgraph_task": task_facet("d", "m", "t", 3, 1)})
    lineage = of_task(merge([json.loads(json.dumps(spark))]), task)
    event = task_event(task, lineage, event_type="COMPLETE", event_time="2026-11-26T00:00:00Z")
    assert list(errors(event)) == []
    assert event["run"]["facets"].keys() == {"colgraph_spark", "colgraph_task", "parent"}


def test_a_parent_follows_the_specification() -> None:
    properties = {
        f"spark.colgraph.{name}": f"x{name}"
        for name in ("parentJobNamespace", "parentJobName", "parentRunId")
    }
    parent = parent_facet(read(properties))
    assert parent is not None
    assert parent["_schemaURL"] == schema_url("parent")


@pytest.mark.parametrize("facets", FACETS)
def test_exported_events_are_valid(facets: str) -> None:
    day = Input(Dataset("file", "raw"), "day", "DIRECT", "IDENTITY")
    output = JobOutput(
        Dataset("file", "mart"),
        Job("airflow", "d.t", "d", "t"),
        {"day": (day,)},
        inputs=(Dataset("file", "raw"),),
        run="0199aaaa-0000-7000-8000-000000000001",
    )
    exported = list(exported_events(Lineage((output,)), facets))
    assert len(exported) == 1
    assert [text for event in exported for text in errors(event)] == []


def test_the_page_on_events_has_each_facet() -> None:
    page = (Path(__file__).parents[2] / "docs" / "events.md").read_text("utf-8")
    part = page.split("## Facets of this package")[1]
    assert sorted(re.findall(r"^\| `(\w+)` \|", part, flags=re.MULTILINE)) == sorted(CUSTOM)
