"""BigQuery's statements in words that sqlglot parses, with the same lineage. Pure."""

from __future__ import annotations

from airflow_colgraph.sql.tokens import Text


def without_snapshot(whole: Text, at: int) -> None:
    """BigQuery's `CREATE SNAPSHOT TABLE t CLONE u`."""
    if whole.words[at : at + 2] == ["SNAPSHOT", "TABLE"] and whole.words[0] == "CREATE":
        whole.replace(at, at)


def unnested_path(whole: Text, at: int) -> None:
    """BigQuery's `t, t.items AS i WITH OFFSET` as `UNNEST(t.items) AS i`."""
    words = whole.words
    if words[at - 1] not in (",", "FROM", "JOIN") or words[at + 1 : at + 2] != ["."]:
        return
    last = at
    while words[last + 1 : last + 2] == ["."]:
        last += 2
    name = last + (words[last + 1 : last + 2] == ["AS"]) + 1
    is_named = words[name + 1 : name + 3] == ["WITH", "OFFSET"]
    if is_named or words[name : name + 2] == ["WITH", "OFFSET"]:
        alias = "" if is_named else f" AS {whole.said(last, last)}"
        whole.replace(at, last, f"UNNEST({whole.said(at, last)}){alias}")
