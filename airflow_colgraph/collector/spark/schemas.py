"""The JVM's schemas and plans as plain data in which no name holds a secret."""

from __future__ import annotations

import json
from typing import Any

from airflow_colgraph.collector.model import Columns
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.collector.spark.plan_text import plan_text, rows_of
from airflow_colgraph.openlineage.redaction import with_shown_names


def schema_columns(schema: Java) -> Columns:
    """The columns of a StructType: (name, type)."""
    text = str(schema.json())
    return columns_of(with_shown_names(text, json.loads(text)))


def columns_of(schema: dict[str, Any]) -> Columns:
    """The columns of a StructType as JSON: (name, type)."""
    return tuple((part["name"], part["type"]) for part in schema["fields"])


def tree_json(tree: Java) -> Any:
    """A plan or an expression as Spark's `TreeNode.toJSON` prints it."""
    return rows_of(plan_text(tree))
