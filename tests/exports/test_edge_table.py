"""Edges of the store as CSV, Parquet and drawings."""

import builtins
import csv
import io
from typing import Any

import pyarrow.parquet
import pytest

from airflow_colgraph.exports.formats import edge_table as module
from airflow_colgraph.exports.formats.dot import dot
from airflow_colgraph.exports.formats.edge_table import (
    COLUMNS,
    MissingPyarrow,
    row,
    to_csv,
    to_parquet,
)
from airflow_colgraph.exports.formats.mermaid import mermaid
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query.stored_edges import StoredEdge, as_graph, edges
from airflow_colgraph.store.store import Store
from tests.exports.samples import DAILY, FACTS, ORDERS, load

HOUR = "2026-11-20T11:00:00.000Z"
WHO = ["airflow", "shop.daily", "shop", "daily", HOUR, HOUR, ""]


def ordered(store: Store) -> list[StoredEdge]:
    with store.connection() as connection:
        return sorted(edges(connection), key=lambda e: (e.output, e.input, e.transformation))


def test_every_edge_is_a_row_of_csv(store: Store) -> None:
    header, *rows = csv.reader(io.StringIO("".join(to_csv(ordered(store)))))
    assert tuple(header) == COLUMNS
    assert len(rows) == 11
    facts, daily = list(FACTS), list(DAILY)
    assert [r for r in rows if r[3:5] == daily] == [
        [*facts, "", *daily, "", "DATASET", "", "false", "", *WHO],
        [*facts, "timeStamp", *daily, "", "INDIRECT", "GROUP_BY", "false", "", *WHO],
        [*facts, "customerId", *daily, "customer", "DIRECT", "TRANSFORMATION", "true", "", *WHO],
        [*facts, "timeStamp", *daily, "day", "DIRECT", "TRANSFORMATION", "false",
         "date(timeStamp)", *WHO],
        [*facts, "customerId", *daily, "orders", "DIRECT", "AGGREGATION", "false", "", *WHO],
        [*facts, "note", *daily, "orders", "INDIRECT", "CONDITIONAL", "false", "", *WHO],
    ]  # fmt: skip


def test_closed_edges_say_when(store: Store) -> None:
    store.add(load(3, "2026-11-21T10:00:00Z", note="TRANSFORMATION"))
    rows = list(csv.DictReader(io.StringIO("".join(to_csv(ordered(store))))))
    note = [r for r in rows if r["output_field"] == "note"]
    assert [(r["subtype"], r["first_seen"], r["last_seen"], r["closed_at"]) for r in note] == [
        ("IDENTITY", "2026-11-20T10:00:00.000Z", "2026-11-20T10:00:00.000Z",
         "2026-11-21T10:00:00.000Z"),
        ("TRANSFORMATION", "2026-11-21T10:00:00.000Z", "2026-11-21T10:00:00.000Z", ""),
    ]  # fmt: skip
    same = [r for r in rows if r["output_field"] == "skus"]
    assert [(r["first_seen"], r["last_seen"]) for r in same] == [
        ("2026-11-20T10:00:00.000Z", "2026-11-21T10:00:00.000Z")
    ]


ODD = StoredEdge(
    Field("file", "=1+1", 'two\nlines, "quoted"'),
    Field("file", "/a", "@x"),
    Transformation("DIRECT", "TRANSFORMATION", True, "-b"),
    None,
    1,
    0,
    1,
    2,
)


def test_odd_texts_survive_and_formulas_do_not_run() -> None:
    (found,) = csv.DictReader(io.StringIO("".join(to_csv([ODD])), newline=""))
    assert found == {
        "input_namespace": "file",
        "input_name": "/a",
        "input_field": "'@x",
        "output_namespace": "file",
        "output_name": "'=1+1",
        "output_field": 'two\nlines, "quoted"',
        "type": "DIRECT",
        "subtype": "TRANSFORMATION",
        "masking": "true",
        "description": "'-b",
        "job_namespace": "",
        "job": "",
        "dag_id": "",
        "task_id": "",
        "first_seen": "1970-01-01T00:00:00.000Z",
        "last_seen": "1970-01-01T00:00:00.001Z",
        "closed_at": "1970-01-01T00:00:00.002Z",
    }


@pytest.mark.parametrize("batch", [1, 4, 100])
def test_parquet_holds_the_same(store: Store, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(module, "BATCH", batch)
    every = [*ordered(store), ODD]
    file = io.BytesIO()
    assert to_parquet(every, file) == len(every)
    table = pyarrow.parquet.read_table(file)
    assert tuple(table.column_names) == COLUMNS
    assert [str(table.schema.field(n).type) for n in ("masking", "job", "closed_at")] == [
        "bool",
        "string",
        "timestamp[ms, tz=UTC]",
    ]
    columns = [table.column(n).cast("int64") if n in module.TIMES else table.column(n)
               for n in COLUMNS]  # fmt: skip
    found = list(zip(*(column.to_pylist() for column in columns), strict=True))
    assert found == [row(edge) for edge in every]


def test_an_empty_table() -> None:
    file = io.BytesIO()
    assert to_parquet([], file) == 0
    assert pyarrow.parquet.read_table(file).num_rows == 0
    assert "".join(to_csv([])) == ",".join(COLUMNS) + "\r\n"


def test_parquet_without_pyarrow_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *args: Any, **named: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(
        MissingPyarrow, match=r"^Parquet needs pyarrow, .* 'colgraph\[parquet\]'\.$"
    ):
        to_parquet([], io.BytesIO())


def drawn(found: list[StoredEdge], indirect: bool) -> set[tuple[str, str, str]]:
    graph = as_graph(found, indirect=indirect)
    return {(e.input.field, e.output.field, e.transformation.subtype) for e in graph.edges}


def test_a_picture_has_the_edges_between_fields(store: Store) -> None:
    direct = {
        ("header.customerId", "customerId", "IDENTITY"),
        ("header.timeStamp", "timeStamp", "IDENTITY"),
        ("items.sku", "skus", "AGGREGATION"),
        ("note.text", "note", "IDENTITY"),
        ("timeStamp", "day", "TRANSFORMATION"),
        ("customerId", "customer", "TRANSFORMATION"),
        ("customerId", "orders", "AGGREGATION"),
    }
    found = ordered(store)
    assert drawn(found, indirect=False) == direct
    assert drawn(found, indirect=True) == direct | {
        ("note", "orders", "CONDITIONAL"),
        ("timeStamp", "", "GROUP_BY"),
    }


def test_a_graph_names_the_jobs_that_reported_its_edges(store: Store) -> None:
    graph = as_graph(ordered(store))
    (sku,) = [edge for edge in graph.edges if edge.output.field == "skus"]
    (report,) = sku.reported_by
    assert report.job == ("airflow", "shop.load", "shop", "load")
    assert (report.first_seen, report.closed_at) == ("2026-11-20T10:00:00.000Z", None)


def test_pictures_are_drawn(store: Store) -> None:
    graph = as_graph(ordered(store))
    for text in (mermaid(graph), dot(graph)):
        assert all(name in text for _, name in (ORDERS, FACTS, DAILY))
    assert mermaid(graph).count("-->") == 7


def test_two_jobs_of_one_edge_are_one_arrow() -> None:
    one = ODD._replace(job=Job("n", "one"))
    graph = as_graph([ODD, one])
    (edge,) = graph.edges
    assert [one.job and one.job.name for one in edge.reported_by] == [None, "one"]
