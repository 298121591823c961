"""Changes of columns and writes in one millisecond: any order of events gives the same store."""

from itertools import permutations
from typing import Any

import pytest

from airflow_colgraph.exports import store_reader
from airflow_colgraph.openlineage.facets import PRODUCER
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.query.dataset_details import fields
from tests.store.samples import event, memory_store, output, table_rows

TABLE = Field("n", "t", "")
STARTS = {"a": "r.a", "b": "r.b"}


def change(
    state: str, columns: str, sources: dict[str, str] | None = None, job: str = "change"
) -> dict[str, Any]:
    """The event of a statement that leaves the table with some columns."""
    facets: dict[str, Any] = {
        "schema": {"fields": [{"name": name, "type": "int"} for name in columns.split()]},
        "lifecycleStateChange": {"lifecycleStateChange": state, "_producer": PRODUCER},
    }
    written = output("t", sources, **facets)
    if sources:
        written["facets"]["columnLineage"]["_producer"] = PRODUCER
    return event(job, 5, [written], run=len(job))


# Statements of one millisecond -> the columns of the table, and the sources of its new columns.
CASES = {
    "ADD COLUMN and a write of it": (
        [change("ALTER", "a b d"), change("APPEND", "a b d", {"d": "s.d"})],
        {"a": {"r.a"}, "b": {"r.b"}, "d": {"s.d"}},
    ),
    "RENAME COLUMN and an overwrite": (
        [
            change("ALTER", "c b", {"c": "t.a", "b": "t.b"}),
            change("OVERWRITE", "c b", {"c": "s.a", "b": "s.b"}),
        ],
        {"c": {"t.a", "s.a"}, "b": {"r.b", "t.b", "s.b"}},
    ),
    "RENAME COLUMN and a write under its former name": (
        [
            change("APPEND", "a b", {"a": "s.a"}),
            change("ALTER", "c b", {"c": "t.a", "b": "t.b"}),
        ],
        {"a": {"r.a", "s.a"}, "b": {"r.b", "t.b"}, "c": {"t.a"}},
    ),
    "DROP COLUMN and a write of the others": (
        [change("ALTER", "b"), change("APPEND", "b", {"b": "s.b"})],
        {"b": {"r.b", "s.b"}},
    ),
    "ADD COLUMN by one job, a write by another": (
        [change("ALTER", "a b d"), change("APPEND", "a b d", {"d": "s.d"}, job="writer")],
        {"a": {"r.a"}, "b": {"r.b"}, "d": {"s.d"}},
    ),
    "three changes and a write": (
        [
            change("ALTER", "a b d"),
            change("ALTER", "b d"),
            change("ALTER", "b e", {"b": "t.b", "e": "t.d"}),
            change("APPEND", "b e", {"e": "s.e"}),
        ],
        {"b": {"r.b", "t.b"}, "e": {"t.d", "s.e"}},
    ),
}


@pytest.mark.parametrize(("statements", "sources"), CASES.values(), ids=CASES)
def test_no_order_loses_a_column(
    statements: list[dict[str, Any]], sources: dict[str, set[str]]
) -> None:
    created = event("create", 0, [output("t", STARTS)], run=99)
    rows = []
    for order in permutations(statements):
        store = memory_store()
        store.add(created)
        for statement in order:
            store.add(statement)
        rows.append(table_rows(store))
        with store.connection() as connection:
            there = {each.name for each in fields(connection, TABLE) if not each.dropped}
            columns = store_reader.lineage(connection).schemas[Dataset("n", "t")]
        assert there >= sources.keys()
        assert {column["name"] for column in columns} >= sources.keys()
        edges: dict[str, set[str]] = {}
        for edge in graph.upstream(store, "n", "t", depth=1).edges:
            edges.setdefault(edge.output.field, set()).add(f"{edge.input.name}.{edge.input.field}")
        assert {name: edges.get(name) for name in sources} == sources
    assert all(each == rows[0] for each in rows)
