"""Digests in a check: where they say something, and where nothing can be said."""

from typing import Any

import pytest

from airflow_colgraph.check import run
from airflow_colgraph.check.settings import Settings
from airflow_colgraph.store.db.tables import lineage_body
from airflow_colgraph.store.model.compare import delta
from airflow_colgraph.store.model.lineage_body import unpack
from airflow_colgraph.store.store import Store

A, B = "1a2b", "3c4d"


def event(columns: dict[str, str], *sources: str, steps: dict[str, str] | None = None) -> Any:
    """A job that writes `t`, whose column `x` comes from the sources."""
    fields = [
        {"namespace": "n", "name": "s", "field": name, "transformations": [{"type": "DIRECT"}]}
        for name in sources
    ]
    facets: dict[str, Any] = {"columnLineage": {"fields": {"x": {"inputFields": fields}}}}
    if steps is not None:
        facets["colgraph_digests"] = {
            "columns": [{"name": name, "digest": own} for name, own in columns.items()],
            "steps": [{"name": name, "digest": own} for name, own in steps.items()],
        }
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-01-01T00:00:00Z",
        "producer": "p",
        "schemaURL": "u",
        "run": {"runId": "01890000-0000-7000-8000-000000000001"},
        "job": {"namespace": "n", "name": "j"},
        "inputs": [{"namespace": "n", "name": "s"}],
        "outputs": [{"namespace": "n", "name": "t", "facets": facets}],
    }


def kinds(before: Any, after: Any) -> list[tuple[str, str, str]]:
    """Kind, column and severity of the changes."""
    base: Store = run.in_memory([before])
    changes = run.run(base, [after], Settings()).changes
    return [(change.kind, change.column, change.severity) for change in changes]


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        (event({"x": A}, "a", steps={}), event({"x": A}, "a", steps={}), []),
        (
            event({"x": A}, "a", steps={"FILTER": A}),
            event({"x": B}, "a", steps={"FILTER": A}),
            [("expression-changed", "x", "warning")],
        ),
        (  # a column that is taken as it is has none
            event({}, "a", steps={"FILTER": A}),
            event({"x": B}, "a", steps={"FILTER": A}),
            [("expression-changed", "x", "warning")],
        ),
        (
            event({"x": A}, "a", steps={"LEFT JOIN": A}),
            event({"x": A}, "a", steps={"INNER JOIN": A}),
            [("join-changed", "", "warning")],
        ),
        (
            event({"x": A}, "a", steps={"FILTER": A}),
            event({"x": A}, "a", steps={"FILTER": B, "DISTINCT": A, "LIMIT 5": A}),
            [("expression-changed", "", "warning"), ("rows-changed", "", "warning")],
        ),
        (  # it says more that the sources are others
            event({"x": A}, "a", steps={"FILTER": A}),
            event({"x": B}, "b", steps={"FILTER": A}),
            [("sources-changed", "x", "warning")],
        ),
        (  # nothing but copies of all rows is known, too
            event({}, "a", steps={}),
            event({"x": A}, "a", steps={"LIMIT 5": A}),
            [("rows-changed", "", "warning"), ("expression-changed", "x", "warning")],
        ),
        (event({}, "a", steps={}), event({}, "a", steps={}), []),
        (event({}, "a", steps={}), event({}, "a"), [("expressions-unknown", "", "note")]),
        (event({}, "a"), event({}, "a"), []),
        (
            event({}, "a"),
            event({"x": A}, "a", steps={}),
            [("expressions-unknown", "", "note")],
        ),
        (
            event({"x": A}, "a", steps={}),
            event({}, "a"),
            [("expressions-unknown", "", "note")],
        ),
    ],
)
def test_what_two_sides_say(before: Any, after: Any, reported: list[Any]) -> None:
    assert kinds(before, after) == reported


def test_a_source_that_the_same_change_renamed_is_no_other_expression() -> None:
    """The digests are of texts with the old and with the new name."""
    first = event({}, "a", steps={"DISTINCT": A})
    made = event({"x": A}, "x", steps={"FILTER": A})
    made["inputs"][0]["name"], made["outputs"][0]["name"], made["job"]["name"] = "t", "u", "k"
    made["outputs"][0]["facets"]["columnLineage"]["fields"]["x"]["inputFields"][0]["name"] = "t"
    later = [event({}, "a", steps={"DISTINCT": A}), event({"x": B}, "y", steps={"FILTER": A})]
    later[0]["outputs"][0]["facets"]["columnLineage"]["fields"] = {
        "y": first["outputs"][0]["facets"]["columnLineage"]["fields"]["x"]
    }
    later[1]["inputs"], later[1]["job"] = made["inputs"], made["job"]
    later[1]["outputs"][0]["name"] = "u"
    fields = later[1]["outputs"][0]["facets"]["columnLineage"]["fields"]
    fields["x"]["inputFields"][0]["name"] = "t"
    base = run.in_memory([first, made])
    changes = run.run(base, later, Settings()).changes
    assert {change.kind for change in changes} == {"changed-together"}


def test_a_later_version_of_a_dataset_is_compared_too() -> None:
    """`diff` and `why` compare as a check does."""
    bodies: list[Any] = []
    for own in (A, B):
        store = run.in_memory([event({"x": own}, "a", steps={"FILTER": own})])
        with store.connection() as connection:
            packed = [row.body for row in connection.execute(lineage_body.select())]
        bodies.append([body for body in map(unpack, packed) if "output" in body])
    changes = delta(*bodies).changes
    assert [(change.kind, change.column) for change in changes] == [
        ("expression-changed", ""),
        ("expression-changed", "x"),
    ]
