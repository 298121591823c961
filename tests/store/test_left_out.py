"""A malformed facet does not lose the event, and is not left out in silence."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient
from hypothesis import given

from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli import main
from airflow_colgraph.store.errors import EventError
from airflow_colgraph.store.ingest import malformed
from airflow_colgraph.store.ingest.openlineage import facts
from airflow_colgraph.store.query.graph import upstream
from tests.store.malformed import EVENTS, paths, replaced
from tests.store.samples import copy_event, memory_store
from tests.store.test_malformed import EXAMPLES

FACETS = ("outputs", 0, "facets")
KEPT = ("colgraph_operations", "colgraph_properties")
INPUTS = (*FACETS, "columnLineage", "fields", "x", "inputFields")
A, B, UNNAMED = ({"namespace": "n", "name": "raw", "field": name} for name in ("a", "b", "c"))

# What stands where, and what is reported of it.
CASES: dict[str, tuple[tuple[str | int, ...], Any, str]] = {
    "facet": ((*FACETS, "columnLineage"), [], "'columnLineage' is list. Expected a JSON object."),
    "fields": (
        (*FACETS, "columnLineage", "fields"),
        [{"name": "x"}],
        "'columnLineage.fields' is list. Expected a JSON object.",
    ),
    "inputs": (
        INPUTS,
        {"name": "raw"},
        "'columnLineage.fields.x.inputFields' is dict. Expected a JSON array.",
    ),
    "input": (
        (*INPUTS, 0),
        "raw.a",
        "'columnLineage.fields.x.inputFields[0]' is str. Expected a JSON object.",
    ),
    "name": (
        (*INPUTS, 0),
        {"namespace": "n", "field": "a"},
        "'columnLineage.fields.x.inputFields[0]' has no 'name'.",
    ),
    "unnamed column": (
        (*FACETS, "columnLineage", "fields"),
        {"": {"inputFields": [UNNAMED]}, "x": {"inputFields": [A]}, "y": {"inputFields": [B]}},
        "'columnLineage.fields' has a column without a name.",
    ),
    "unnamed column of a lineage facet": (
        (*FACETS, "lineage"),
        {"fields": {"": {"inputs": [UNNAMED]}, "x": {"inputs": [A]}, "y": {"inputs": [B]}}},
        "'lineage.fields' has a column without a name.",
    ),
    "schema": (
        (*FACETS, "schema"),
        {"fields": {"a": "int"}},
        "'schema.fields' is dict. Expected a JSON array.",
    ),
    "column": (
        (*FACETS, "schema"),
        {"fields": [{"name": "s", "fields": [{"type": "int"}]}]},
        "'schema.fields[0].fields[0]' has no 'name'.",
    ),
    "symlinks": (
        (*FACETS, "symlinks"),
        {"identifiers": ["other"]},
        "'symlinks.identifiers[0]' is str. Expected a JSON object.",
    ),
}


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]


def event() -> dict[str, Any]:
    return copy_event("j", 1, "mart", {"x": "raw.a", "y": "raw.b"})


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def broken(request: pytest.FixtureRequest) -> tuple[dict[str, Any], str]:
    """An event with one malformed part, and what is reported of it."""
    path, part, why = request.param
    changed = event()
    changed["outputs"][0]["facets"].setdefault(path[3], {})
    return replaced(changed, path, part), f"Dataset 'mart': {why}"


def test_rest_stores_the_rest_and_answers_what_is_left_out(
    broken: tuple[dict[str, Any], str], caplog: pytest.LogCaptureFixture
) -> None:
    given, why = broken
    store = memory_store()
    client = TestClient(create_app(store))
    for number in (1, 2):  # the second is made from a cache
        answer = client.post("/api/v1/lineage", json=[event(), given])
        assert answer.status_code == 201
        assert answer.json() == {"warnings": [f"Event 2: {why}"], "malformed": 1}
        assert [why in line for line in warnings_in(caplog)] == [True] * number
    edges = upstream(store, "n", "mart").edges
    assert {edge.output.name for edge in edges} == {"mart"}
    assert "c" not in {edge.input.field for edge in edges}  # of a column without a name


def test_an_event_without_fault_has_an_empty_answer() -> None:
    answer = TestClient(create_app(memory_store())).post("/api/v1/lineage", json=event())
    assert (answer.status_code, answer.content) == (201, b"")


def test_ingest_names_the_line(broken: tuple[dict[str, Any], str], tmp_path: Path) -> None:
    given, why = broken
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(map(json.dumps, [event(), given])) + "\n")
    ran = CliRunner().invoke(main, ["--store", f"sqlite:///{tmp_path}/s.db", "ingest", str(file)])
    assert ran.exit_code == 0
    assert f"{file}, line 2: a part is left out. {why}" in ran.stderr
    assert ran.stdout == "2 events added, 1 of them in part\n"


def test_adding_logs_it(
    broken: tuple[dict[str, Any], str], caplog: pytest.LogCaptureFixture
) -> None:
    given, why = broken
    store = memory_store()
    with caplog.at_level(logging.WARNING):
        assert store.add([event(), given]) == 2
    assert warnings_in(caplog) == [f"A part of an event is left out. {why}"]


def test_a_line_names_a_few_and_counts_the_others() -> None:
    parts = [f"'{n}' has no 'name'." for n in range(10)]
    assert (
        malformed.line(parts)
        == "'0' has no 'name'. '1' has no 'name'. '2' has no 'name'. And 7 more."
    )
    assert malformed.line([]) == ""


def of_one_dataset(given: Any) -> Any:
    """The event with one output, of which nothing is stated twice."""
    given["inputs"], given["outputs"] = [], given.get("outputs", [])[:1]
    for dataset in [*given["outputs"], given.get("dataset", {})]:
        dataset.pop("inputFacets", None)
        dataset.pop("outputFacets", None)
    return given


@EXAMPLES
@given(EVENTS.map(of_one_dataset))
def test_no_container_is_left_out_in_silence(given: Any) -> None:
    """Wherever an object or array of a facet is replaced by a text, that is refused or named."""
    assert facts(given).malformed == []
    shaped = {*malformed.DATASET, *malformed.JOB, *malformed.RUN}
    for path in paths(given):
        facet = next((number for number, key in enumerate(path) if key in shaped), None)
        value = given
        for key in path:
            value = value[key]
        if facet is None or not isinstance(value, dict | list) or not value:
            continue
        if not str(path[facet - 1]).lower().endswith("facets") or "facets" in path[facet:]:
            continue  # the facets of a parent's job are not read
        if path[facet] in KEPT and path[facet + 1 :] not in ((), ("operations",)):
            continue  # what is in an operation or a property is kept as it is
        broken = replaced(given, path, "text")
        try:
            found = facts(broken)
        except EventError:
            continue
        assert found.malformed, path
