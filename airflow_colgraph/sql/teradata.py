"""Teradata's statements in words that sqlglot parses, with the same lineage. Pure."""

from __future__ import annotations

from airflow_colgraph.sql.tokens import Text, items_of

LOCKED = {"ROW", "TABLE", "VIEW", "DATABASE"}
TYPES = {
    "BIGINT", "BLOB", "BYTE", "BYTEINT", "CHAR", "CHARACTER", "CLOB", "DATE", "DEC", "DECIMAL",
    "DOUBLE", "FLOAT", "INT", "INTEGER", "INTERVAL", "JSON", "NUMBER", "NUMERIC", "REAL",
    "SMALLINT", "TIME", "TIMESTAMP", "VARBYTE", "VARCHAR",
}  # fmt: skip
SHOWN = {"FORMAT", "TITLE"}  # how a value is shown
PHRASES = {*TYPES, *SHOWN, "NAMED"}
_NO_VALUE = {"(", ",", "=", "AS", "BY", "FROM", "IN", "ON", "OVER", "SELECT", "SEL", "VALUES"}


def without_lock(whole: Text, at: int) -> None:
    """`LOCKING TABLE t FOR ACCESS` before a query."""
    words = whole.words
    is_lock = words[at] in ("LOCKING", "LOCK") and LOCKED & {*words[at + 1 : at + 2]}
    ends = [place + 1 for place in range(at, len(words) - 1) if words[place] in ("FOR", "IN")]
    if is_lock and ends:
        whole.replace(at, ends[0] + (words[ends[0] + 1 : ends[0] + 2] == ["MODE"]))


def spelled_phrase(whole: Text, at: int) -> None:
    """`a (INT)` as `a::INT`, `a (NAMED b)` as `a AS b`; `a (FORMAT '9')` as `a`."""
    words = whole.words
    is_phrase = words[at] == "(" and words[at + 1] in PHRASES and words[at - 1] not in _NO_VALUE
    if not is_phrase or not {"SELECT", "SEL"} & {*words[:at]}:
        return
    spelled = ""
    for first, last in items_of(words, at + 1):
        if words[first] in TYPES:
            spelled = f"::{whole.said(first, last)}{spelled}"
        elif words[first] == "NAMED":
            spelled += f" AS {whole.said(first + 1, last)}"
        elif words[first] not in SHOWN:
            return
    whole.replace(at, last + 1, f"{spelled} ")
