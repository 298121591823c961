"""Rows that the user names for sources, by path or table: actions are answered from them."""

from __future__ import annotations

import json
from typing import Any

from airflow_colgraph.collector.dry_run.schemas import qualified

SampleRows = dict[str, list[dict[str, Any]]]


def read(file: str) -> SampleRows:
    """The user's file, which the command line has checked."""
    with open(file, encoding="utf-8") as opened:
        rows: SampleRows = json.load(opened)
    return rows


def install(context: Any, rows: SampleRows) -> None:
    """Tell the guards of a SparkContext of the rows."""
    for name, of_source in rows.items():
        lines = context._gateway.new_array(context._jvm.java.lang.String, len(of_source))
        for place, row in enumerate(of_source):
            lines[place] = json.dumps(row)
        context._jvm.colgraph.SampleRows.put(key_of(context, name), lines)


def key_of(context: Any, name: str) -> str:
    """A path with its file system, or a table with its database."""
    if "/" in name:
        return str(qualified(context, name).toString())
    return name.lower() if "." in name else f"default.{name.lower()}"
