"""Operations over recorded plans: only what an output needs, in the user's words."""

from typing import Any

import pytest

from airflow_colgraph.collector.lineage.operations import LEAVES, OPERATIONS, WITHOUT_OPERATIONS
from airflow_colgraph.collector.lineage.resolution import NODES
from airflow_colgraph.collector.registry import ANY
from tests.collector.test_cases import RECORDED, events_of

VERSION = max(RECORDED)


def operations(case: str) -> list[dict[str, Any]]:
    (*_, event) = (e for e in events_of(RECORDED[VERSION][case]) if e["outputs"])
    found: list[dict[str, Any]] = event["outputs"][0]["facets"]["colgraph_operations"]["operations"]
    return found


def operations_text(case: str) -> list[str]:
    """One line an operation: inputs -> name (description) -> outputs."""
    lines = []
    for one in operations(case):
        given = one["inputs"].get("fields") or [one["inputs"].get("endPoint", {}).get("name")]
        shown = [f"{f['origin']}.{f['name']}" if isinstance(f, dict) else f for f in given if f]
        made = one["outputs"].get("fields") or [one["outputs"].get("endPoint", {}).get("name")]
        lines.append(f"{', '.join(shown)} -> {one['description']} -> {', '.join(made)}")
    return lines


def test_a_filtered_join_with_an_aggregate() -> None:
    assert operations_text("relational_sum_over_a_filtered_join") == [
        "/warehouse/raw.db/orders -> read /warehouse/raw.db/orders -> cid, amount",
        "/warehouse/raw.db/customers -> read /warehouse/raw.db/customers -> name",
        "read /warehouse/raw.db/orders.cid -> cid -> k",
        "read /warehouse/raw.db/orders.amount -> sum(amount) -> total",
        "rename k.k, read /warehouse/raw.db/customers.name, aggregate total.total"
        " -> write /warehouse/mart.db/wide -> /warehouse/mart.db/wide",
    ]


def test_a_bare_outer_column_is_as_it_was_read() -> None:
    assert operations_text("further_bare_outer_columns_in_lateral_subqueries") == [
        "/warehouse/raw.db/customers -> read /warehouse/raw.db/customers -> id, ssn, name",
        "/warehouse/raw.db/t1 -> read /warehouse/raw.db/t1 -> a",
        "read /warehouse/raw.db/customers.ssn -> ssn -> s",
        "read /warehouse/raw.db/t1.a -> a -> x",
        "read /warehouse/raw.db/customers.name, read /warehouse/raw.db/customers.ssn -> name -> v",
        "read /warehouse/raw.db/customers.id, rename s.s, rename x.x, rename v.v"
        " -> write /warehouse/mart.db/outer_lateral -> /warehouse/mart.db/outer_lateral",
    ]


@pytest.mark.parametrize(
    ("case", "description"),
    [
        ("transformations_T8_CASE_WHEN", "CASE WHEN b > 1 THEN a ELSE a + b END"),
        ("transformations_T10_NULLIF", "nullif(a, b)"),
        ("expressions_all_functions_that_mask_and_some_that_do_not", "hash(ssn)"),
        ("further_the_greatest_of_several_and_others", "a BETWEEN b AND c"),
        ("further_the_greatest_of_several_and_others", "decode(a, 1, b, c)"),
        ("nested_structs_built", "named_struct('one', k, 'two', s.x + 1)"),
        ("transformations_T15_rank", "rank() OVER (PARTITION BY b ORDER BY c)"),
        ("transformations_T3_a_count_masks", "count(a)"),
        ("relational_several_distinct_counts_and_a_filter_clause", "count(DISTINCT a)"),
        (
            "relational_several_distinct_counts_and_a_filter_clause",
            "sum(c) FILTER (WHERE b > 1)",
        ),
        ("expressions_reading_a_member_of_a_struct", "s.x"),
        ("frames_python_udf", "<lambda>(a, b)"),
    ],
)
def test_expressions_are_described_as_they_were_written(case: str, description: str) -> None:
    assert description in [one["description"] for one in operations(case)]


@pytest.mark.parametrize("case", sorted(RECORDED[VERSION]))
def test_every_origin_is_an_operation_that_makes_the_field(case: str) -> None:
    if not any(query.write for query in RECORDED[VERSION][case]):
        return
    made: set[tuple[str, str]] = set()
    for one in operations(case):
        for field in one["inputs"].get("fields", []):
            assert (field["origin"], field["name"]) in made
        made |= {(one["name"], name) for name in one["outputs"].get("fields", [])}
    names = [one["name"] for one in operations(case)]
    assert len(set(names)) == len(names)


def named(dataset: dict[str, Any]) -> tuple[str, str]:
    return dataset["namespace"], dataset["name"]


def direct_inputs(output: dict[str, Any]) -> set[tuple[str, str, str]]:
    """The fields that an output's columns come from, by its column lineage."""
    return {
        (*named(item), item["field"])
        for entry in output["facets"]["columnLineage"]["fields"].values()
        for item in entry["inputFields"]
        if any(step["type"] == "DIRECT" for step in item["transformations"])
    }


def read_by(output: dict[str, Any]) -> set[tuple[str, str, str]]:
    """The fields that are read for it, by its operations."""
    return {
        (*named(one["inputs"]["endPoint"]), field)
        for one in output["facets"]["colgraph_operations"]["operations"]
        if "endPoint" in one["inputs"]
        for field in one["outputs"]["fields"]
    }


@pytest.mark.parametrize("case", sorted(RECORDED[VERSION]))
def test_the_datasets_behind_a_column_are_those_of_its_lineage(case: str) -> None:
    """Operations and columnLineage are found by two folds: they name the same fields."""
    (*_, event) = (e for e in events_of(RECORDED[VERSION][case]) if e["outputs"])
    (output,) = event["outputs"]
    assert direct_inputs(output) <= read_by(output)


def test_each_plan_node_with_a_rule_has_one_for_its_operations_or_is_passed_on() -> None:
    """A rule in NODES alone would give a column lineage, and operations that leave it out."""
    assert set(NODES) - {ANY} - LEAVES - OPERATIONS.keys() == WITHOUT_OPERATIONS
    assert not WITHOUT_OPERATIONS & (OPERATIONS.keys() | LEAVES)
