"""Sessions of people who logged in: the secret is in their browser's cookie, its hash in the store.

So every server of a store knows them, and one that is ended is of no use to whoever copied it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import delete, insert, select

from airflow_colgraph.store.db import engine, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.grants import Grant


class Session(NamedTuple):
    """Who logged in, and what the roles of the login allow."""

    name: str
    caller: str
    grants: tuple[Grant, ...]


def caller(issuer: str, subject: str) -> str:
    """A text that stands for one user of one provider."""
    return sha256(json.dumps([issuer, subject]).encode()).hexdigest()


def begin(store: Database, name: str, caller: str, grants: Sequence[Grant], seconds: float) -> str:
    """Begin a session for so many seconds and return its secret; those that expired are deleted."""
    secret, now = secrets.token_urlsafe(32), clock.parse("now")
    row = {
        "hash": _hash(secret),
        "name": name,
        "caller": caller,
        "grants": json.dumps([[sorted(each.scopes), each.namespaces] for each in grants]),
        "created_at": now,
        "expires_at": now + int(seconds * 1000),
    }
    table = tables.session
    with engine.writing(store.engine) as connection:
        connection.execute(delete(table).where(table.c.expires_at <= now))
        connection.execute(insert(table), [row])
    return secret


def session_of(store: Database, secret: str) -> Session | None:
    """The session; None if there is none, or if it has ended."""
    if not secret:
        return None
    table = tables.session
    query = select(table).where(
        table.c.hash == _hash(secret), table.c.expires_at > clock.parse("now")
    )
    with engine.reading(store.engine) as connection:
        row = connection.execute(query).first()
    if row is None:
        return None
    grants = (
        Grant(frozenset(scopes), None if namespaces is None else tuple(namespaces))
        for scopes, namespaces in json.loads(row.grants)
    )
    return Session(row.name, row.caller, tuple(grants))


def end(store: Database, secret: str) -> None:
    """End the session, if there is one."""
    if session_of(store, secret) is None:
        return
    table = tables.session
    with engine.writing(store.engine) as connection:
        connection.execute(delete(table).where(table.c.hash == _hash(secret)))


def _hash(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
