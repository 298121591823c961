"""The listeners of an application's sessions, without a hold on the sessions that Spark has closed.

A server of Spark Connect begins a session for each client and closes it when the client has gone.
The JVM cannot free what Python holds: here the managers of listeners, which have their sessions,
and the catalogs of the latest MOST_CATALOGS sessions with a query. So a server is asked, after
every SWEEP sessions, which of them are still open.
"""

from __future__ import annotations

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from airflow_colgraph.collector.driver.query_listener import QueryListener
from airflow_colgraph.collector.driver.worker import Worker
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.jvm import Java, weak
from airflow_colgraph.collector.spark.plan_memory import PlanMemory
from airflow_colgraph.collector.spark.sessions import end_streams_listening

MOST_CATALOGS = 16
SWEEP = 16  # sessions that begin until those that have gone are looked for


class Registered(NamedTuple):
    """A session's listener, and the manager that it is registered with."""

    number: int  # of the session, in the order in which they began
    session: Java  # a WeakReference
    manager: Java
    listener: QueryListener
    is_stream: bool  # cloned for a stream


class SessionListeners:
    """The listeners by the UUIDs of their sessions."""

    def __init__(self, worker: Worker, open_sessions: Callable[[], set[str]] | None) -> None:
        """No session has begun. `open_sessions` are the clients' of a server that runs long."""
        self._worker = worker
        self._open_sessions = open_sessions
        self._registered: dict[str, Registered] = {}
        self._catalogs: OrderedDict[str, Catalog] = OrderedDict()
        self._plans = PlanMemory()
        self._lock = threading.Lock()
        self._begun = 0

    def __contains__(self, uuid: str) -> bool:
        """Whether a session has a listener."""
        return uuid in self._registered

    def __getitem__(self, uuid: str) -> QueryListener:
        """A session's listener."""
        return self._registered[uuid].listener

    def register(self, session: Java, manager: Java, jvm: Java, *, is_stream: bool = False) -> None:
        """Listen to a session, which may not be ready yet, by a manager of listeners."""
        uuid, held = str(session.sessionUUID()), weak(session)
        listener = QueryListener(self._worker, partial(self._catalog, uuid, held, jvm))
        manager.register(listener)
        with self._lock:
            self._begun += 1
            self._registered[uuid] = Registered(self._begun, held, manager, listener, is_stream)
            is_time = self._open_sessions is not None and self._begun % SWEEP == 0
        if is_time:
            self._worker.do(self._sweep)

    def _catalog(self, uuid: str, held: Java, jvm: Java) -> Catalog:
        """What a session knows of its tables, made again if it had no query for long."""
        with self._lock:
            cached = self._catalogs.get(uuid)
            if cached is not None:
                self._catalogs.move_to_end(uuid)
                return cached
        catalog = Catalog(held.get(), jvm, self._plans)
        with self._lock:
            self._catalogs[uuid] = catalog
            if len(self._catalogs) > MOST_CATALOGS:
                self._catalogs.popitem(last=False)
        return catalog

    def _sweep(self) -> None:
        """Forget the clients' sessions that are closed; streams' own and the latest are kept."""
        assert self._open_sessions is not None
        still = self._open_sessions()
        with self._lock:
            older = [*self._registered.items()][:-SWEEP]
        for uuid, registered in older:
            if registered.number > 1 and uuid not in still and not registered.is_stream:
                session = registered.session.get()
                if session is not None:
                    end_streams_listening(session)
                self.forget(uuid)
        gc.collect()  # py4j's objects are in cycles, which Python finds late if it does little

    def forget(self, uuid: str) -> None:
        """Let a session go: Spark ends the listening when nobody holds the manager."""
        with self._lock:
            self._registered.pop(uuid, None)
            self._catalogs.pop(uuid, None)

    def stop(self) -> None:
        """Listen no more."""
        from py4j.protocol import Py4JError  # type: ignore[import-untyped,unused-ignore]

        with suppress(Py4JError, OSError):  # the JVM may be gone
            for registered in list(self._registered.values()):
                registered.manager.unregister(registered.listener)
