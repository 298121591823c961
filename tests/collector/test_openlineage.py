"""Emitted events have exactly the keys and types that `collector/openlineage.py` declares."""

from collections.abc import Iterator
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from airflow_colgraph.collector.driver.application_run import parent_facet
from airflow_colgraph.collector.events.build import job_event, run_event
from airflow_colgraph.collector.events.facets import (
    dataset,
    input_facets_of,
    output_facets_of,
    sql_facet,
)
from airflow_colgraph.collector.model import CatalogName, Commit, NamedDataset, Statistics
from airflow_colgraph.collector.model import Dataset as DatasetId
from airflow_colgraph.collector.openlineage import (
    Dataset,
    DatasetFacets,
    JobEvent,
    JobFacets,
    ParentFacet,
    RunEvent,
    SqlFacet,
)
from airflow_colgraph.collector.settings import read
from tests.collector.cases.loader import recorded_cases
from tests.collector.pipelines import RUN, emitted_events
from tests.collector.recorded import PLANS, load

ALL_FACETS = read({f"spark.colgraph.{name}": "true" for name in ("lineageFacet", "descriptions")})


def mismatches(value: Any, declared: Any, path: str = "") -> Iterator[str]:
    """Where a value differs from its declared type."""
    origin, arguments = get_origin(declared), get_args(declared)
    if is_typeddict(declared):
        if not isinstance(value, dict):
            yield f"{path}: {type(value).__name__}"
            return
        hints = get_type_hints(declared)
        yield from (f"{path}.{key}: missing" for key in declared.__required_keys__ - value.keys())
        yield from (f"{path}.{key}: not declared" for key in value.keys() - hints.keys())
        for key in value.keys() & hints.keys():
            yield from mismatches(value[key], hints[key], f"{path}.{key}")
    elif origin is list:
        for item in value:
            yield from mismatches(item, arguments[0], f"{path}[]")
    elif origin is dict:
        for item in value.values():
            yield from mismatches(item, arguments[1], f"{path}.*")
    elif origin is UnionType:
        found = [list(mismatches(value, each, path)) for each in arguments]
        yield from min(found, key=len)
    elif origin is Literal:
        if value not in arguments:
            yield f"{path}: {value!r}"
    elif type(value) is not declared:
        yield f"{path}: {type(value).__name__}, not {declared.__name__}"


@pytest.mark.slow
def test_the_events_of_all_recorded_cases() -> None:
    recorded = load(PLANS / "4.3.jsonl")
    events = [
        event
        for case in recorded_cases()
        for event in emitted_events(recorded.get(case.name, ()), ALL_FACETS)
    ]
    assert len(events) > 300
    # a renamed dataset's facet has one key more
    found = {text for event in events for text in mismatches(event, RunEvent)}
    assert found <= {".outputs[].facets.lifecycleStateChange.previousIdentifier: not declared"}
    facets = {
        name
        for event in events
        for dataset in event["inputs"] + event["outputs"]
        for name in dataset["facets"]
    }
    assert facets == get_type_hints(DatasetFacets).keys() - {"catalog", "version"}
    planned = [job_event(event) for event in events]
    assert {text for event in planned for text in mismatches(event, JobEvent)} <= found
    assert {name for event in planned for name in event["job"]["facets"]} == get_type_hints(
        JobFacets
    ).keys() - {"sql"}  # a recorded plan has no text


@pytest.mark.parametrize("uri", ["", "hive://m:9083"])
def test_a_table_of_a_catalog(uri: str) -> None:
    """The recorded cases are of Spark's own catalog, which lasts no longer than its session."""
    catalog = CatalogName("hive", "hive", "default", uri, uri)
    named = NamedDataset(DatasetId("file", "/t"), (), catalog, "7")
    table = dataset(named, {})
    table["inputFacets"] = input_facets_of(Statistics(1, metrics={"resultDataFiles": 1}), named)
    commit = Commit(7, 1, "append")
    table["outputFacets"] = output_facets_of(Statistics(1, 2, 3, {"addedRecords": 1}, commit))
    assert list(mismatches(table, Dataset)) == []
    assert ("metadataUri" in table["facets"]["catalog"]) == bool(uri)
    assert table["facets"]["version"]["datasetVersion"] == "7"


def test_a_sql_statement() -> None:
    assert list(mismatches(sql_facet("SELECT 1"), SqlFacet)) == []


def test_a_parent_run() -> None:
    names = ("RunId", "JobNamespace", "JobName")
    settings = read({f"spark.openlineage.parent{name}": f"a {name}" for name in names})
    assert list(mismatches(parent_facet(settings), ParentFacet)) == []


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ({"producer": None}, ".producer: NoneType, not str"),
        ({"inputs": [{"namespace": "n", "name": "t"}]}, ".inputs[].facets: missing"),
        (
            {"job": {"namespace": "n", "name": "t", "facets": {"x": {}}}},
            ".job.facets.x: not declared",
        ),
    ],
)
def test_the_check_sees_a_mismatch(change: dict[str, Any], seen: str) -> None:
    assert list(mismatches({**run_event(RUN, "START"), **change}, RunEvent)) == [seen]
