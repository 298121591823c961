"""API keys: shown once when they are created, stored as hashes.

A key of the scope `sign` is no password of the REST API: a worker signs tokens with it, and what is
stored, in the place of the hash, is the public key that verifies them.

`revoked_at` in the future is when a key expires: so an older server takes it for revoked.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import ColumnElement, insert, or_, select, update
from sqlalchemy.engine import Connection, Row

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
    expires_at: str | None
    revoked_at: str | None  # or expired


def add(store: Database, name: str, scopes: Iterable[str], expires: int | None = None) -> str:
    """Create a key with the scopes and return its secret, which is not stored."""
    wanted = tuple(scope for scope in SCOPES if scope in set(scopes))
    if not wanted:
        raise QuestionError(f"The key has no scope. Expected some of: {', '.join(SCOPES)}.")
    secret = _secret()
    _add(store, name, _hash(secret), " ".join(wanted), expires)
    return secret


def add_signer(store: Database, name: str, public_key: bytes, expires: int | None = None) -> None:
    """Accept the tokens that the other half of the public key signs."""
    _add(store, name, public_key, SIGN, expires)


def rotate(store: Database, name: str, until: int, expires: int | None = None) -> str:
    """Create another key of the name and its scopes; the former is valid until then, too."""
    secret = _secret()
    _rotate(store, name, _hash(secret), until, expires)
    return secret


def rotate_signer(
    store: Database, name: str, public_key: bytes, until: int, expires: int | None = None
) -> None:
    """Accept the tokens of another signing key, and until then those of the former, too."""
    _rotate(store, name, public_key, until, expires)


def is_signing(store: Database, name: str) -> bool:
    """Whether the valid key of the name has the scope `sign`."""
    with engine.reading(store.engine) as connection:
        return bool(_valid(connection, name).scopes == SIGN)


def is_signer(store: Database, public_key: bytes) -> bool:
    """Whether it is the public key of a valid key of the scope `sign`."""
    table = tables.api_key
    query = select(table.c.name).where(
        table.c.hash == public_key, table.c.scopes == SIGN, _is_valid()
    )
    with engine.reading(store.engine) as connection:
        return connection.execute(query).first() is not None


def _add(store: Database, name: str, content: bytes, scopes: str, expires: int | None) -> None:
    table = tables.api_key
    with engine.writing(store.engine) as connection:
        there = connection.execute(select(table).where(table.c.name == name)).first()
        if there and not _is_over(there, clock.parse("now")):
            raise QuestionError(
                f"There is a key {name!r} already. Choose another name, or rotate it."
            )
        if there:  # one that is no longer valid leaves its name to the next
            _rename(connection, name, f"{name} (revoked {clock.iso(there.revoked_at)})")
        _insert(connection, name, content, scopes, expires)


def _rotate(store: Database, name: str, content: bytes, until: int, expires: int | None) -> None:
    table = tables.api_key
    with engine.writing(store.engine) as connection:
        former = _valid(connection, name)
        end = until if former.revoked_at is None else min(until, former.revoked_at)
        ended = update(table).where(table.c.hash == former.hash).values(revoked_at=end)
        connection.execute(ended)
        _rename(connection, name, f"{name} (created {clock.iso(former.created_at)})")
        _insert(connection, name, content, former.scopes, expires)


def _rename(connection: Connection, name: str, to: str) -> None:
    table = tables.api_key
    connection.execute(update(table).where(table.c.name == name).values(name=to))


def _insert(
    connection: Connection, name: str, content: bytes, scopes: str, expires: int | None
) -> None:
    now = clock.parse("now")
    if expires is not None and expires <= now:
        raise QuestionError(f"The key would have expired at {clock.iso(expires)}.")
    row = {"hash": content, "name": name, "scopes": scopes, "revoked_at": expires}
    connection.execute(insert(tables.api_key), [{**row, "created_at": now}])


def _valid(connection: Connection, name: str) -> Row[tuple[object, ...]]:
    """The row of a key; UnknownNode if it is not valid."""
    table = tables.api_key
    row = connection.execute(select(table).where(table.c.name == name, _is_valid())).first()
    if row is None:
        raise UnknownNode(f"There is no valid key {name!r}.")
    return row


def _is_valid() -> ColumnElement[bool]:
    """Keys that are neither revoked nor expired."""
    ends = tables.api_key.c.revoked_at
    return or_(ends.is_(None), ends > clock.parse("now"))


def key_of(store: Database, secret: str) -> tuple[str, frozenset[str]] | None:
    """The name and the scopes of the key; None if it is unknown, expired or revoked."""
    table = tables.api_key
    query = select(table.c.name, table.c.scopes).where(table.c.hash == _hash(secret), _is_valid())
    with engine.reading(store.engine) as connection:
        row = connection.execute(query).first()
    return (row.name, frozenset(row.scopes.split())) if row else None


def scopes_of(store: Database, secret: str) -> frozenset[str]:
    """The scopes of the key; none if it is unknown, expired or revoked."""
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
    now = clock.parse("now")
    return [_shown(row, now) for row in rows]


def _is_over(row: Row[tuple[object, ...]], now: int) -> bool:
    """Whether a key is revoked or expired."""
    return row.revoked_at is not None and bool(row.revoked_at <= now)


def _shown(row: Row[tuple[object, ...]], now: int) -> Key:
    end = None if row.revoked_at is None else clock.iso(row.revoked_at)
    is_over = _is_over(row, now)
    return Key(
        row.name,
        tuple(row.scopes.split()),
        clock.iso(row.created_at),
        None if is_over else end,
        end if is_over else None,
    )


def revoke(store: Database, name: str) -> None:
    """Revoke the key."""
    table = tables.api_key
    with engine.writing(store.engine) as connection:
        revoked = connection.execute(
            update(table)
            .where(table.c.name == name, _is_valid())
            .values(revoked_at=clock.parse("now"))
        )
    if not revoked.rowcount:
        raise UnknownNode(f"There is no valid key {name!r}.")


def _secret() -> str:
    return f"colgraph_{secrets.token_urlsafe(32)}"


def _hash(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
