"""Statements that are read as others, which say the same of what is made of what. Pure."""

from __future__ import annotations

import re

from sqlglot import Dialect
from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

from airflow_colgraph.sql.tokens import QUOTED, Text, items_of, outer_words, words_of

EXECUTED = ("EXEC", "EXECUTE")
CHANGE_QUERIES = {"UPDATE": "UPDATE", "DELETE": "DELETE FROM", "INSERT": "INSERT INTO"}
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
    if name == "redshift" and words[0] == "MERGE" and words[-2:] == ["REMOVE", "DUPLICATES"]:
        return _without_duplicates(Text(text, tokens), words)
    if name == "clickhouse" and words[0] == "CREATE" and "DICTIONARY" in words[1:4]:
        return _of_dictionary(Text(text, tokens), words)
    if name == "oracle" and "(" in words[1:3] and words[0] in CHANGE_QUERIES:
        return _of_query(Text(text, tokens), words)
    return []


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


# A text that is run ----------------------------------------------------------------------------

_RUNS = (  # `'` is the text
    ("IMMEDIATE", "'"),
    ("SP_EXECUTESQL", "'"),
    ("(", "'", ")"),
    ("LANGUAGE", "PLPGSQL", "'"),
    ("'", "LANGUAGE", "PLPGSQL"),
    ("'",),
)
_VALUES = {TokenType.NUMBER, TokenType.COMMA, TokenType.L_PAREN, TokenType.R_PAREN, *QUOTED}


def executed(text: str, first: str, dialect: Dialect) -> str:
    """The statements that EXECUTE IMMEDIATE, EXEC or PostgreSQL's DO runs, if a literal has them.

    Only constants may be passed to them, as `USING 3`; else "".
    """
    if first not in (*EXECUTED, "DO"):
        return ""
    tokens = dialect.tokenize(text.lstrip()[len(first) :])
    words = words_of(tokens)
    shape = next((shape for shape in _RUNS if tuple(words[: len(shape)]) == shape), ())
    rest = tokens[len(shape) :]
    has_values = words[len(shape) : len(shape) + 1] in ([], ["USING"], [","])
    if not shape or not has_values or any(token.token_type not in _VALUES for token in rest[1:]):
        return ""
    return str(tokens[shape.index("'")].text)


# A branch of a script -------------------------------------------------------------------------

# By the first word: what ends the condition; "" where there is none.
_CONDITIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("IF", "ELSEIF", "ELSIF"), ("THEN",)),
    "WHILE": ("DO", "LOOP"),
    "FOR": ("DO", "LOOP"),
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


def loop_query(condition: str, dialect: Dialect) -> tuple[str, str, str]:
    """The variable of `FOR r IN (SELECT ..)`, its query, and the cursor of `FOR r IN c`.

    A loop over numbers has neither.
    """
    tokens = dialect.tokenize(condition)
    words, whole = words_of(tokens), Text(condition[tokens[0].start :], tokens)
    name = tokens[0].text
    if {"SELECT", "WITH"} & {*words[2:4]} and words[1] in ("IN", "AS"):
        return name, whole.said(2, len(words) - 1), ""
    is_of_numbers = ".." in condition or "TO" in words
    return name, "", "" if is_of_numbers else whole.said(2, 2)


def set_in_routine(text: str, first: str, dialect: Dialect) -> tuple[str, str] | None:
    """The variable that `v := x`, `LET v := x` or `DECLARE v INT := x` sets, and its value.

    Without a value it is NULL; None of anything else, such as a cursor.
    """
    start = len(first) if first in _DECLARES else 0
    text = text.lstrip()[start:].lstrip()
    tokens = dialect.tokenize(text)
    words = outer_words(words_of(tokens))
    signs = [at for at, word in enumerate(words) if word in (":=", "DEFAULT")]
    is_typed = len(words) > 1 and (start or signs or words[1] in TYPES)
    if not is_typed or not _NO_VARIABLE.isdisjoint(words):
        return None
    value = Text(text, tokens).said(signs[0] + 1, len(words) - 1) if signs else ""
    return tokens[0].text, value or "NULL"


def _end_of_condition(words: list[str], ends: tuple[str, ...]) -> int | None:
    """The place of THEN or DO, which is in no brackets and in no CASE."""
    depth = 0
    for at, word in enumerate(words):
        depth += (word in ("(", "CASE")) - (word in (")", "END"))
        if depth == 0 and word in ends:
            return at
    return None
