"""The mapping to openlineage-python's classes, through Airflow's own manager and redaction."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.providers.openlineage.extractors.manager import ExtractorManager
from airflow.providers.openlineage.plugins.adapter import OpenLineageAdapter
from airflow.sdk import BaseOperator
from airflow.sdk.log import mask_secret
from airflow.utils.state import TaskInstanceState
from openlineage.client.event_v2 import Job, Run, RunEvent
from openlineage.client.serde import Serde

from airflow_colgraph import conf
from airflow_colgraph.extractors.spark import SparkExtractor, operator_lineage
from airflow_colgraph.extractors.task_lineage import Lineage

PRODUCER = "urn:airflow-colgraph:0.1.0"
FACETS = "https://openlineage.io/spec/facets"


def facet(url: str, **body: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": url, **body}


def entry(field: str, subtype: str, masking: bool = False) -> dict[str, Any]:
    step = {"type": "DIRECT", "subtype": subtype, "description": "", "masking": masking}
    return {"namespace": "file", "name": "/raw", "field": field, "transformations": [step]}


SCHEMA = facet(
    f"{FACETS}/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",
    fields=[
        {"name": "password", "type": "string"},
        {"name": "at", "type": "struct", "fields": [{"name": "lat", "type": "double"}]},
    ],
)
COLUMN_LINEAGE = facet(
    f"{FACETS}/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet",
    fields={
        "password": {"inputFields": [entry("secret_token", "TRANSFORMATION", masking=True)]},
        "constant": {"inputFields": []},
    },
    dataset=[entry("api_key", "FILTER")],
)
OTHERS = {
    "symlinks": facet(
        f"{FACETS}/1-0-1/SymlinksDatasetFacet.json#/$defs/SymlinksDatasetFacet",
        identifiers=[{"namespace": "hive", "name": "db.t", "type": "TABLE"}],
    ),
    "lifecycleStateChange": facet(
        f"{FACETS}/1-0-1/LifecycleStateChangeDatasetFacet.json"
        "#/$defs/LifecycleStateChangeDatasetFacet",
        lifecycleStateChange="OVERWRITE",
    ),
    "storage": facet(
        f"{FACETS}/1-0-1/StorageDatasetFacet.json#/$defs/StorageDatasetFacet",
        storageLayer="parquet",
        fileFormat="parquet",
    ),
    "colgraph_properties": facet(
        "urn:airflow-colgraph:facet:colgraph_properties:1-0-0",
        format="csv",
        options=[{"name": "header", "value": "true"}],
    ),
}
DIAGNOSTICS = facet(
    "urn:airflow-colgraph:facet:colgraph_diagnostics:1-0-0",
    unresolved=[],
    opaque=[],
    truncated="",
    seconds=0.1,
)
LINEAGE = Lineage(
    inputs=[{"namespace": "file", "name": "/raw", "facets": {"schema": SCHEMA}}],
    outputs=[
        {
            "namespace": "file",
            "name": "/mart",
            "facets": {"schema": SCHEMA, "columnLineage": COLUMN_LINEAGE, **OTHERS},
        }
    ],
    run_facets={"colgraph_diagnostics": DIAGNOSTICS},
)


class ColgraphSparkSubmitOperator(BaseOperator):
    """Only the name counts for a registered extractor."""

    colgraph_lineage: Lineage | None = None
    colgraph_sink: str | None = "/lineage/task.ndjson"


def operator(lineage: Lineage | None = LINEAGE) -> Any:
    made = ColgraphSparkSubmitOperator(task_id="load")
    made.colgraph_lineage = lineage
    return made


def emitted(lineage: Any) -> dict[str, Any]:
    """The lineage as it leaves Airflow: redacted, then JSON."""
    event = RunEvent(
        eventTime="2026-11-20T10:00:00Z",
        producer="urn:test",
        run=Run(runId="01a1f640-bc00-7049-b787-664795701c33", facets=lineage.run_facets),
        job=Job(namespace="n", name="j", facets=lineage.job_facets),
        inputs=lineage.inputs,
        outputs=lineage.outputs,
    )
    seen = []
    adapter = OpenLineageAdapter(
        client=SimpleNamespace(
            transport=SimpleNamespace(kind="test"),
            emit=lambda event: seen.append(Serde.to_json(event)),
        )
    )
    adapter.emit(event)
    document: dict[str, Any] = json.loads(seen[0])
    return document


def test_every_facet_arrives_as_the_collector_wrote_it() -> None:
    event = emitted(operator_lineage(operator()))
    (read,), (wrote,) = event["inputs"], event["outputs"]
    assert (read["namespace"], read["name"]) == ("file", "/raw")
    assert read["facets"] == {"schema": SCHEMA}
    assert (wrote["namespace"], wrote["name"]) == ("file", "/mart")
    assert wrote["facets"] == {"schema": SCHEMA, "columnLineage": COLUMN_LINEAGE, **OTHERS}
    assert event["run"]["facets"] == {"colgraph_diagnostics": DIAGNOSTICS}


def test_a_renamed_table_and_what_was_read_of_an_input_arrive() -> None:
    """The one facet of each kind that the lineage above has did not have these keys."""
    renamed = facet(
        f"{FACETS}/1-0-1/LifecycleStateChangeDatasetFacet.json"
        "#/$defs/LifecycleStateChangeDatasetFacet",
        lifecycleStateChange="RENAME",
        previousIdentifier={"namespace": "file", "name": "/old"},
    )
    statistics = facet(
        f"{FACETS}/1-0-0/InputStatisticsInputDatasetFacet.json"
        "#/$defs/InputStatisticsInputDatasetFacet",
        rowCount=2,
        size=800,
        fileCount=1,
    )
    named = {"namespace": "file", "name": "/mart"}
    lineage = LINEAGE._replace(
        inputs=[{**named, "facets": {}, "inputFacets": {"inputStatistics": statistics}}],
        outputs=[{**named, "facets": {"lifecycleStateChange": renamed}}],
    )
    event = emitted(operator_lineage(operator(lineage)))
    assert event["inputs"][0]["inputFacets"] == {"inputStatistics": statistics}
    assert event["outputs"][0]["facets"] == {"lifecycleStateChange": renamed}


def test_a_registered_secret_hides_no_column_name_and_no_task() -> None:
    mask_secret("password")
    mask_secret("secret_token")
    task = facet("colgraph_task", dag_id="password", run_id="r", task_id="secret_token")
    lineage = LINEAGE._replace(run_facets={"colgraph_task": task})
    event = emitted(operator_lineage(operator(lineage)))
    assert event["run"]["facets"] == {"colgraph_task": task}
    (wrote,) = event["outputs"]
    assert wrote["facets"]["schema"] == SCHEMA
    assert wrote["facets"]["columnLineage"] == COLUMN_LINEAGE


def test_before_and_without_a_run_there_is_nothing() -> None:
    lineage = operator_lineage(operator(None))
    assert (lineage.inputs, lineage.outputs, lineage.run_facets) == ([], [], {})


def test_the_task_that_ran_counts_not_a_copy_of_it() -> None:
    ran = SimpleNamespace(task=operator())
    assert [d.name for d in operator_lineage(operator(None), ran).outputs] == ["/mart"]


def test_above_the_limit_the_event_says_what_was_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conf, "max_input_fields", lambda: 1)
    event = emitted(operator_lineage(operator()))
    wrote = event["outputs"][0]["facets"]["columnLineage"]
    assert wrote == {**COLUMN_LINEAGE, "dataset": []}
    diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
    why = "max_input_fields is 1, the whole lineage is at /lineage/task.ndjson"
    cut = [{"namespace": "file", "name": "/mart", "fieldsLeftOut": 0, "datasetLeftOut": 1}]
    assert diagnostics == {
        **DIAGNOSTICS,
        "truncated": why,
        "cut": cut,
        "whole": "/lineage/task.ndjson",
    }


@pytest.mark.parametrize(
    ("state", "outputs"),
    [
        (TaskInstanceState.RUNNING, []),
        (TaskInstanceState.SUCCESS, ["/mart"]),
        (TaskInstanceState.FAILED, ["/mart"]),
    ],
)
def test_the_extractor_can_be_registered(state: TaskInstanceState, outputs: list[str]) -> None:
    manager = ExtractorManager()
    for name in SparkExtractor.get_operator_classnames():
        manager.add_extractor(name, SparkExtractor)
    task = operator()
    found = manager.extract_metadata(
        SimpleNamespace(run_id="r"), task, state, SimpleNamespace(task=task)
    )
    assert [dataset.name for dataset in found.outputs] == outputs


@pytest.mark.slow
def test_a_thousand_columns_of_a_hundred_inputs_are_cut_to_what_ten_seconds_allow() -> None:
    inputs = [entry(f"c{i}", "IDENTITY") for i in range(100)]
    fields = {f"o{i}": {"inputFields": inputs} for i in range(1000)}
    wide = {
        "namespace": "file",
        "name": "w",
        "facets": {"columnLineage": {**COLUMN_LINEAGE, "fields": fields, "dataset": []}},
    }
    event = emitted(operator_lineage(operator(Lineage([], [wide], {}))))
    kept = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert sum(len(field["inputFields"]) for field in kept.values()) == 20_000
    assert event["run"]["facets"]["colgraph_diagnostics"]["cut"][0]["fieldsLeftOut"] == 800


def test_the_job_facet_has_the_same_edges_and_is_not_redacted() -> None:
    event = emitted(operator_lineage(operator(LINEAGE._replace(with_job_facet=True))))
    facet = event["job"]["facets"]["lineage"]
    assert facet["_schemaURL"].endswith("LineageFacet.json#/$defs/LineageJobFacet")
    step = {"type": "DIRECT", "description": "", "masking": False}
    assert facet["entries"] == [
        {
            "type": "DATASET",
            "namespace": "file",
            "name": "/mart",
            "inputs": [
                {
                    "type": "DATASET",
                    "namespace": "file",
                    "name": "/raw",
                    "field": "api_key",
                    "transformations": [{**step, "subtype": "FILTER"}],
                }
            ],
            "fields": {
                "password": {
                    "inputs": [
                        {
                            "type": "DATASET",
                            "namespace": "file",
                            "name": "/raw",
                            "field": "secret_token",
                            "transformations": [
                                {**step, "subtype": "TRANSFORMATION", "masking": True}
                            ],
                        }
                    ]
                },
                "constant": {"inputs": [{"type": "JOB", "transformations": []}]},
            },
        }
    ]
    assert event["outputs"][0]["facets"]["columnLineage"] == COLUMN_LINEAGE


def test_with_the_job_facet_the_limits_hold_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conf, "max_input_fields", lambda: 3)
    event = emitted(operator_lineage(operator(LINEAGE._replace(with_job_facet=True))))
    (entry,) = event["job"]["facets"]["lineage"]["entries"]
    assert (sorted(entry["fields"]), entry["inputs"]) == (["constant", "password"], [])
