"""Statements that sqlglot only knows by their first words, and which of them move no rows. Pure."""

from __future__ import annotations

HARMLESS_WORDS = {
    "ANALYZE", "VACUUM", "EXPLAIN", "SHOW", "DESCRIBE", "GRANT", "REVOKE", "COMMENT", "SET",
    "RESET", "LOCK", "COMMIT", "ROLLBACK", "END", "SAVEPOINT", "RELEASE", "LISTEN",
    "NOTIFY", "DISCARD", "CHECKPOINT", "CLUSTER", "REINDEX", "OPTIMIZE", "MSCK", "PRAGMA", "ATTACH",
    "DETACH", "INSTALL", "SECURITY", "DEALLOCATE", "USE", "UNDROP", "PRINT",
    "KILL", "FLUSH", "PUT", "LIST", "REMOVE", "PURGE",
}  # fmt: skip
_NO_ROWS = {
    "FUNCTION", "PROCEDURE", "INDEX", "USER", "ROLE", "SCHEMA", "DATABASE", "SEQUENCE", "EXTENSION",
    "TYPE", "DOMAIN", "TRIGGER", "POLICY", "STAGE", "WAREHOUSE", "GROUP", "AGGREGATE", "COLLATION",
    "SERVER", "PUBLICATION", "SUBSCRIPTION", "STATISTICS", "SYSTEM", "DEFAULT", "SESSION",
}  # fmt: skip
SECOND_WORDS = {
    "CREATE": _NO_ROWS,
    "ALTER": _NO_ROWS | {"TABLE", "VIEW", "MATERIALIZED"},
    "DROP": _NO_ROWS,
    "BEGIN": {"", "WORK", "TRANSACTION", "TRAN", "ISOLATION"},
    "START": {"TRANSACTION"},
}


def is_definition(word: str, rest: list[str]) -> bool:
    """Whether a command moves no rows by its second word: CREATE FUNCTION, BEGIN WORK."""
    second = next((each for each in rest if each not in ("OR", "REPLACE", "UNIQUE")), "")
    return second in SECOND_WORDS.get(word, ())
