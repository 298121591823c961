"""The texts of cursors: the rows of a query, which FETCH and FOR put into variables. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from sqlglot import Dialect

from airflow_colgraph.sql.targets import Target, targets_at

_NAME = r"[@\w$#]+"
# `DECLARE c CURSOR FOR SELECT ..`, Oracle's `CURSOR c IS ..`, `OPEN c FOR ..`.
DECLARATION = re.compile(
    rf"\s*(?:(?:DECLARE\s+|LET\s+)?(?:CURSOR\s+(?P<own>{_NAME})(?:\s*\([^)]*\))?\s+(?:IS|AS)"
    rf"|(?P<name>{_NAME})\s+(?:\w+\s+)*?CURSOR(?:\s+\w+)*?\s+FOR)|OPEN\s+(?P<opened>{_NAME})\s+FOR)"
    r"\s+(?P<query>(?:WITH\b|SELECT\b|\().*)",
    re.I | re.S,
)
# `OPEN c`, perhaps with its arguments, and `CLOSE c`.
STATE = re.compile(rf"\s*(OPEN|CLOSE|DEALLOCATE)\s+({_NAME})\s*(?:\([^)]*\))?\s*$", re.I)
FETCH = re.compile(
    r"\s*FETCH\s+(?:(?:NEXT|PRIOR|FIRST|LAST|(?:ABSOLUTE|RELATIVE)\s+\S+)\s+)?(?:(?:FROM|IN)\s+)?"
    rf"(?P<cursor>{_NAME})\s+(?:BULK\s+COLLECT\s+)?INTO\s+(?P<targets>[^;]+?)(?:\s+LIMIT\s+\S+)?\s*$",
    re.I | re.S,
)


class Fetch(NamedTuple):
    """The variables that get a row of a cursor."""

    cursor: str
    targets: list[Target]
    is_row: bool = False  # whether the one variable is a whole row


def declared_cursor(text: str) -> tuple[str, str] | None:
    """The name of the cursor that a statement declares, and its query."""
    match = DECLARATION.match(text)
    if match is None:
        return None
    return match["own"] or match["name"] or match["opened"], match["query"]


def fetched(text: str, dialect: Dialect) -> Fetch | None:
    """What a FETCH .. INTO puts where."""
    match = FETCH.match(text)
    if match is None:
        return None
    targets, _ = targets_at(dialect.tokenize(match["targets"]))
    return Fetch(match["cursor"], targets)
