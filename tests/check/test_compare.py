"""Kinds of changes that two lineages differ by."""

from collections.abc import Mapping

import pytest

from airflow_colgraph.check.change import KINDS
from airflow_colgraph.check.compare import compare
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from airflow_colgraph.store.model.runs import Job

SOURCE, TABLE, OTHER = (Dataset("n", name) for name in ("source", "table", "other"))
DAILY = Job("airflow", "shop.daily")


def made_of(field: str, subtype: str = "IDENTITY", **how: object) -> Input:
    type = "DIRECT" if subtype in ("IDENTITY", "TRANSFORMATION", "AGGREGATION") else "INDIRECT"
    return Input(SOURCE, field, type, subtype)._replace(**how)


Columns = Mapping[str, tuple[Input, ...]]


def lineage(
    columns: Columns | None, rows: tuple[Input, ...] = (), types: Mapping[str, str] | None = None
) -> Lineage:
    schema = [{"name": name, "type": kind} for name, kind in (types or {}).items()]
    return Lineage((JobOutput(TABLE, DAILY, columns, rows),), {TABLE: schema})


def kinds(before: Lineage, after: Lineage) -> list[tuple[str, str, str]]:
    return [(one.kind, one.where, one.text) for one in compare(before, after)]


A, B = made_of("a"), made_of("b")

CASES = {
    "a constant is a column as well": (
        lineage({"x": ()}),
        lineage({"x": (A,)}),
        [("sources-changed", "table.x", "no column -> source.a")],
    ),
    "another step": (
        lineage({"x": (A,)}),
        lineage({"x": (made_of("a", "AGGREGATION", description="max(a)"),)}),
        [("transformation-changed", "table.x", "a IDENTITY -> a AGGREGATION")],
    ),
    "another expression": (
        lineage({"x": (made_of("a", "TRANSFORMATION", description="a + 1"),)}),
        lineage({"x": (made_of("a", "TRANSFORMATION", description="a + 2"),)}),
        [("expression-changed", "table.x", "a + 1 -> a + 2")],
    ),
    "a value that is masked now": (
        lineage({"x": (A,)}),
        lineage({"x": (made_of("a", "TRANSFORMATION", masking=True),)}),
        [
            ("masking-added", "table.x", "source.a with masking"),
            ("transformation-changed", "table.x", "a IDENTITY -> a TRANSFORMATION"),
        ],
    ),
    "a value beside its mask": (
        lineage({"x": (made_of("a", "TRANSFORMATION", masking=True),)}),
        lineage({"x": (made_of("a", "TRANSFORMATION", masking=True), A)}),
        [
            ("masking-removed", "table.x", "source.a without masking"),
            (
                "transformation-changed",
                "table.x",
                "a TRANSFORMATION -> a IDENTITY, a TRANSFORMATION",
            ),
        ],
    ),
    "a mask that is gone with its column": (
        lineage({"x": (made_of("a", "TRANSFORMATION", masking=True),)}),
        lineage({"x": (B,)}),
        [
            ("masking-removed", "table.x", "source.b without masking"),
            ("sources-changed", "table.x", "source.a -> source.b"),
        ],
    ),
    "a raw value beside another one's mask": (
        lineage({"x": (made_of("a", "TRANSFORMATION", masking=True),)}),
        lineage({"x": (made_of("a", "TRANSFORMATION", masking=True), B)}),
        [
            ("masking-removed", "table.x", "source.b without masking"),
            ("sources-changed", "table.x", "source.a -> source.a, source.b"),
        ],
    ),
    "a condition": (
        lineage({"x": (A,)}),
        lineage({"x": (A, made_of("b", "CONDITIONAL"))}),
        [("condition-changed", "table.x", "also by source.b")],
    ),
    "rows": (
        lineage(
            {"x": (A,)}, (made_of("b", "GROUP_BY"), made_of("c", "SORT"), made_of("d", "JOIN"))
        ),
        lineage(
            {"x": (A,)}, (made_of("c", "GROUP_BY"), made_of("d", "JOIN"), made_of("e", "WINDOW"))
        ),
        [
            ("grouping-changed", "table", "also by source.c; no longer by source.b"),
            ("ordering-changed", "table", "no longer by source.c"),
            ("rows-changed", "table", "also by source.e"),
        ],
    ),
    "two renames": (
        lineage({"x": (A,), "y": (B,)}),
        lineage({"p": (A,), "q": (B,)}),
        [("column-renamed", "table.p", "x -> p"), ("column-renamed", "table.q", "y -> q")],
    ),
    "no rename where two columns fit": (
        lineage({"x": (A,)}),
        lineage({"p": (A,), "q": (A,)}),
        [
            ("column-added", "table.p", "source.a"),
            ("column-added", "table.q", "source.a"),
            ("column-removed", "table.x", "came from source.a"),
        ],
    ),
    "no rename of a constant": (
        lineage({"x": ()}),
        lineage({"y": ()}),
        [("column-removed", "table.x", ""), ("column-added", "table.y", "no column")],
    ),
    "columns that are no longer known": (
        lineage({"x": (A,)}),
        lineage(None),
        [
            (
                "lineage-unknown",
                "table",
                "its columns have no lineage; for a SQL script, name them in --schemas",
            )
        ],
    ),
    "a type that is known only now": (
        lineage({"x": (A,)}),
        lineage({"x": (A,)}, types={"x": "int"}),
        [],
    ),
    "nothing": (lineage({"x": (A,), "y": ()}, (B,)), lineage({"y": (), "x": (A,)}, (B,)), []),
}


@pytest.mark.parametrize("case", CASES)
def test_a_change_has_its_kind(case: str) -> None:
    before, after, expected = CASES[case]
    assert kinds(before, after) == expected
    assert {kind for kind, _, _ in expected} <= KINDS.keys()


def test_a_renamed_source_changes_nothing_that_is_made_of_it() -> None:
    def shop(name: str) -> Lineage:
        total = Input(TABLE, name, "DIRECT", "AGGREGATION", False, f"sum({name})")
        return Lineage(
            (
                JobOutput(TABLE, DAILY, {name: (A,)}),
                JobOutput(
                    OTHER, DAILY, {"total": (total,)}, (Input(TABLE, name, "INDIRECT", "SORT"),)
                ),
            )
        )

    assert kinds(shop("amount"), shop("price")) == [
        ("column-renamed", "table.price", "amount -> price")
    ]


def test_a_dataset_that_its_job_no_longer_writes() -> None:
    both = Lineage((JobOutput(TABLE, DAILY, {"x": (A,)}), JobOutput(OTHER, DAILY, {"x": (A,)})))
    assert kinds(both, lineage({"x": (A,)})) == [("dataset-removed", "other", "")]


def test_a_dataset_of_another_job_is_left_alone() -> None:
    weekly = JobOutput(OTHER, Job("airflow", "shop.weekly"), {"x": (A,)})
    assert (
        kinds(Lineage((JobOutput(TABLE, DAILY, {"x": (A,)}), weekly)), lineage({"x": (A,)})) == []
    )


def test_of_several_writers_those_of_the_same_name_are_compared() -> None:
    weekly = JobOutput(TABLE, Job("airflow", "shop.weekly"), {"x": (B,)})
    both = Lineage((JobOutput(TABLE, DAILY, {"x": (A,)}), weekly))
    assert kinds(both, lineage({"x": (A,)})) == []
    assert kinds(both, Lineage((JobOutput(TABLE, None, {"x": (A,)}),))) == [
        ("sources-changed", "table.x", "source.a, source.b -> source.a")
    ]
