import csv as lines
import io

from airflow_colgraph.exports.formats.csv import COLUMNS, csv
from airflow_colgraph.store.model.lineage_body import Field
from tests.exports.graphs import RUN, upstream


def rows(text: str) -> list[dict[str, str]]:
    return list(lines.DictReader(io.StringIO(text)))


def test_a_row_per_edge_and_job() -> None:
    text = csv(upstream())
    assert text.splitlines()[0] == ",".join(COLUMNS)
    first, second = rows(text)
    assert first == {
        "direction": "upstream",
        "depth": "1",
        "input_namespace": "postgres://h:5432",
        "input_name": "shop.orders",
        "input_field": "amount",
        "output_namespace": "s3://lake",
        "output_name": 'mart "daily"',
        "output_field": "total",
        "type": "DIRECT",
        "subtype": "AGGREGATION",
        "masking": "true",
        "description": 'sum("amount")',
        "job_namespace": "default",
        "job": "shop.daily",
        "dag_id": "shop",
        "task_id": "daily",
        "run": RUN.id,
        "first_seen": "t1",
        "last_seen": "t2",
        "closed_at": "",
    }
    assert (second["input_field"], second["output_field"]) == ("state", "")


def test_a_formula_is_only_text() -> None:
    graph = upstream()
    graph.edges = [graph.edges[0]._replace(input=Field("n", "=cmd()", "+1"))]
    (row,) = rows(csv(graph))
    assert (row["input_name"], row["input_field"]) == ("'=cmd()", "'+1")
