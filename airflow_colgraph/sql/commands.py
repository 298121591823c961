"""Statements that sqlglot only knows by their first words, and which of them move no rows. Pure."""

from __future__ import annotations

import re

HARMLESS_WORDS = {
    "ANALYZE", "VACUUM", "EXPLAIN", "SHOW", "DESCRIBE", "GRANT", "REVOKE", "COMMENT", "SET",
    "RESET", "LOCK", "COMMIT", "ROLLBACK", "END", "SAVEPOINT", "RELEASE", "LISTEN",
    "NOTIFY", "DISCARD", "CHECKPOINT", "CLUSTER", "REINDEX", "OPTIMIZE", "MSCK", "PRAGMA", "ATTACH",
    "DETACH", "INSTALL", "SECURITY", "DEALLOCATE", "USE", "UNDROP", "PRINT", "THROW", "RAISERROR",
    "KILL", "FLUSH", "PUT", "LIST", "REMOVE", "PURGE", "COLLECT", "WAITFOR", "CANCEL", "ADD", "BT",
    "BREAK", "CHECK", "EXIT", "CLEAR", "CONTINUE", "DBCC", "DELIMITER", "ET", "EXISTS", "FORCE",
    "FSCK", "GENERATE", "GO", "HELP", "ITERATE", "LEAVE", "PREPARE", "RELOAD", "REORG", "RETURN",
    "SYSTEM", "UNLOCK", "WHENEVER", "BACKUP", "DENY", "DISABLE", "ENABLE", "GOTO", "RECONFIGURE",
    "REVERT", "SAVE",
}  # fmt: skip
_MOVING = {"APPEND", "SWITCH", "EXCHANGE", "SWAP", "ATTACH"}  # ALTER TABLE .. that moves rows
_NO_ROWS = {
    "FUNCTION", "PROCEDURE", "PROC", "INDEX", "USER", "ROLE", "SCHEMA", "DATABASE", "SEQUENCE",
    "EXTENSION", "TYPE", "DOMAIN", "TRIGGER", "POLICY", "STAGE", "WAREHOUSE", "GROUP", "AGGREGATE",
    "COLLATION", "SERVER", "PUBLICATION", "SUBSCRIPTION", "STATISTICS", "SYSTEM", "DEFAULT",
    "SESSION",
    "STREAM", "PIPE", "TASK", "FILE", "RULE", "EVENT", "MASKING", "TAG", "INTEGRATION", "SHARE",
    "CATALOG", "CONNECTION", "SECRET", "VOLUME", "CREDENTIAL", "DATA", "FULLTEXT", "LOGIN",
    "MASTER", "PARTITION",
}  # fmt: skip
SECOND_WORDS = {
    "CREATE": _NO_ROWS,
    "ALTER": _NO_ROWS | {"TABLE", "VIEW", "MATERIALIZED"},
    "DROP": _NO_ROWS,
    "BEGIN": {"", "WORK", "TRANSACTION", "TRAN", "ISOLATION", "DISTRIBUTED"},
    "START": {"TRANSACTION"},
    "UPDATE": {"STATISTICS"},
}
BEFORE_KIND = {"OR", "REPLACE", "UNIQUE", "EXTERNAL", "PERSISTENT", "SEARCH", "VECTOR"}
_SEARCH_PATH = re.compile(
    r"(?:(?:local|session)\s+)?(?:set\s+)?(?:search_path|(?:current_)?schema|database)\b"
    r"(?:\s+to\b|\s*=)?\s*(.+)",
    re.I | re.S,
)
_CATALOG = re.compile(r"catalog\s+[`'\"]?([^\s`'\"]+)", re.I)


def is_harmless(word: str, rest: list[str]) -> bool:
    """Whether a command moves no rows, by its first words: ANALYZE, CREATE FUNCTION, BEGIN WORK."""
    word, *others = word.split()
    rest = [*others, *rest]
    if word in HARMLESS_WORDS or (word == "LOAD" and len(rest) == 1):  # DuckDB's LOAD httpfs
        return True
    if word in ("OPEN", "CLOSE"):  # of a cursor, whose query is known from its declaration
        return "FOR" not in rest
    second = next((each for each in rest if each not in BEFORE_KIND), "")
    if word == "ALTER" and (not _MOVING.isdisjoint(rest) or "TO TABLE" in " ".join(rest)):
        return False
    return second in SECOND_WORDS.get(word, ())


def is_known(word: str, rest: list[str]) -> bool:
    """Whether a command is a statement of some database: its first words are no mistake."""
    return is_harmless(word, rest) or (word == "ALTER" and is_harmless("ALTER", rest[:1]))


def search_path(text: str) -> tuple[str, ...]:
    """The schemas that `SET search_path TO a, b` names, of what follows SET.

    So do Oracle's `ALTER SESSION SET CURRENT_SCHEMA = a` and Teradata's `SET SESSION DATABASE a`.
    """
    match = _SEARCH_PATH.match(text.strip())
    parts = match[1].split(",") if match else ()
    return tuple(part.strip().strip("'\"") for part in parts)


def catalog(text: str) -> str:
    """The catalog that Spark's `SET CATALOG c` names, of what follows SET; or ""."""
    match = _CATALOG.match(text.strip())
    return match[1] if match else ""


# Tables that exchange rows as a whole ----------------------------------------------------------

_PART = r'(?:[\w$#]+|"[^"]+"|`[^`]+`|\[[^\]]+\])'
_NAME = rf"({_PART}(?:\.{_PART})*)"
_TABLE = rf"ALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?{_NAME}\s+"
_TEXT = r"'([^']+)'"
SWAP, BOTH, FIRST, SECOND = "all rows", "some rows", "rows of the second", "rows of the first"
# Of the two tables that each names: both get the other's rows, or one does.
EXCHANGES = {
    re.compile(rf"\s*{pattern}", re.I | re.S): kind
    for pattern, kind in (
        (rf"{_TABLE}SWAP\s+WITH\s+{_NAME}", SWAP),
        (rf"EXCHANGE\s+(?:TABLES|DICTIONARIES)\s+{_NAME}\s+AND\s+{_NAME}", SWAP),
        (rf"{_TABLE}EXCHANGE\s+(?:SUB)?PARTITION\b.*?\bWITH\s+TABLE\s+{_NAME}", BOTH),
        (rf"{_TABLE}(?:REPLACE|ATTACH)\s+PARTITION\b.*?\bFROM\s+{_NAME}\s*;?\s*$", FIRST),
        (rf"{_TABLE}ATTACH\s+PARTITION\s+{_NAME}\s+(?:FOR\s+VALUES|DEFAULT)\b", FIRST),
        (rf"{_TABLE}APPEND\s+FROM\s+{_NAME}", FIRST),
        (rf"{_TABLE}MOVE\s+PARTITION\b.*?\bTO\s+TABLE\s+{_NAME}", SECOND),
        (rf"{_TABLE}SWITCH\b.*?\bTO\s+{_NAME}", SECOND),
        (rf"SELECT\s+SWAP_PARTITIONS_BETWEEN_TABLES\s*\(\s*{_TEXT}.*,\s*{_TEXT}\s*\)", BOTH),
        (rf"SELECT\s+(?:MOVE|COPY)_PARTITIONS_TO_TABLE\s*\(\s*{_TEXT}.*,\s*{_TEXT}\s*[,)]", SECOND),
    )
}
# What changes a table's columns or their order, of what sqlglot does not read.
_RESHAPES = re.compile(
    rf"\s*{_TABLE}(?:.*\b(?:ADD|CHANGE|DROP|RENAME|REPLACE)\s+COLUMNS?\b|CHANGE\s|"
    r".*\b(?:FIRST|AFTER\s+\S+)\s*;?\s*$)",
    re.I | re.S,
)
RENAMES = re.compile(r"\s*RENAME\s+TABLES?\s+(?:IF\s+EXISTS\s+)?(.+)", re.I | re.S)
RENAMED_PAIR = re.compile(rf"{_NAME}\s+TO\s+{_NAME}", re.I)


def reshaped(text: str) -> str:
    """The table whose columns an ALTER TABLE changes in a way that is not read; or ""."""
    match = _RESHAPES.match(text)
    return match[1] if match else ""


def is_exchange(text: str) -> bool:
    """Whether a statement moves whole tables or partitions."""
    return bool(RENAMES.match(text) or any(pattern.match(text) for pattern in EXCHANGES))
