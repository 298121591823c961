"""What differs in each run of an unchanged job, in a constant and in a digest of Spark's plan."""

import json
from time import monotonic
from typing import Any

import pytest

from airflow_colgraph.collector import settings
from airflow_colgraph.openlineage.digests import without_dates
from tests.collector.pipelines import pipeline_into
from tests.collector.test_cases import RECORDED

CASE = "catalogue_L1_a_filter_inside_the_field_legacyIndirect"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-11-27", "<dated>"),
        ("20261127", "<dated>"),
        ("2026-11-27T00:30:00.5+00:00", "<dated>"),
        ("scheduled__2026-11-27T00:30:00Z", "scheduled__<dated>"),
        ("6b1e1c9e-8d0c-4f6e-9f27-0a4a6f5a9f10", "<dated>"),
        ("s3://lake/day=2026-11-27/x", "s3://lake/day=<dated>/x"),
        ("2026", "2026"),
        ("20269999", "20269999"),
        ("120261127", "120261127"),
        ("paid", "paid"),
    ],
)
def test_days_times_and_uuids_are_one_word(text: str, shown: str) -> None:
    assert without_dates(text) == shown


def digests(
    value: str, kind: str, case: str = CASE, literal: str = '"value": "1", "dataType": "integer"'
) -> Any:
    """Those of the steps of a recorded plan, with another constant."""
    (query, *_) = RECORDED["4.0"][case]
    text = json.dumps(query.plan)
    assert literal in text
    plan = json.loads(text.replace(literal, f'"value": "{value}", "dataType": "{kind}"'))
    pipeline = pipeline_into([], settings.read({}))
    event = pipeline.event(query._replace(plan=plan), monotonic())
    assert event is not None
    return event["outputs"][0]["facets"]["colgraph_digests"]["steps"]


def test_a_job_that_is_given_its_day_has_the_same_digests() -> None:
    assert digests("2026-11-26", "string") == digests("2026-11-27", "string")
    assert digests("20784", "date") == digests("20785", "date")
    assert digests("20261126", "integer") == digests("20261127", "integer")
    assert digests("1", "integer") != digests("2", "integer")
    assert digests("open", "string") != digests("paid", "string")


def test_what_a_generator_makes_rows_of_counts() -> None:
    case = "expressions_columns_made_rows_by_a_map_or_an_array"
    literal = '"value": "a", "dataType": "string"'
    same, other = (digests(value, "string", case, literal) for value in ("a", "c"))
    assert [step["name"] for step in same] == [step["name"] for step in other] == ["LATERAL VIEW"]
    assert same != other
