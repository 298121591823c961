"""The rows of event lines: without Spark, as its Python workers make them."""

import orjson
import pyarrow
import pytest

from airflow_colgraph.store.model.lineage_body import Field, LineageBody
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse import body_rows
from airflow_colgraph.warehouse.body_rows import MOST_SEEN, BodyRows, Row
from airflow_colgraph.warehouse.events import SHOWN, EventRows, parse
from airflow_colgraph.warehouse.row_schema import BODY, ROW, arrow_schema, ddl
from tests.store.samples import copy_event
from tests.warehouse.random_events import random_events

EVENT = copy_event("job", 1, "mart", {"t": "raw.a"})
LINE = orjson.dumps(EVENT)


def bodies(rows: list[Row]) -> list[Row]:
    """The rows of the bodies in the rows of events."""
    found = BodyRows()
    return [
        found.of_body(LineageBody(body["packed"], bytes.fromhex(body["checksum"])))
        for row in rows
        for body in row["bodies"]
    ]


def test_an_event_is_a_row_with_the_ids_of_every_store() -> None:
    row = EventRows().of_line("f", LINE)
    (body,) = bodies([row])
    assert {field["id"] for field in (*row["fields"], *body["fields"])} == {
        Field("n", name, field).id
        for name, field in (("mart", ""), ("mart", "t"), ("raw", ""), ("raw", "a"))
    }
    assert [job["id"] for job in row["jobs"]] == [Job("jobs", "job").id]
    direct, *_ = (edge for edge in body["edges"] if edge["kind"] == "DIRECT")
    assert (direct["input"], direct["output"]) == (
        Field("n", "raw", "a").id,
        Field("n", "mart", "t").id,
    )
    assert [output["body"] for output in row["outputs"]] == [body["id"]]


def test_what_a_worker_has_named_it_does_not_name_again() -> None:
    rows = EventRows()
    first, second = (rows.of_line("f", LINE) for _ in range(2))
    assert first["fields"]
    assert (second["fields"], second["bodies"]) == ([], [])
    for name in ("outputs", "runs", "jobs", "at"):
        assert second[name] == first[name]
    again = bodies([first, first])
    assert again[0]["fields"]
    assert again[0]["transformations"]
    assert (again[1]["fields"], again[1]["transformations"]) == ([], [])
    assert again[1]["edges"] == again[0]["edges"]


def test_a_worker_that_has_seen_very_much_names_again() -> None:
    rows = EventRows()
    first = rows.of_line("f", LINE)
    rows._seen.ids.update(("field", number) for number in range(MOST_SEEN))
    rows.of_line("f", orjson.dumps(copy_event("job", 2, "other", {"t": "raw.a"})))
    assert rows.of_line("f", LINE)["bodies"] == first["bodies"]


def test_the_names_in_the_rows_are_those_of_the_store() -> None:
    events = [event for event in random_events(9, 200) if "symlinks" not in str(event)]
    rows = EventRows()
    found = [rows.of_line("f", orjson.dumps(event)) for event in events]
    with Store.open("sqlite://") as store:
        store.add(events)
        with store.connection() as connection:
            stored = connection.exec_driver_sql(
                "SELECT id, dataset, name FROM colgraph_field"
            ).all()
    named = {
        (field["id"], field["dataset"], field["field"])
        for row in (*found, *bodies(found))
        for field in row["fields"]
    }
    assert {field for _, _, field in named} == {"", "x", "y", "z", "tagged"}
    assert named == {tuple(row) for row in stored}


def test_what_is_missing_in_the_lineage_of_a_job_is_in_its_row() -> None:
    facet = {"unresolved": [{"class": "Magic", "count": 1}]}
    line = orjson.dumps(copy_event("job", 1, "mart", {"t": "raw.a"}, colgraph_diagnostics=facet))
    rows = EventRows()
    (first,), (second,) = (rows.of_line("f", line)["gaps"] for _ in range(2))
    assert first["job"] == Job("jobs", "job").id
    assert orjson.loads(first["body"])["lacks"]["unresolved"] == [["Magic", 1]]
    assert second == {**first, "body": None}
    assert rows.of_line("f", LINE)["gaps"] == []


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"[1]", "The event is list. Expected a JSON object."),
        (b"{}", "The event has no 'eventTime': it is not OpenLineage."),
        (LINE[:-1], "not JSON: "),
        (b"\xff\xfe", "not JSON: "),
    ],
)
def test_a_line_that_is_no_event_has_the_reason(line: bytes, error: str) -> None:
    row = EventRows().of_line("f", line)
    assert row["error"].startswith(error)
    assert row["bytes"] == len(line)
    assert row["line"] == line.decode(errors="replace")
    assert "at" not in row


def test_of_a_long_line_the_beginning_is_kept() -> None:
    row = EventRows().of_line("f", "é".encode() * SHOWN * 2)
    assert (len(row["line"]), row["bytes"]) == (SHOWN, SHOWN * 4)


def test_every_row_has_the_form_that_spark_expects() -> None:
    lines = [orjson.dumps(event) for event in random_events(1, 200)]
    batch = pyarrow.RecordBatch.from_pydict(
        {"file": ["f"] * (len(lines) + 1), "line": [*lines, b" "]}
    )
    (found,) = parse([batch])
    assert found.schema == arrow_schema(ROW)
    assert found.num_rows == 201
    rows = found.to_pylist()
    assert sum(len(row["bodies"] or ()) for row in rows) > 50
    assert {name for name, value in rows[-1].items() if value is not None} == {"file"}
    assert ddl(ROW).startswith("`file` string, `error` string, ")


def test_every_row_of_a_body_has_the_form_that_spark_expects() -> None:
    rows = EventRows()
    found = [rows.of_line("f", orjson.dumps(event)) for event in random_events(1, 200)]
    packed = [body for row in found for body in row["bodies"]]
    (batch,) = body_rows.parse([pyarrow.RecordBatch.from_pylist(packed)])
    assert batch.schema == arrow_schema(BODY)
    assert batch.to_pylist() == bodies(found)
    assert batch.column("id").to_pylist() == [body["id"] for body in packed]
    assert "`edges` array<struct<`kind`: string, `output`: bigint, " in ddl(BODY)
