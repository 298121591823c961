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
from airflow_colgraph.store.query.history import difference, history
from airflow_colgraph.store.query.overview import changes
from airflow_colgraph.store.query.why import why
from tests.store.samples import NOON, at, copy_event, event, memory_store, output
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


# What is in force at a time ---------------------------------------------------------------------

CREATED, OVERWRITTEN, ADDED = "CREATE", "OVERWRITE", "ALTER"


def written(minute: int, fields: dict[str, str], how: str = "", **more: Any) -> dict[str, Any]:
    """A run of `mart`, which created or overwrote the dataset, or added rows."""
    facets = {"lifecycleStateChange": {"lifecycleStateChange": how}} if how else {}
    return event("mart", minute, [output("mart", fields, **facets)], **more)


def renamed(minute: int, before: str, after: str, run: int) -> dict[str, Any]:
    """A run that renamed a dataset."""
    previous = {"namespace": "n", "name": before}
    change = {"lifecycleStateChange": "RENAME", "previousIdentifier": previous}
    return event("load", minute, [output(after, lifecycleStateChange=change)], run=run)


def differing(
    events: list[dict[str, Any]], name: str, before: int, after: int
) -> list[tuple[str, str]]:
    store = memory_store()
    store.add(events)
    times = [NOON + minute * 60_000 for minute in (before, after)]
    with store.connection() as connection:
        delta = difference(connection, Field("n", name, ""), *times)
    return [(change.kind, change.column) for change in delta.changes]


BOTH, ONLY_T = {"t": "raw.a", "u": "raw.b"}, {"t": "raw.a"}
FAILED = written(10, ONLY_T, state="FAIL")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([written(1, BOTH), FAILED], []),
        ([written(1, BOTH, ADDED), written(10, ONLY_T, ADDED)], []),
        ([written(1, BOTH), FAILED, written(11, ONLY_T)], [("column-removed", "u")]),
        (
            [written(1, ONLY_T, ADDED), written(10, {"t": "raw.b"}, ADDED)],
            [("sources-changed", "t")],
        ),
    ],
    ids=["a failed run", "added rows", "a failed run, and one that replaced", "another source"],
)
def test_a_run_that_leaves_rows_removes_nothing(
    events: list[dict[str, Any]], expected: list[tuple[str, str]]
) -> None:
    """A column counted as removed, whose rows and edges were still there."""
    assert differing(events, "mart", 5, 20) == expected


@pytest.mark.parametrize(
    ("ways", "expected"),
    [
        ([OVERWRITTEN, OVERWRITTEN, ADDED], ("replaces the rows", "adds rows")),
        ([ADDED, ADDED, OVERWRITTEN], ("adds rows", "replaces the rows")),
        ([OVERWRITTEN, OVERWRITTEN, OVERWRITTEN], None),
        ([CREATED, ADDED, ADDED], None),
        ([CREATED, CREATED, ADDED], None),
        (["", "", ADDED], None),
    ],
    ids=str,
)
def test_rows_that_are_added_now_and_were_replaced(
    ways: list[str], expected: tuple[str, str] | None
) -> None:
    """Why and diff said that nothing had changed, and the table grew each day."""
    events = [written(1 + 10 * day, ONLY_T, how) for day, how in enumerate(ways)]
    events.append(written(30, ONLY_T, state="FAIL"))
    store = memory_store()
    store.add(events)
    mart, times = Field("n", "mart", ""), (NOON + 15 * 60_000, NOON + 40 * 60_000)
    with store.connection() as connection:
        changes = difference(connection, mart, *times).changes
        reasons = why(connection, mart._replace(field="t"), *times).reasons
    by_rows = [each for each in reasons if each.kind == "rows-changed"]
    assert [change[2:] for change in changes] == ([expected] if expected else [])
    assert [(each.before, each.after) for each in by_rows] == ([expected] if expected else [])
    assert [each.at for each in by_rows] == ([at(21)] if expected else [])


def test_a_dataset_that_is_renamed_each_day_is_compared_and_has_a_history() -> None:
    """The table behind a rename had no history, and another source of it was no change."""
    events = []
    for minute, source in ((1, "csv.a"), (11, "csv.a"), (21, "csv.b")):
        events.append(copy_event("load", minute, "next", {"a": source}))
        events.append(renamed(minute + 1, "next", "now", minute + 1))
    assert differing(events, "now", 5, 15) == []
    assert differing(events, "now", 15, 25) == [("sources-changed", "a")]
    store = memory_store()
    store.add(events)
    with store.connection() as connection:
        chapters = history(connection, Field("n", "now", ""), "a")
    sources = [(chapter.edges[0].input.field, chapter.runs) for chapter in chapters]
    assert sources == [("a", 2), ("b", 1)]


def test_a_dataset_that_was_dropped_and_made_by_another_job_is_compared() -> None:
    """The rows of the dropped dataset were among the sources of the new one."""
    dropped = {"lifecycleStateChange": "DROP"}
    events = [
        copy_event("first", 1, "mart", {"t": "raw.a"}),
        event("drop", 10, [output("mart", lifecycleStateChange=dropped)]),
        copy_event("second", 12, "mart", {"t": "raw.a"}),
    ]
    assert differing(events, "mart", 5, 20) == []
