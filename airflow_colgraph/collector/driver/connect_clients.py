"""The server's side of lineage by Spark Connect: a run for each client that asks for its events.

See `connect_protocol`. All but `session_begins` is called by the worker's thread.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from airflow_colgraph.collector.connect_protocol import (
    CLIENT,
    ENDED,
    EVENT,
    HELD,
    LOST,
    SERVER,
    ending,
    state,
)
from airflow_colgraph.collector.driver.application_run import run_of
from airflow_colgraph.collector.events.build import output_to, run_event
from airflow_colgraph.collector.events.facets import ApplicationRun, diagnostics_facet
from airflow_colgraph.collector.openlineage import JobEvent, RunEvent, RunFacets
from airflow_colgraph.collector.settings import OPTIONS, PREFIX, read
from airflow_colgraph.collector.spark.iceberg_commits import BY_NO_QUERY
from airflow_colgraph.collector.spark.jvm import Java, seq, weak
from airflow_colgraph.collector.spark.sessions import is_a_clone
from airflow_colgraph.collector.spark.streaming import Stream
from airflow_colgraph.collector.spark.translate import FinishedQuery

MOST_REMEMBERED = 10_000  # sessions; of older ones all commits count
MOST_HELD = 32_000_000  # characters of events that a client's session holds

Emit = Callable[["RunEvent | JobEvent"], None]


@dataclass
class Client:
    """A client's session, its run, and what the session holds for it."""

    token: str
    session: Java  # a WeakReference
    run: ApplicationRun
    events: int = 0
    size: int = 0
    lost: int = 0
    ended: bool = False
    dropped_before: int = 0  # queries of the server, when the client began

    def hold(self, event: Any) -> bool:
        """Keep an event for the client; False if it is too much, or its run is over."""
        text = json.dumps(event, separators=(",", ":"))
        session = None if self.ended else self.session.get()
        if session is None:
            return False
        if self.size + len(text) > MOST_HELD:
            self.lost += 1
            session.conf().set(LOST, str(self.lost))
            return False
        session.conf().set(f"{EVENT}{self.events}", text)
        self.events += 1
        self.size += len(text)
        session.conf().set(HELD, str(self.events))
        return True


class ConnectClients:
    """The clients of one Spark Connect server, by the runs of their events."""

    def __init__(
        self, context: Java, run: ApplicationRun, commits: Callable[[], tuple[str, ...]]
    ) -> None:
        """No client has asked yet; `run` is that of sessions which have asked for nothing."""
        self._context = context
        self._run = run
        self._commits = commits
        self._commits_before: OrderedDict[str, int] = OrderedDict()  # by the UUIDs of sessions
        self._by_token: dict[str, Client] = {}
        self._by_run: dict[str, Client] = {}
        self.is_on = option_of(context.conf(), SERVER) == "true"

    def session_begins(self, session: Java) -> None:
        """Remember what was committed before a client's session can do anything."""
        if self.is_on:
            self._remember(session, len(self._commits()))

    def _remember(self, session: Java, commits: int) -> None:
        if not commits:
            return
        self._commits_before[str(session.sessionUUID())] = commits
        if len(self._commits_before) > MOST_REMEMBERED:
            self._commits_before.popitem(last=False)

    def run_of(
        self, finished: FinishedQuery, release: Callable[[], None], emit: Emit, dropped: int
    ) -> ApplicationRun:
        """The run that a session's next query belongs to.

        After the client's last query all of its queries are processed: `release` emits the
        writes that wait for a command, and `emit` gets the run's last event.
        """
        if not self.is_on:
            return self._run
        session = finished.catalog.session
        token, end = state(option_of(session.conf(), CLIENT))
        if not token:
            return self._run
        client = self._by_token.get(token)
        if client is None:
            if is_a_clone(session):  # of a stream: what its client asks of it would not be seen
                return self._run
            client = self._begin(token, session, emit)
            client.dropped_before = dropped
        if end and not client.ended and is_last(finished, token):
            release()
            commits = self._commits()
            before = self._commits_before.get(str(session.sessionUUID()), 0)
            lacking = _lacking(dropped - client.dropped_before, commits[before:])
            emit(run_event(client.run, end, run_facets=lacking))
            client.ended = True
            self._remember(session, len(commits))
            session.conf().set(ENDED, token)
        return client.run

    def _begin(self, token: str, session: Java, emit: Emit) -> Client:
        names = [option.name for option in OPTIONS]
        properties = {PREFIX + name: option_of(session.conf(), PREFIX + name) for name in names}
        settings = read({name: value for name, value in properties.items() if value})
        self._forget_gone()
        client = Client(token, weak(session), run_of(self._context, settings))
        self._by_token[token] = self._by_run[client.run.run_id] = client
        emit(run_event(client.run, "START"))
        return client

    def _forget_gone(self) -> None:
        """Forget the clients whose sessions Spark has closed."""
        for token, client in list(self._by_token.items()):
            if client.session.get() is None:
                del self._by_token[token], self._by_run[client.run.run_id]

    def deliver(self, event: Mapping[str, Any]) -> bool:
        """Keep an event for the client whose run it belongs to; False if it is nobody's."""
        client = self._by_run.get(event["run"]["runId"]) if "run" in event else None
        return client is not None and client.hold(event)


def is_last(finished: FinishedQuery, token: str) -> bool:
    """Whether a query is the one by which a client says that its task has ended."""
    if isinstance(finished.execution, Stream):
        return False
    names = [str(column.name()) for column in seq(finished.execution.analyzed().output())]
    return names == [ending(token)]


def _lacking(dropped: int, commits: Iterable[str]) -> RunFacets:
    """What the last event of a client's run says of queries and commits that may be its own."""
    missing = Counter(output_to(BY_NO_QUERY.format(table)) for table in commits)
    missing.update({"dropped queries of the server": dropped} if dropped else {})
    return {"colgraph_diagnostics": diagnostics_facet(missing)} if missing else {}


def option_of(conf: Java, name: str) -> str:
    """A property's value; an empty text without."""
    value = conf.getOption(name)
    return "" if value.isEmpty() else str(value.get())
