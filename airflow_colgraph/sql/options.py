"""CREATE without the options that sqlglot does not parse: they do not change its lineage. Pure."""

from __future__ import annotations

from sqlglot.tokens import Token  # type: ignore[attr-defined]

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
    words = [token.text.upper() for token in tokens]
    at = next((place for place, word in enumerate(words[:8]) if word in _KINDS), 0)
    if words[0] != "CREATE" or not at or not _BEFORE.issuperset(words[1:at]):
        return ""
    start = at + 4 if words[at + 1 : at + 4] == ["IF", "NOT", "EXISTS"] else at + 1
    end = _end_of_name(words, start)
    query = _start_of_query(words, end)
    if not query or _NOT_OPTIONS & {*words[end:query]}:
        return ""
    first = tokens[0].start
    name = text[tokens[start].start - first : tokens[end - 1].end + 1 - first]
    replace = " OR REPLACE" if "REPLACE" in words[:at] else ""
    temporary = " TEMPORARY" if _TEMPORARY & {*words[:at]} else ""
    rest = text[tokens[query].start - first :]
    return f"CREATE{replace}{temporary} {words[at]} {name} {rest}"


def _end_of_name(words: list[str], start: int) -> int:
    """Where a table's name with its list of columns ends."""
    end = start + 1
    while words[end : end + 1] == ["."]:
        end += 2
    return _behind_brackets(words, end) if words[end : end + 1] == ["("] else end


def _behind_brackets(words: list[str], start: int) -> int:
    depth = 0
    for at, word in enumerate(words[start:], start):
        depth += (word == "(") - (word == ")")
        if depth == 0:
            return at + 1
    return len(words)


def _start_of_query(words: list[str], start: int) -> int:
    """Where `AS SELECT ..` starts, outside of brackets; 0 if there is none."""
    depth = 0
    for at, word in enumerate(words[start:], start):
        depth += (word == "(") - (word == ")")
        if depth == 0 and word == "AS" and words[at + 1 : at + 2] and words[at + 1] in _QUERY:
            return at
    return 0
