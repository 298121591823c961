"""Teradata's statements in words that sqlglot parses, with the same lineage. Pure."""

from __future__ import annotations

from sqlglot import exp

from airflow_colgraph.sql.tokens import Text, items_of

LOCKED = {"ROW", "TABLE", "VIEW", "DATABASE"}
TYPES = {
    "BIGINT", "BLOB", "BYTE", "BYTEINT", "CHAR", "CHARACTER", "CLOB", "DATE", "DEC", "DECIMAL",
    "DOUBLE", "FLOAT", "INT", "INTEGER", "INTERVAL", "JSON", "NUMBER", "NUMERIC", "REAL",
    "SMALLINT", "TIME", "TIMESTAMP", "VARBYTE", "VARCHAR",
}  # fmt: skip
SHOWN = {"FORMAT", "TITLE"}  # how a value is shown
COMPARED = {"CASESPECIFIC", "CS"}  # how it is compared, also with NOT
UPPER = {"UPPERCASE", "UC"}
PHRASES = {*TYPES, *SHOWN, *COMPARED, *UPPER, "NAMED"}
_NO_VALUE = {"(", ",", "=", "AS", "BY", "FROM", "IN", "INSERT", "ON", "OVER", "SELECT", "SEL",
             "VALUES"}  # fmt: skip
_NAMES = {"DATE", "TIME", *COMPARED, *UPPER}  # those that may be a function's argument
_CHANGES = {"UPDATE", "UPD", "MERGE", "DELETE", "DEL"}


def with_values(whole: Text, at: int) -> None:
    """`INSERT INTO t (1, 'a')`, whose VALUES is left out."""
    words = whole.words
    is_first = words[0] in ("INSERT", "INS") and words[at] == "(" and "(" not in words[:at]
    if is_first and not {"VALUES", "SELECT", "SEL", "WITH"} & {*words[:at]}:
        *_, (_, last) = items_of(words, at + 1)
        whole.replace(at, at, "VALUES (" if last + 2 == len(words) else "(")


def without_lock(whole: Text, at: int) -> None:
    """`LOCKING TABLE t FOR ACCESS` before a query."""
    words = whole.words
    is_lock = words[at] == "LOCKING" and at == 0
    is_lock |= words[at] in ("LOCKING", "LOCK") and bool(LOCKED & {*words[at + 1 : at + 2]})
    ends = [place + 1 for place in range(at, len(words) - 1) if words[place] in ("FOR", "IN")]
    if is_lock and ends:
        whole.replace(at, ends[0] + (words[ends[0] + 1 : ends[0] + 2] == ["MODE"]))


def spelled_phrase(whole: Text, at: int) -> None:
    """`a (INT)` as `a::INT`, `a (NAMED b)` as `a AS b`; `a (FORMAT '9')`, `a (NOT CS)` as `a`."""
    words = whole.words
    if words[at] != "(" or words[at - 1] in _NO_VALUE or _is_argument(words, at):
        return
    if not ({"SELECT", "SEL"} & {*words[:at]} or words[0] in _CHANGES):
        return
    spelled = ""
    for first, last in items_of(words, at + 1):
        if words[first] in TYPES:
            spelled = f"::{whole.said(first, last)}{spelled}"
        elif words[first] == "NAMED":
            spelled += f" AS {whole.said(first + 1, last)}"
        elif words[first] in UPPER:
            spelled = f"::VARCHAR{spelled}"
        elif words[first] not in SHOWN and words[last] not in COMPARED:
            return
    whole.replace(at, last + 1, f"{spelled} ")


def _is_argument(words: list[str], at: int) -> bool:
    """Whether the brackets have no phrase: `TRIM(title)`, `YEAR(DATE)`."""
    first, second, *_ = [*words[at + 1 : at + 3], "", ""]
    if (second if first == "NOT" else first) not in PHRASES:
        return True
    before = words[at - 1]
    is_function = before in exp.FUNCTION_BY_NAME or before.startswith("TD_") or "_OF_" in before
    is_name = first in {*SHOWN, "NAMED"} or (is_function and first in _NAMES)
    return second == ")" and is_name
