"""T-SQL's statements, between which a semicolon may be missing. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from sqlglot import Dialect
from sqlglot.dialects.tsql import TSQL
from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

from airflow_colgraph.sql.tokens import outer_words, words_of

# With which a statement starts, unless the words before it say otherwise.
STARTS = {
    "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "ALTER", "DROP", "TRUNCATE",
    "DECLARE", "SET", "EXEC", "EXECUTE", "IF", "ELSE", "WHILE", "BEGIN", "END", "PRINT", "RETURN",
    "USE", "COMMIT", "ROLLBACK", "RAISERROR", "THROW", "BULK", "GRANT", "REVOKE", "DENY",
    "WAITFOR", "OPEN", "FETCH", "CLOSE", "DEALLOCATE", "UPDATE STATISTICS",
    "BACKUP", "CHECKPOINT", "DBCC", "GOTO", "KILL", "RECONFIGURE", "RESTORE", "REVERT", "SAVE",
}  # fmt: skip
GO = re.compile(r"^[ \t]*GO(?:[ \t]+\d+)?[ \t]*;?[ \t]*$", re.I | re.M)
# By word: what stands before it where a statement goes on.
_AFTER = {
    "SELECT": {"UNION", "ALL", "EXCEPT", "INTERSECT", "AS", "FOR", "GRANT", "REVOKE", "DENY", ","},
    "INSERT": {"THEN", "BULK", "AFTER", "FOR", "OF", "GRANT", "REVOKE", "DENY", ","},
    "UPDATE": {"THEN", "ON", "AFTER", "FOR", "GRANT", "REVOKE", "DENY", ","},
    "DELETE": {"THEN", "ON", "AFTER", "FOR", "GRANT", "REVOKE", "DENY", ","},
    "SET": {"UPDATE", "ON", "DELETE"},
    "FETCH": {"ROW", "ROWS"},  # OFFSET 3 ROWS FETCH NEXT 3 ROWS ONLY
    "ALTER": {"OR"},
    "IF": {"TABLE", "VIEW", "PROCEDURE", "PROC", "FUNCTION", "INDEX", "SCHEMA", "TYPE", "TRIGGER"},
}
_BODIES = {"SELECT", "VALUES", "EXEC", "EXECUTE", "DEFAULT"}  # of an INSERT
_VERBS = {"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"}  # of what has a WITH before it
_PARTS = {"COLUMN", "CONSTRAINT", "PERIOD", "INDEX"}  # ALTER TABLE t DROP COLUMN c
_ROUTINES = {"PROCEDURE", "PROC", "FUNCTION", "TRIGGER"}


# What defines a routine is the first statement of its batch, and has the batch as its body.
_DEFINES = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:CREATE(?:\s+OR\s+ALTER)?|ALTER)\s+"
    r"(?:PROC|PROCEDURE|FUNCTION|TRIGGER)\b",
    re.I | re.S,
)


class _Tokenizer(TSQL.Tokenizer):
    """Without words such as PRINT and END that have all text up to a semicolon behind them."""

    COMMANDS: ClassVar[set[TokenType]] = set()


def tokenized(text: str, dialect: Dialect) -> list[Token]:
    """The tokens of a script."""
    is_tsql = isinstance(dialect, TSQL)
    return list(_Tokenizer(dialect).tokenize(text) if is_tsql else dialect.tokenize(text))


def batched(text: str) -> str:
    """A script with semicolons in place of its lines GO, and everything else at its place."""
    parts, start = [], 0
    for line in (*GO.finditer(text), None):
        batch = text[start : line.start() if line else None]
        parts.append(batch.replace(";", " ") if _DEFINES.match(batch) else batch)
        if line:
            parts.append(";".ljust(len(line[0])))
            start = line.end()
    return "".join(parts)


def split(tokens: list[Token]) -> Iterator[list[Token]]:
    """The statements in what has no semicolon."""
    words = words_of(tokens)
    outer, start, cases = outer_words(words), 0, 0
    for at, word in enumerate(words):
        if word == "CASE" or (word == "END" and cases):
            cases += 1 if word == "CASE" else -1
            continue
        is_start = at > start and not cases and outer[at] in STARTS
        if is_start and not _goes_on(words[start:at], word, words[at + 1 : at + 2]):
            yield tokens[start:at]
            start = at
    if tokens[start:]:
        yield tokens[start:]


def _goes_on(before: list[str], word: str, after: list[str]) -> bool:
    """Whether a word is a part of the statement that has begun."""
    first, seen = before[0], set(before)
    if first in ("CREATE", "ALTER") and seen & _ROUTINES and "PARTITION" not in before[1:2]:
        return True
    if before[-1] in _AFTER.get(word, ()):
        return True
    top = outer_words(before)
    pairs = enumerate(zip(["AS", *top], top, strict=False))
    start = next((at for at, pair in pairs if pair == ("AS", "WITH")), None)
    if first in ("WITH", "CREATE", "ALTER") and start is not None:  # expressions before the verb
        top = top[start:]
        first = next((verb for verb in top if verb in _VERBS), "WITH")
    if first == "WITH":
        return word in _VERBS
    if first == "INSERT":
        return word in _BODIES and not _BODIES & set(top)
    if first == "UPDATE":
        return word == "SET" and "SET" not in top
    return first == "ALTER" and word in ("ALTER", "DROP", "SET") and bool(_PARTS & set(after))
