"""Where the SQL that a job had a database run becomes tables, and where there is no parser."""

import sys

import pytest

from airflow_colgraph.extractors.task_lineage import merge
from airflow_colgraph.queries import with_tables
from tests.test_sql import event

QUERY = "SELECT cid AS id, sum(v) AS s FROM o WHERE ok GROUP BY cid"


def names(found: list[dict[str, object]]) -> list[object]:
    return [dataset["name"] for dataset in found]


def told() -> dict[str, object]:
    job = {"namespace": "tests", "name": "load", "facets": {}}
    run = {"runId": "r", "facets": {}}
    return {**event(QUERY), "eventType": "RUNNING", "job": job, "run": run}


def test_a_tasks_lineage_names_the_tables() -> None:
    lineage = merge([told()])
    assert names(lineage.inputs) == ["shop.o"]
    (output,) = lineage.outputs
    fields = output["facets"]["columnLineage"]["fields"]
    assert {item["field"] for entry in fields.values() for item in entry["inputFields"]} == {
        "cid",
        "v",
    }


def test_events_without_a_query_are_the_same_objects() -> None:
    plain = {"inputs": [{"namespace": "file", "name": "/a"}], "outputs": []}
    (kept,) = with_tables([plain])
    assert kept is plain


def test_without_a_parser_the_query_stays_and_the_log_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "airflow_colgraph.sql.jdbc_queries", None)
    before = told()
    assert with_tables([before]) == [before]
    assert "pip install 'colgraph[sql]'" in caplog.text
