"""SQL text to sqlglot's trees, a statement at a time. Pure."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sqlglot import Dialect, exp
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.tokens import Token, TokenType

COMMAND = "Unparsed"


@contextmanager
def _quiet() -> Iterator[None]:
    """Without sqlglot's warnings: they quote the text, and so its literals."""
    logger = logging.getLogger("sqlglot")
    was = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = was


def has_dialect(name: str) -> bool:
    """Whether sqlglot knows the dialect."""
    try:
        Dialect.get_or_raise(name)
    except ValueError:
        return False
    return True


def statements(text: str, dialect: str) -> list[exp.Expression]:
    """The statements of a script, with names in the case that the database has them in.

    A statement that can't be parsed is an `exp.Command` whose name is `Unparsed`; the others are
    read all the same.
    """
    with _quiet():
        chosen = Dialect.get_or_raise(dialect)
        try:
            tokens = chosen.tokenize(text)
        except SqlglotError:
            return [_unparsed()]
        return [
            normalize_identifiers(one, dialect=chosen) if not isinstance(one, exp.Command) else one
            for part in _split(tokens)
            for one in _parsed(text[part[0].start : part[-1].end + 1], part, chosen)
        ]


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    part: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def _unparsed() -> exp.Command:
    return exp.Command(this=COMMAND)


def _parsed(text: str, tokens: list[Token], dialect: Dialect) -> list[exp.Expression]:
    first = tokens[0].text.upper()
    if first == "REPLACE" and len(tokens) > 1:  # MySQL's and SQLite's INSERT OR REPLACE
        text = f"INSERT{text[len('REPLACE') :]}"
    try:
        found = dialect.parse(text, error_level=ErrorLevel.RAISE)
    except (SqlglotError, RecursionError):
        return [exp.Command(this=f"{first} block" if first in PROCEDURAL else COMMAND)]
    return [one for one in found if one is not None]


# The first words of statements that run code which can't be seen.
PROCEDURAL = {"CALL", "DO", "EXEC", "EXECUTE", "BEGIN", "DECLARE", "IF", "WHILE", "LOOP", "FOR"}
