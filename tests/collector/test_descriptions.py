"""The `descriptions` option over recorded plans: the user's names, down to what was read."""

import re
from time import monotonic

import pytest

from airflow_colgraph.collector import settings
from tests.collector.pipelines import pipeline_into
from tests.collector.test_cases import RECORDED

PLANS = RECORDED[max(RECORDED)]


def described(case: str, asked: str = "true") -> set[str]:
    """`column <- field SUBTYPE: text` for each edge that says something; rows have no column."""
    given = settings.read({"spark.colgraph.descriptions": asked})
    pipeline = pipeline_into([], given)
    events = [pipeline.event(query, monotonic()) for query in PLANS[case]]
    lines = set()
    for event in events:
        for output in event["outputs"] if event else []:
            lineage = output["facets"].get("columnLineage", {"fields": {}, "dataset": []})
            columns = {**lineage["fields"], "": {"inputFields": lineage["dataset"]}}
            for column, found in columns.items():
                for source in found["inputFields"]:
                    for step in source["transformations"]:
                        if step["description"]:
                            head = f"{column} <- {source['field']} {step['subtype']}"
                            lines.add(f"{head}: {step['description']}".removeprefix(" <- "))
    return lines


@pytest.mark.parametrize(
    ("case", "lines"),
    [
        (
            "relational_sum_over_a_filtered_join",
            {
                "total <- amount AGGREGATION: sum(amount)",
                "active FILTER: active",
                "cid JOIN: cid = id",
                "id JOIN: cid = id",
                "cid GROUP_BY: cid",
                "name GROUP_BY: name",
            },
        ),
        (  # what a CTE computed is described by what it read
            "relational_a_CTE_used_twice",
            {
                "l <- b TRANSFORMATION: b + c",
                "l <- c TRANSFORMATION: b + c",
                "r <- b TRANSFORMATION: b + c",
                "r <- c TRANSFORMATION: b + c",
                "a JOIN: a = a",
                "b FILTER: (b + c) > 0",
                "c FILTER: (b + c) > 0",
            },
        ),
        (
            "relational_max_by_its_ordering_only_decides",
            {
                "a <- a AGGREGATION: max_by(a, b)",
                "a <- b CONDITIONAL: max_by(a, b)",
                "c <- c AGGREGATION: first(c)",
            },
        ),
        (
            "further_bare_outer_columns_in_lateral_subqueries",
            {"active FILTER: active", "b FILTER: b = id", "id FILTER: b = id"},
        ),
    ],
)
def test_each_edge_has_its_expression(case: str, lines: set[str]) -> None:
    assert described(case) == lines


def test_there_are_no_descriptions_by_default() -> None:
    assert described("relational_sum_over_a_filtered_join", "false") == set()


@pytest.mark.parametrize("case", sorted(PLANS))
def test_no_text_shows_sparks_numbers(case: str) -> None:
    lines = {re.sub("'.*?'", "", line) for line in described(case)}  # but for what the user wrote
    assert not [line for line in lines if re.search(r"\w#\d", line)]
