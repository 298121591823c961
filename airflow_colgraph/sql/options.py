"""CREATE without the options that sqlglot does not parse: they do not change its lineage. Pure."""

from __future__ import annotations

from sqlglot.tokens import Token  # type: ignore[attr-defined]

from airflow_colgraph.sql.tokens import Text, outer_words

_KINDS = ("TABLE", "VIEW")
_BEFORE = {
    "OR", "REPLACE", "ALTER", "REFRESH", "FORCE", "NO", "NOFORCE", "EDITIONABLE", "NONEDITIONABLE",
    "MATERIALIZED", "RECURSIVE", "SECURE", "HYBRID", "TRANSIENT", "TEMP", "TEMPORARY", "GLOBAL",
    "LOCAL", "PRIVATE", "VOLATILE", "MULTISET", "SET", "UNLOGGED", "DYNAMIC", "ICEBERG", "LIVE",
    "STREAMING", "EXTERNAL",
}  # fmt: skip
_TEMPORARY = {"TEMP", "TEMPORARY", "VOLATILE"}
_NOT_OPTIONS = {"TO", "LIKE", "CLONE", "COPY", "EXECUTE"}  # words that name another table or query
_QUERY = {"SELECT", "WITH", "FROM", "VALUES", "TABLE", "("}


def without_options(text: str, tokens: list[Token]) -> str:
    """`CREATE .. TABLE t (..) AS <query>` of a statement with more words; "" if it is none."""
    whole = Text(text, tokens)
    words = whole.words
    at = next((place for place, word in enumerate(words[:8]) if word in _KINDS), 0)
    if words[0] != "CREATE" or not at or not _BEFORE.issuperset(words[1:at]):
        return ""
    start = at + 4 if words[at + 1 : at + 4] == ["IF", "NOT", "EXISTS"] else at + 1
    end = _end_of_name(words, start)
    query = _start_of_query(words, end)
    if not query or _NOT_OPTIONS & {*words[end:query]}:
        return ""
    replace = " OR REPLACE" if "REPLACE" in words[:at] else ""
    temporary = " TEMPORARY" if _TEMPORARY & {*words[:at]} else ""
    name, rest = whole.said(start, end - 1), whole.said(query, len(words) - 1)
    return f"CREATE{replace}{temporary} {words[at]} {name} {rest}"


def _end_of_name(words: list[str], start: int) -> int:
    """Where a table's name with its list of columns ends."""
    end = start + 1
    while words[end : end + 1] == ["."]:
        end += 2
    return end + (outer_words(words[end:]).index(")") + 1 if words[end : end + 1] == ["("] else 0)


def _start_of_query(words: list[str], start: int) -> int:
    """Where `AS SELECT ..` starts, outside of brackets; 0 if there is none."""
    outer = enumerate(outer_words(words[start:]), start)
    starts = (at for at, word in outer if word == "AS" and _QUERY & {*words[at + 1 : at + 2]})
    return next(starts, 0)
