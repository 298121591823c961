"""Queries by which Delta lists files: no earlier test asked for events without datasets."""

from types import SimpleNamespace
from typing import Any

from airflow_colgraph.collector.spark.translate import is_delta_state


def test_what_delta_lists_for_itself_is_told_by_its_classes_and_fields() -> None:
    fields = '"partitionValues" .. "modificationTime" .. "dataChange"'
    asked: Any = SimpleNamespace(reads={}, rdds={})
    assert is_delta_state(asked, f'"LogicalRDD" {fields}')
    assert is_delta_state(asked, '"cls":"org.apache.spark.sql.delta.actions.AddFile"')
    assert not is_delta_state(asked, '"LogicalRDD" "partitionValues"')
    read: Any = SimpleNamespace(reads={(1,): None}, rdds={})
    assert not is_delta_state(read, fields)
