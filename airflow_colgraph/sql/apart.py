"""Statements that are read as others, which say the same of what comes from what. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from sqlglot import Dialect
from sqlglot.tokens import Token  # type: ignore[attr-defined]

from airflow_colgraph.sql.executed import EXECUTED
from airflow_colgraph.sql.targets import Target, targets_at
from airflow_colgraph.sql.tokens import Text, items_of, outer_words, words_of

CHANGE_QUERIES = {"UPDATE": "UPDATE", "DELETE": "DELETE FROM", "INSERT": "INSERT INTO"}
FLOW = "->>"
QUERIES = ("SELECT", "WITH")
FORALL_VERBS = ("INSERT", "UPDATE", "DELETE", "MERGE", "EXECUTE")
CHANGED = [("FROM", "(", verb) for verb in ("DELETE", "INSERT", "MERGE", "UPDATE")]
AFTER_QUERY = ("SET", "WHERE", "VALUES", "SELECT", "WITH", "RETURNING", "(")

# What runs the statement behind it; MariaDB leaves EXPLAIN out.
EXPLAINED = re.compile(
    r"\s*(?:EXPLAIN\s+\((?=[^)]*\bANALYZE\b(?!\s*=?\s*(?:false|off|0)\b))[^)]*\)"
    r"|EXPLAIN\s+ANALYZE(?:\s+VERBOSE)?"
    r"|ANALYZE(?:\s+FORMAT\s*=\s*\w+)?(?=\s+(?:INSERT|UPDATE|DELETE|REPLACE)\b))"
    r"\s+(?=\w)(.+)",
    re.I | re.S,
)


# ClickHouse: rows are changed by ALTER TABLE.
MUTATION = re.compile(
    r"\s*ALTER\s+TABLE\s+(?P<table>[^\s(]+)(?:\s+ON\s+CLUSTER\s+\S+)?\s+"
    r"(?:UPDATE\s+(?P<sets>.+)|DELETE\s+(?P<where>WHERE\b.+))",
    re.I | re.S,
)


# Snowflake: the changed rows of a table.
STREAM = re.compile(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?STREAM\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>\S+)\s.*?"
    r"\bON\s+(?:(?:EXTERNAL|DYNAMIC|EVENT)\s+)?(?:TABLE|VIEW)\s+(?P<table>[^\s;]+)",
    re.I | re.S,
)


def taken_apart(text: str, tokens: list[Token], name: str) -> list[str]:
    """The statements as which one of a dialect is read; none if it is read as it is."""
    words = outer_words(words_of(tokens))
    if name in ("tsql", "fabric") and words[0] == "INSERT":
        whole = Text(text, tokens)
        return _executed(whole, words) or _of_changed(whole, words)
    if words[0] == "CREATE" and "RECURSIVE VIEW" in " ".join(words[:6]):
        return _of_recursive_view(Text(text, tokens), words)
    if name == "redshift" and words[0] == "MERGE" and words[-2:] == ["REMOVE", "DUPLICATES"]:
        return _without_duplicates(Text(text, tokens), words)
    if name == "snowflake" and FLOW in words:
        return _flowing(text, tokens, words)
    if name == "clickhouse" and words[0] == "CREATE" and "DICTIONARY" in words[1:4]:
        return _of_dictionary(Text(text, tokens), words)
    if name == "oracle" and "(" in words[1:3] and words[0] in CHANGE_QUERIES:
        return _of_query(Text(text, tokens), words)
    if name == "oracle" and words[0] == "FORALL":  # FORALL i IN 1 .. n INSERT ..
        verbs = [at for at, word in enumerate(words) if word in FORALL_VERBS]
        return [Text(text, tokens).said(verbs[0], len(words) - 1)] if verbs else []
    if name == "teradata" and words[0] in ("UPDATE", "UPD") and "ELSE" in words:
        at, whole = len(words) - 1 - words[::-1].index("ELSE"), Text(text, tokens)
        is_upsert = words[at + 1 : at + 2] in (["INSERT"], ["INS"])
        parts = whole.said(0, at - 1), whole.said(at + 1, len(words) - 1)
        return [*parts] if is_upsert else []
    if name in ("tsql", "fabric") and words[:2] == ["BULK", "INSERT"] and "FROM" in words:
        at, whole = words.index("FROM"), Text(text, tokens)
        return [f"LOAD DATA INPATH {whole.said(at + 1, at + 1)} INTO TABLE {whole.said(2, at - 1)}"]
    return []


def _flowing(text: str, tokens: list[Token], words: list[str]) -> list[str]:
    """Snowflake's `SELECT .. ->> SELECT .. FROM $1`: the rows of each query are a table."""
    ends = [at for at, word in enumerate(words) if word == FLOW]
    pairs = list(zip([0, *(end + 1 for end in ends)], [*ends, len(words)], strict=True))
    names = {at: f'"{FLOW}{at}"' for at, (first, _) in enumerate(pairs) if words[first] in QUERIES}
    parts = []
    for at, (first, end) in enumerate(pairs):
        whole = Text(Text(text, tokens).said(first, end - 1), tokens[first:end])
        for place in range(len(whole.words) - 1, 1, -1):
            number, is_read = whole.words[place], whole.words[place - 2] in ("FROM", "JOIN", ",")
            table = names.get(at - int(number)) if number.isdigit() else None
            if table and is_read and whole.words[place - 1] == "$" and _is_table(whole, place):
                whole.replace(place - 1, place, table)
        is_kept = at in names and end < len(words)
        parts.append(
            f"CREATE TEMPORARY TABLE {names[at]} AS {whole.text}" if is_kept else whole.text
        )
    return parts


def _is_table(whole: Text, place: int) -> bool:
    """Whether what a comma may stand before is in a FROM clause, and no selected column."""
    clauses = [word for word in whole.words[:place] if word in ("SELECT", "FROM", "JOIN")]
    return clauses[-1:] != ["SELECT"]


def _of_recursive_view(whole: Text, words: list[str]) -> list[str]:
    """`CREATE RECURSIVE VIEW v (a) AS ..`, whose query reads the view itself."""
    start, at = words.index("RECURSIVE"), words.index("AS") if "AS" in words else 0
    if not at or "(" not in words[:at]:
        return []
    head, named = whole.said(0, start - 1), whole.said(start + 2, at - 1)
    columns = words.index("(", start)
    own, query = whole.said(columns - 1, at - 1), whole.said(at + 1, len(words) - 1)
    name = whole.said(columns - 1, columns - 1)
    return [f"{head} VIEW {named} AS WITH RECURSIVE {own} AS ({query}) SELECT * FROM {name}"]


def _executed(whole: Text, words: list[str]) -> list[str]:
    """T-SQL's `INSERT INTO t EXEC p`: the rows of a procedure that is not looked into."""
    at = next((place for place, word in enumerate(words) if word in EXECUTED), 0)
    if at < 2 or {"SELECT", "VALUES", "WITH"} & {*words[:at]}:
        return []
    head = whole.said(0, at - 1)
    return [whole.said(at, len(words) - 1), f"{head} DEFAULT VALUES"]


def _of_changed(whole: Text, words: list[str]) -> list[str]:
    """T-SQL's `INSERT INTO t SELECT .. FROM (DELETE .. OUTPUT ..) AS d`, with d named before it."""
    pairs = enumerate(zip(words, whole.words[1:], whole.words[2:], strict=False))
    start = next((at for at, three in pairs if three in CHANGED), 0)
    end = words.index(")", start) if start else 0
    if not start or end + 1 == len(words):
        return []
    name = end + 1 + (words[end + 1] == "AS")
    has_columns = words[name + 1 : name + 2] == ["("]
    last = words.index(")", name) if has_columns else name
    change, alias = whole.said(start + 1, end), whole.said(name, last)
    rest = whole.said(last + 1, len(words) - 1) if last + 1 < len(words) else ""
    return [f"WITH {alias} AS {change} {whole.said(0, start)} {whole.said(name, name)} {rest}"]


def _without_duplicates(whole: Text, words: list[str]) -> list[str]:
    """Redshift's MERGE that deletes the rows that match, and inserts all rows of the source."""
    if "USING" not in words or "ON" not in words:
        return []
    using, on = words.index("USING"), words.index("ON")
    target, source = whole.said(2, using - 1), whole.said(using + 1, on - 1)
    condition = whole.said(on + 1, len(words) - 3)
    return [
        f"DELETE FROM {target} USING {source} WHERE {condition}",
        f"INSERT INTO {target} SELECT * FROM {source}",
    ]


def _of_dictionary(whole: Text, words: list[str]) -> list[str]:
    """ClickHouse's dictionary as a view of the table that is its source, or of its query.

    One of files or of another database stays as it is.
    """
    texts = {
        option: whole.tokens[at + 1].text
        for at, option in enumerate(whole.words[:-1])
        if option in ("TABLE", "DB", "QUERY") and whole.words[at + 1] == "'"
    }
    if "(" not in words or "CLICKHOUSE" not in whole.words or not {"TABLE", "QUERY"} & {*texts}:
        return []
    start = words.index("(")
    columns = [_attribute(whole, *item) for item in items_of(whole.words, start + 1)]
    kind = words.index("DICTIONARY")
    head, name = whole.said(0, kind - 1), whole.said(kind + 1, start - 1)
    database = f"`{texts['DB']}`." if texts.get("DB") else ""
    query = texts.get("QUERY") or f"SELECT {', '.join(columns)} FROM {database}`{texts['TABLE']}`"
    return [f"{head} VIEW {name} AS {query}"]


def _attribute(whole: Text, first: int, last: int) -> str:
    """A dictionary's column: one of its source, or computed by an EXPRESSION."""
    name, words = whole.said(first, first), whole.words[first : last + 1]
    at = first + words.index("EXPRESSION") if "EXPRESSION" in words else 0
    return f"{whole.said(at + 1, last)} AS {name}" if at else name


def _of_query(whole: Text, words: list[str]) -> list[str]:
    """Oracle's `UPDATE (SELECT ..) SET ..`, with its query named before the statement."""
    start, end = words.index("("), words.index(")")
    is_named = words[end + 1 : end + 2] and words[end + 1] not in AFTER_QUERY
    after = end + 1 + bool(is_named)
    name = whole.said(end + 1, end + 1) if is_named else "changed_rows"
    rest = whole.said(after, len(words) - 1) if after < len(words) else ""
    query = whole.said(start, end)
    return [f"WITH {name} AS {query} {CHANGE_QUERIES[words[0]]} {name} {rest}"]


def explained(text: str, dialect: str) -> str:
    """The statement that EXPLAIN ANALYZE runs, or ""."""
    match = EXPLAINED.match(text)
    if match and text.lstrip()[:1].upper() == "A" and dialect != "mysql":
        return ""
    return match[1] if match else ""


def mutation(text: str, dialect: str) -> str:
    """ClickHouse's `ALTER TABLE t UPDATE a = b WHERE c` as an UPDATE, likewise DELETE; or "".

    Snowflake's stream is read as a view of its table.
    """
    if dialect == "snowflake" and (stream := STREAM.match(text)):
        return f"CREATE VIEW {stream['name']} AS SELECT * FROM {stream['table']}"
    match = MUTATION.match(text) if dialect == "clickhouse" else None
    if match is None:
        return ""
    table, sets = match["table"], match["sets"]
    return f"UPDATE {table} SET {sets}" if sets else f"DELETE FROM {table} {match['where']}"


def settings(text: str, tokens: list[Token]) -> list[str]:
    """`SET @a = (SELECT ..), @b = 2` as a statement for each variable."""
    whole = Text(text, tokens)
    return [f"SET {whole.said(first, last)}" for first, last in items_of(whole.words, 1)]


# A branch of a script -------------------------------------------------------------------------

# By the first word: what ends the condition; "" where there is none.
_CONDITIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("IF", "ELSEIF", "ELSIF"), ("THEN",)),
    "WHILE": ("DO", "LOOP"),
    "FOR": ("DO", "LOOP"),
    "FOREACH": ("LOOP",),
    **dict.fromkeys(("ELSE", "LOOP", "REPEAT"), ()),
}


def branch(text: str, first: str, dialect: Dialect) -> tuple[str, str] | None:
    """A branch's condition and its first statement; None if the text is no branch.

    BigQuery's tokens do not go behind the first word, so what follows is read by itself.
    """
    ends = _CONDITIONS.get(first)
    after = text.lstrip()[len(first) :]
    tokens = dialect.tokenize(after) if ends is not None else []
    if ends is None or len(tokens) < 2:
        return None
    if not ends:
        return "", after
    end = _end_of_condition(words_of(tokens), ends)
    if end is None or end + 1 >= len(tokens):
        return None
    return after[: tokens[end].start], after[tokens[end + 1].start :]


TYPES = {
    "BIGINT", "BOOLEAN", "CHAR", "DATE", "DECIMAL", "DOUBLE", "FLOAT", "INT", "INTEGER", "JSON",
    "JSONB", "NUMBER", "NUMERIC", "RECORD", "SMALLINT", "STRING", "TEXT", "TIMESTAMP", "UUID",
    "VARCHAR", "VARCHAR2", "VARIANT",
}  # fmt: skip
_DECLARES = ("DECLARE", "LET")
_NO_VARIABLE = {"CURSOR", "EXCEPTION", "RESULTSET", "TYPE", "PRAGMA", "FUNCTION", "PROCEDURE"}


class Loop(NamedTuple):
    """What a FOR takes its rows from: a query, a cursor or an array; numbers are none of them."""

    targets: list[Target]
    query: str = ""
    cursor: str = ""
    array: str = ""


def loop_of(condition: str, dialect: Dialect) -> Loop:
    """`r IN (SELECT ..)`, `a, b IN SELECT ..`, `r IN EXECUTE '..'`, `r IN c`, `x IN ARRAY a`."""
    tokens = dialect.tokenize(condition)
    words, whole = words_of(tokens), Text(condition[tokens[0].start :], tokens)
    targets, at = targets_at(tokens)
    rest, last = words[at + 1 :], len(words) - 1
    if words[at : at + 1] not in (["IN"], ["AS"]):
        return Loop(targets)
    if {"SELECT", "WITH"} & {*rest[:2]}:
        return Loop(targets, query=whole.said(at + 1, last))
    if rest[:1] == ["ARRAY"]:
        return Loop(targets, array=whole.said(at + 1 + (rest[1:2] != ["["]), last))
    if rest == ["EXECUTE", "'"]:
        return Loop(targets, query=tokens[last].text)
    is_of_numbers = ".." in condition or "TO" in words
    return Loop(targets, cursor="" if is_of_numbers else whole.said(at + 1, at + 1))


def set_in_routine(text: str, first: str, dialect: Dialect) -> tuple[Target, str] | None:
    """The variable that `v := x`, `LET v := x` or `DECLARE v INT := x` sets, and its value.

    Without a value it is NULL; None of anything else, such as a cursor.
    """
    start = len(first) if first in _DECLARES else 0
    text = text.lstrip()[start:].lstrip()
    tokens = dialect.tokenize(text)
    words = outer_words(words_of(tokens))
    signs = [at for at, word in enumerate(words) if word in (":=", "DEFAULT", "=")]
    is_typed = len(words) > 1 and (start or signs or words[1] in TYPES)
    if not is_typed or not _NO_VARIABLE.isdisjoint(words):
        return None
    value = Text(text, tokens).said(signs[0] + 1, len(words) - 1) if signs else ""
    (target, *_), _ = targets_at(tokens)
    return target, value or "NULL"


def _end_of_condition(words: list[str], ends: tuple[str, ...]) -> int | None:
    """The place of THEN or DO, which is in no brackets and in no CASE."""
    depth = 0
    for at, word in enumerate(words):
        depth += (word in ("(", "CASE")) - (word in (")", "END"))
        if depth == 0 and word in ends:
            return at
    return None
