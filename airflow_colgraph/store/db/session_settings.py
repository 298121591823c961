"""Settings of connections to PostgreSQL: no JIT, and limits of time."""

from __future__ import annotations

from math import ceil
from typing import Any

# The store's statements read few rows of large tables: compiling them takes longer than they do.
_ALWAYS = {"jit": "off"}
IDLE = 60  # seconds after which PostgreSQL ends a transaction whose process says nothing


def connecting(seconds: float) -> dict[str, int]:
    """Parameters of libpq that bound connecting, and find a host that has gone away."""
    whole = ceil(seconds)
    return {
        "connect_timeout": whole,
        "tcp_user_timeout": whole * 1000,
        "keepalives_idle": whole,
        "keepalives_interval": 1,
    }


def of(seconds: float | None) -> dict[str, str]:
    """The settings by name; with `seconds`, limits on statements, locks and idle transactions.

    That on locks is the shorter one, so that the error tells of the lock. A transaction whose
    process has stopped, or whose machine is gone, would hold the writers' lock for hours.

    >>> of(5)
    {'jit': 'off', 'statement_timeout': '5000', 'lock_timeout': '4500', \
'idle_in_transaction_session_timeout': '60000'}
    """
    if seconds is None:
        return _ALWAYS
    limit = ceil(seconds * 1000)
    locks = max(1, limit * 9 // 10)
    return {
        **_ALWAYS,
        "statement_timeout": str(limit),
        "lock_timeout": str(locks),
        "idle_in_transaction_session_timeout": str(max(limit, IDLE * 1000)),
    }


def apply(connection: Any, settings: dict[str, str]) -> list[str]:
    """Apply settings to a driver's connection; returns the statements that a transaction needs.

    There are none if the session is the connection's own. A pooler such as PgBouncer lends a
    session to one program after the other, so it is left as it is.
    """
    names = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in settings.items())
    pid = int(connection.info.backend_pid)  # a pooler answers with a number of its own
    cursor = connection.cursor()
    cursor.execute(f"SELECT {names} FROM (SELECT 1) AS own WHERE pg_backend_pid() = {pid}")
    if cursor.fetchone():
        return []
    if hasattr(connection, "prepare_threshold"):  # psycopg 3
        connection.prepare_threshold = None  # a prepared statement is in one session only
    return [f"SET LOCAL {name} = '{value}'" for name, value in settings.items()]
