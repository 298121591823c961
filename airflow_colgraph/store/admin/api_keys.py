"""API keys: shown once when they are created, stored as hashes.

A key of the scope `sign` is no password of the REST API: a worker signs tokens with it, and what is
stored, in the place of the hash, is the public key that verifies them.

`revoked_at` in the future is when a key expires: so an older server takes it for revoked. The
writing scopes of a key for certain namespaces are stored with the suffix OWN: so an older server,
which knows no namespaces, refuses its writes.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, insert, or_, select, update
from sqlalchemy.engine import Connection, Row

from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.db import engine, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.grants import NO_LIMITS, Grant, Limits, require_patterns

SCOPES = ("read", "ingest", "tag", "admin")
SIGN = "sign"
OWN = ":own"
GRANTED = ("scopes", "namespaces", "rate", "max_body", "max_depth")  # what a rotated key keeps
ADD, ROTATE, REVOKE = "key-add", "key-rotate", "key-revoke"  # in the audit log
USED_EVERY = 60_000  # milliseconds between two writes of a key's last use


class Key(NamedTuple):
    """An API key without its secret; `namespaces` None: it may write all."""

    name: str
    scopes: tuple[str, ...]
    created_at: str
    expires_at: str | None
    revoked_at: str | None  # or expired
    used_at: str | None  # within a minute
    namespaces: tuple[str, ...] | None
    limits: Limits


class ValidKey(NamedTuple):
    """A key that is neither revoked nor expired; `hash` is also that of a public key."""

    hash: bytes
    name: str
    grant: Grant


def add(
    store: Database,
    name: str,
    scopes: Iterable[str],
    expires: int | None = None,
    namespaces: Sequence[str] = (),
    limits: Limits = NO_LIMITS,
    by: str = "",
) -> str:
    """Create a key with the scopes and return its secret, which is not stored.

    `namespaces` are patterns of those that it may write, see `model.grants`; none: all. `by` is who
    asks for it, for the audit log.
    """
    wanted = [scope for scope in SCOPES if scope in set(scopes)]
    if not wanted:
        raise QuestionError(f"The key has no scope. Expected some of: {', '.join(SCOPES)}.")
    secret = _secret()
    _add(store, name, _hash(secret), _columns(wanted, namespaces, limits), expires, by)
    return secret


def add_signer(
    store: Database,
    name: str,
    public_key: bytes,
    expires: int | None = None,
    namespaces: Sequence[str] = (),
    limits: Limits = NO_LIMITS,
    by: str = "",
) -> None:
    """Accept the tokens that the other half of the public key signs."""
    _add(store, name, public_key, _columns([SIGN], namespaces, limits), expires, by)


def _columns(scopes: Sequence[str], namespaces: Sequence[str], limits: Limits) -> dict[str, Any]:
    """What the key may do, as it is stored."""
    own = OWN if namespaces else ""
    return {
        "scopes": " ".join(scope if scope == "read" else scope + own for scope in scopes),
        "namespaces": json.dumps(require_patterns(namespaces)) if namespaces else None,
        "rate": limits.rate,
        "max_body": limits.body,
        "max_depth": limits.depth,
    }


def _grant(row: Row[tuple[object, ...]]) -> Grant:
    """The same from its row; a key that an older version rotated may write no namespace."""
    scopes = row.scopes.split()
    is_limited = any(scope.endswith(OWN) for scope in scopes)
    namespaces = tuple(json.loads(row.namespaces or "[]")) if is_limited else None
    limits = Limits(row.rate, row.max_body, row.max_depth)
    return Grant(frozenset(scope.removesuffix(OWN) for scope in scopes), namespaces, limits)


def rotate(store: Database, name: str, until: int, expires: int | None = None, by: str = "") -> str:
    """Create another key of the name and its scopes; the former is valid until then, too."""
    secret = _secret()
    _rotate(store, name, _hash(secret), until, expires, by)
    return secret


def rotate_signer(
    store: Database,
    name: str,
    public_key: bytes,
    until: int,
    expires: int | None = None,
    by: str = "",
) -> None:
    """Accept the tokens of another signing key, and until then those of the former, too."""
    _rotate(store, name, public_key, until, expires, by)


def is_signing(store: Database, name: str) -> bool:
    """Whether the valid key of the name has the scope `sign`."""
    with engine.reading(store.engine) as connection:
        return SIGN in _grant(_valid(connection, name)).scopes


def signer_of(store: Database, public_key: bytes) -> ValidKey | None:
    """The valid key of the scope `sign` with this public key; None if there is none."""
    signer = _key_of(store, public_key)
    return signer if signer and SIGN in signer.grant.scopes else None


def _add(
    store: Database,
    name: str,
    content: bytes,
    columns: dict[str, Any],
    expires: int | None,
    by: str,
) -> None:
    table = tables.api_key
    with engine.writing(store.engine) as connection:
        there = connection.execute(select(table).where(table.c.name == name)).first()
        if there and not _is_over(there, clock.parse("now")):
            raise QuestionError(
                f"There is a key {name!r} already. Choose another name, or rotate it."
            )
        if there:  # one that is no longer valid leaves its name to the next
            _rename(connection, name, f"{name} (revoked {clock.iso(there.revoked_at)})")
        row = _insert(connection, name, content, columns, expires)
        audit.write(connection, ADD, f"key {name}", by, _allowed(row))


def _rotate(
    store: Database, name: str, content: bytes, until: int, expires: int | None, by: str
) -> None:
    table = tables.api_key
    with engine.writing(store.engine) as connection:
        former = _valid(connection, name)
        end = until if former.revoked_at is None else min(until, former.revoked_at)
        ended = update(table).where(table.c.hash == former.hash).values(revoked_at=end)
        connection.execute(ended)
        _rename(connection, name, f"{name} (created {clock.iso(former.created_at)})")
        columns = {column: getattr(former, column) for column in GRANTED}
        row = _insert(connection, name, content, columns, expires)
        result = f"{_allowed(row)}; the former one until {clock.iso(end)}"
        audit.write(connection, ROTATE, f"key {name}", by, result)


def _rename(connection: Connection, name: str, to: str) -> None:
    table = tables.api_key
    connection.execute(update(table).where(table.c.name == name).values(name=to))


def _insert(
    connection: Connection,
    name: str,
    content: bytes,
    columns: dict[str, Any],
    expires: int | None,
) -> Row[tuple[object, ...]]:
    """Insert a valid key; its row."""
    now = clock.parse("now")
    if expires is not None and expires <= now:
        raise QuestionError(f"The key would have expired at {clock.iso(expires)}.")
    row = {**columns, "hash": content, "name": name, "revoked_at": expires}
    connection.execute(insert(tables.api_key), [{**row, "created_at": now}])
    return _valid(connection, name)


def _allowed(row: Row[tuple[object, ...]]) -> str:
    """What a key may do, for the audit log."""
    key = _shown(row, clock.parse("now"))
    parts = [
        " ".join(key.scopes),
        "" if key.namespaces is None else f"writes {' '.join(key.namespaces) or 'nothing'}",
        f"until {key.expires_at}" if key.expires_at else "",
    ]
    return "; ".join(filter(None, parts))


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


def key_of(store: Database, secret: str) -> ValidKey | None:
    """The key; None if it is unknown, expired or revoked."""
    return _key_of(store, _hash(secret))


def _key_of(store: Database, content: bytes) -> ValidKey | None:
    table = tables.api_key
    query = select(table).where(table.c.hash == content, _is_valid())
    with engine.reading(store.engine) as connection:
        row = connection.execute(query).first()
    return ValidKey(row.hash, row.name, _grant(row)) if row else None


def mark_used(store: Database, hashes: Collection[bytes]) -> None:
    """Keep the time as that of the keys' last use, unless they had one within USED_EVERY."""
    table, now = tables.api_key, clock.parse("now")
    is_due = or_(table.c.used_at.is_(None), table.c.used_at <= now - USED_EVERY)
    marked = update(table).where(table.c.hash.in_(hashes), is_due).values(used_at=now)
    with engine.writing(store.engine) as connection:
        connection.execute(marked)


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
    grant = _grant(row)
    return Key(
        row.name,
        tuple(scope for scope in (*SCOPES, SIGN) if scope in grant.scopes),
        clock.iso(row.created_at),
        None if is_over else end,
        end if is_over else None,
        None if row.used_at is None else clock.iso(row.used_at),
        grant.namespaces,
        grant.limits,
    )


def revoke(store: Database, name: str, by: str = "") -> None:
    """Revoke the key; `by` is who asks for it, for the audit log."""
    table = tables.api_key
    with engine.writing(store.engine) as connection:
        revoked = connection.execute(
            update(table)
            .where(table.c.name == name, _is_valid())
            .values(revoked_at=clock.parse("now"))
        )
        if not revoked.rowcount:
            raise UnknownNode(f"There is no valid key {name!r}.")
        audit.write(connection, REVOKE, f"key {name}", by, "revoked")


def _secret() -> str:
    return f"colgraph_{secrets.token_urlsafe(32)}"


def _hash(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
