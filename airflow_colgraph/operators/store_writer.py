"""Hand a task's event to the lineage store, within a time limit; keep what it does not take.

deliver(write, event, seconds=5, spool=task_spool(folder))
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic, sleep
from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.collector.sinks.file import is_local
from airflow_colgraph.collector.sinks.spool import REMOTE_SECONDS, Spool
from airflow_colgraph.openlineage.redaction import without_credentials
from airflow_colgraph.operators.deadline import TooSlow, within
from airflow_colgraph.store.errors import EventError, StoreError, StoreUnavailable, UnknownNode
from airflow_colgraph.store.model.shown_url import shown_url
from airflow_colgraph.store.query.dataset_details import table_columns
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.store import Store

DEADLINE_SECONDS = 5
PAUSE_SECONDS = 0.2  # before the store is asked again
STORE_SHARE = 0.8  # of the time; the rest is for what is kept
KEEP_SECONDS = 1.0  # at least, on this machine


class NotStored(StoreError):
    """The store did not take an event; the text says why, and where the event is kept."""


def known_fields(
    url: str, names: list[tuple[str, str]], seconds: float | None = None
) -> dict[tuple[str, str], dict[str, str]]:
    """The columns of tables in their order, with their types, where the store has a schema."""
    with Store.open(url, create=False, seconds=seconds) as store:
        return {name: columns for name in names if (columns := store.ask(partial(_fields, name)))}


def _fields(name: tuple[str, str], connection: Connection) -> dict[str, str]:
    try:
        dataset = find_dataset(connection, *name)
    except UnknownNode:
        return {}
    return table_columns(connection, dataset)


def write_event(url: str, event: dict[str, Any], seconds: float, spool: Spool) -> str:
    """Write the event to the store at `url`, created if needed; returns the URL without secrets."""

    def write() -> None:
        with Store.open(url, seconds=limit_of(seconds)) as store:
            store.add(event)

    deliver(write, event, seconds, spool)
    return shown_url(url)


def limit_of(seconds: float) -> float:
    """The time limit of the database's own: shorter than that of the delivery, to name the cause.

    PostgreSQL ends what is cancelled; a thread that is left to itself may hold a lock.
    """
    return max(0.001, seconds * STORE_SHARE * STORE_SHARE)


def deliver(write: Callable[[], None], event: Any, seconds: float, spool: Spool) -> None:
    """Write an event to the store, again while that may help, or keep it in the spool.

    NotStored, if it is not acknowledged within `seconds`, says why, and where it is kept.
    """
    started = monotonic()
    try:
        within(seconds * STORE_SHARE, partial(_again, write, started + limit_of(seconds)))
    except EventError:
        raise  # the store will never take it
    except Exception as error:
        ours = isinstance(error, (StoreError, TooSlow))
        why = str(error).rstrip(".") if ours else f"writing it failed ({type(error).__name__})"
        least = KEEP_SECONDS if is_local(spool.uri) else REMOTE_SECONDS
        left = max(least, seconds - (monotonic() - started))
        raise NotStored(f"{why}. {_kept(event, left, spool)}") from error


def _again(write: Callable[[], None], until: float) -> None:
    """Write, until that succeeds or cannot; no try begins after `until`."""
    while True:
        try:
            write()
            return
        except StoreUnavailable:
            if monotonic() + PAUSE_SECONDS > until:
                raise
        sleep(PAUSE_SECONDS)


def _kept(event: Any, seconds: float, spool: Spool) -> str:
    """Keep an event in the spool; returns the sentence that says so."""
    try:
        path = within(seconds, partial(spool.keep, event))
    except (OSError, TooSlow) as error:
        uri = without_credentials(spool.uri)
        return f"The event is lost: it cannot be kept in {uri} either: {error}"
    text = f"The event is kept in {path}; deliver it with: colgraph deliver {spool.uri}"
    return f"{without_credentials(text)}{spool.note()}"
