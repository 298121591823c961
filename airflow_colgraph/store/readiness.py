"""Whether a store can be used: its tables, whether it takes writes, and its disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

from sqlalchemy import text

from airflow_colgraph.store.db.engine import file_of
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.migrations import HEAD, mismatch, revision_of
from airflow_colgraph.store.store import Store

LEAST_FREE = 100_000_000  # bytes of the disk of a SQLite file
IS_READ_ONLY = text("SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'")


def checks(store: Store) -> dict[str, str]:
    """What is wrong by what was looked at: `schema`, `writes` and `disk`; an empty text is well."""
    return {name: _answer(check, store) for name, check in CHECKS.items()}


def _answer(check: Callable[[Store], str], store: Store) -> str:
    try:
        return check(store)
    except StoreError as error:
        return str(error)


def _schema(store: Store) -> str:
    revision = revision_of(store.engine)
    if revision and revision >= HEAD:  # a migration, which only adds, while this server runs
        return ""
    return f"The store {mismatch(revision, HEAD)}"


def _writes(store: Store) -> str:
    file = file_of(store.engine)
    if file is not None:
        is_writable = os.access(file, os.W_OK) and os.access(file.resolve().parent, os.W_OK)
        return "" if is_writable else "The file of the store, or its folder, is read-only."
    if store.engine.dialect.name != "postgresql":
        return ""
    with store.connection() as connection:
        is_read_only = connection.execute(IS_READ_ONLY).scalar()
    return "The database takes no writes: it is a standby, or read-only." if is_read_only else ""


def disk(store: Store) -> str:
    """What is wrong with the disk of a SQLite file; nothing is known of PostgreSQL's."""
    file = file_of(store.engine)
    if file is None or not file.exists():
        return ""
    free = shutil.disk_usage(file.resolve().parent).free
    return "" if free >= LEAST_FREE else f"The disk has {free // 1_000_000} MB left."


CHECKS: dict[str, Callable[[Store], str]] = {"schema": _schema, "writes": _writes, "disk": disk}
