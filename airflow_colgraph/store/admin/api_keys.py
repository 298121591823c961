"""API keys: shown once when they are created, stored as hashes.

A key of the scope `sign` is no password of the REST API: a worker signs tokens with it, and what is
stored, in the place of the hash, is the public key that verifies them.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import insert, select, update

from airflow_colgraph.store.db import engine, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model import clock

SCOPES = ("read", "ingest", "tag", "admin")
SIGN = "sign"


class Key(NamedTuple):
    """An API key without its secret."""

    name: str
    scopes: tuple[str, ...]
    created_at: str
    revoked_at: str | None


def add(store: Database, name: str, scopes: Iterable[str]) -> str:
    """Create a key with the scopes and return its secret, which is not stored."""
    wanted = tuple(scope for scope in SCOPES if scope in set(scopes))
    if not wanted:
        raise QuestionError(f"The key has no scope. Expected some of: {', '.join(SCOPES)}.")
    secret = f"colgraph_{secrets.token_urlsafe(32)}"
    _insert(store, name, _hash(secret), " ".join(wanted))
    return secret


def add_signer(store: Database, name: str, public_key: bytes) -> None:
    """Accept the tokens that the other half of the public key signs."""
    _insert(store, name, public_key, SIGN)


def is_signer(store: Database, public_key: bytes) -> bool:
    """Whether it is the public key of a valid key of the scope `sign`."""
    table = tables.api_key
    query = select(table.c.name).where(
        table.c.hash == public_key, table.c.scopes == SIGN, table.c.revoked_at.is_(None)
    )
    with engine.reading(store.engine) as connection:
        return connection.execute(query).first() is not None


def _insert(store: Database, name: str, content: bytes, scopes: str) -> None:
    table = tables.api_key
    row = {"hash": content, "name": name, "scopes": scopes}
    with engine.writing(store.engine) as connection:
        there = connection.execute(select(table.c.revoked_at).where(table.c.name == name)).first()
        if there and there.revoked_at is None:
            raise QuestionError(f"There is a key {name!r} already. Choose another name.")
        if there:  # a revoked one leaves its name to the next
            former = f"{name} (revoked {clock.iso(there.revoked_at)})"
            connection.execute(update(table).where(table.c.name == name).values(name=former))
        connection.execute(insert(table), [{**row, "created_at": int(time.time() * 1000)}])


def key_of(store: Database, secret: str) -> tuple[str, frozenset[str]] | None:
    """The name and the scopes of the key; None if it is unknown or revoked."""
    table = tables.api_key
    query = select(table.c.name, table.c.scopes).where(
        table.c.hash == _hash(secret), table.c.revoked_at.is_(None)
    )
    with engine.reading(store.engine) as connection:
        row = connection.execute(query).first()
    return (row.name, frozenset(row.scopes.split())) if row else None


def scopes_of(store: Database, secret: str) -> frozenset[str]:
    """The scopes of the key; none if it is unknown or revoked."""
    key = key_of(store, secret)
    return key[1] if key else frozenset()


def name_of(store: Database, caller: str) -> str:
    """The name of the key whose hash, in hexadecimal digits, the caller is; empty if none is."""
    if not caller:
        return ""
    table = tables.api_key
    query = select(table.c.name).where(table.c.hash == bytes.fromhex(caller))
    with engine.reading(store.engine) as connection:
        return str(connection.execute(query).scalar() or "")


def every(store: Database) -> list[Key]:
    """All keys, by name."""
    table = tables.api_key
    with engine.reading(store.engine) as connection:
        rows = connection.execute(select(table).order_by(table.c.name)).all()
    return [
        Key(
            row.name,
            tuple(row.scopes.split()),
            clock.iso(row.created_at),
            None if row.revoked_at is None else clock.iso(row.revoked_at),
        )
        for row in rows
    ]


def revoke(store: Database, name: str) -> None:
    """Revoke the key."""
    table = tables.api_key
    with engine.writing(store.engine) as connection:
        revoked = connection.execute(
            update(table)
            .where(table.c.name == name, table.c.revoked_at.is_(None))
            .values(revoked_at=int(time.time() * 1000))
        )
    if not revoked.rowcount:
        raise UnknownNode(f"There is no valid key {name!r}.")


def _hash(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
