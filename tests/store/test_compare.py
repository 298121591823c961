"""The kinds of changes are the same wherever lineage is compared, and are counted alike.

Each place had a test of its own, so that no test saw that they differ.
"""

from typing import Any

import pytest

from airflow_colgraph.check.change import KINDS as CHECKED
from airflow_colgraph.check.run import run
from airflow_colgraph.check.settings import Settings
from airflow_colgraph.store.model import causes, compare
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.history import difference
from airflow_colgraph.store.query.overview import changes
from airflow_colgraph.store.query.why import why
from tests.store.samples import NOON, copy_event, event, memory_store, output
from tests.store.test_containment import job

MASKED = "raw.a DIRECT:IDENTITY:masking"
CASES = {
    "other sources": ({"t": "raw.a"}, {"t": "raw.b"}, "", "", {"sources-changed"}),
    "another step": (
        {"t": "raw.a"},
        {"t": "raw.a DIRECT:AGGREGATION"},
        "",
        "",
        {"transformation-changed"},
    ),
    "masked": ({"t": "raw.a"}, {"t": MASKED}, "", "", {"masking-added"}),
    "not masked": ({"t": MASKED}, {"t": "raw.a"}, "", "", {"masking-removed"}),
    "a condition": (
        {"t": "raw.a"},
        {"t": "raw.a, raw.c INDIRECT:CONDITIONAL"},
        "",
        "",
        {"condition-changed"},
    ),
    "rows": (
        {"t": "raw.a"},
        {"t": "raw.a"},
        "raw.a INDIRECT:FILTER, raw.b INDIRECT:SORT",
        "raw.b INDIRECT:FILTER, raw.a INDIRECT:SORT",
        {"filter-changed", "ordering-changed"},
    ),
    "nothing": ({"t": "raw.a"}, {"t": "raw.a"}, "", "", set()),
}


@pytest.mark.parametrize("case", CASES)
def test_each_comparison_names_the_same_kinds(case: str) -> None:
    before, after, rows, new_rows, kinds = CASES[case]
    old = copy_event("mart", 1, "mart", before, dataset=rows)
    new = copy_event("mart", 10, "mart", after, dataset=new_rows)
    store = memory_store()
    store.add(old)
    report = run(store, [new], Settings())
    assert {change.kind for change in report.changes} == kinds
    store.add(new)
    mart = Field("n", "mart", "")
    times = NOON + 5 * 60_000, NOON + 20 * 60_000
    with store.connection() as connection:
        delta = difference(connection, mart, *times)
        reasons = why(connection, mart._replace(field="t"), *times).reasons
        shown = changes(connection, None)
    assert {change.kind for change in delta.changes} == kinds
    assert {reason.kind for reason in reasons} == kinds
    (mart_changed,) = (one for one in shown if one["name"] == "mart")
    assert mart_changed["difference"] == (delta.counts if kinds else None)


def test_a_struct_that_is_taken_apart_is_compared_by_its_parts() -> None:
    """Before, the struct was gone and its parts were new."""
    store = memory_store()
    store.add(job("mart", 1, {"t": "raw.s"}))
    new = job("mart", 10, {"t.x": "raw.z", "t.y": "raw.s.y"})
    (change,) = run(store, [new], Settings()).changes
    assert (change.kind, change.column, change.text) == (
        "sources-changed",
        "t.x",
        "raw.s.x -> raw.z",
    )
    store.add(new)
    with store.connection() as connection:
        delta = difference(connection, Field("n", "mart", ""), NOON + 60_000, NOON + 600_000)
    assert delta.changes == [(change.kind, change.column, change.before, change.after)]


def test_columns_and_types_are_counted_alike() -> None:
    """The home page counted the columns of lineage, the comparison those of the schema."""

    def written(minute: int, columns: dict[str, str], made_of: dict[str, str]) -> dict[str, Any]:
        schema = {"fields": [{"name": name, "type": kind} for name, kind in columns.items()]}
        return event("mart", minute, [output("mart", made_of, schema=schema)])

    store = memory_store()
    store.add(written(1, {"a": "int", "b": "", "gone": "int"}, {"a": "raw.a"}))
    store.add(written(10, {"a": "bigint", "b": "int", "new": "date"}, {"a": "raw.a", "c": "raw.a"}))
    with store.connection() as connection:
        delta = difference(connection, Field("n", "mart", ""), NOON + 60_000, NOON + 600_000)
        (shown,) = changes(connection, None)
    assert delta.fields_added == [["c", ""], ["new", "date"]]
    assert delta.fields_removed == [["gone", "int"]]
    assert delta.types_changed == [["a", "int", "bigint"]]
    assert shown["difference"] == delta.counts


def test_one_list_of_kinds() -> None:
    assert set(compare.KINDS) <= set(CHECKED)
    of_runs = {"run-failed", "run-missing", "volume-changed", "code-changed", "engine-changed"}
    of_runs |= {"writer-added", "inputs-changed", "dataset-emptied", "dataset-removed"}
    assert set(causes.KINDS) - of_runs == set(compare.KINDS) - {"column-renamed"}
