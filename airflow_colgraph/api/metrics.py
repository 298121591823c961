"""What the server counts, in Prometheus' text format (exposition format 0.0.4)."""

from __future__ import annotations

from hashlib import blake2b
from time import monotonic, time
from typing import Any

import orjson
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from airflow_colgraph.api.request_log import remember
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.model.bounded_cache import BoundedCache
from airflow_colgraph.store.query.freshness import jobs_by_completeness, newest
from airflow_colgraph.store.store import Store

REFRESH = 30.0  # seconds between two looks at the store
PRODUCERS = 50  # that are told apart
REMEMBERED = 20_000  # accepted events, of 3 MB in all, with which later ones are compared
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The counters of one app."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._requests = Counter(
            "colgraph_requests", "Requests.", ["route", "method", "code"], registry=registry
        )
        self._seconds = Histogram(
            "colgraph_request_seconds",
            "The time that requests took.",
            ["route"],
            buckets=SECONDS,
            registry=registry,
        )
        self._events = Counter(
            "colgraph_events", "Events that were sent.", ["result", "producer"], registry=registry
        )
        self._reads = Counter(
            "colgraph_audited_reads",
            "Reads of tagged columns, by what became of their rows in the audit log.",
            ["result"],
            registry=registry,
        )
        self._newest = Gauge(
            "colgraph_newest_lineage_age_seconds",
            "The time since the newest lineage, by the namespace of its job.",
            ["namespace"],
            registry=registry,
        )
        self._jobs = Gauge(
            "colgraph_jobs",
            "Jobs by whether the lineage of their latest run is complete.",
            ["lineage"],
            registry=registry,
        )
        self._active = Gauge(
            "colgraph_requests_active",
            "Requests that use a thread, or wait for one.",
            registry=registry,
        )
        self._up = Gauge("colgraph_store_up", "Whether the store could be read.", registry=registry)
        self._connections = Gauge(
            "colgraph_store_connections", "Connections to the store in use.", registry=registry
        )
        self._producers: set[str] = set()
        self._accepted = BoundedCache[bytes, bool](REMEMBERED)
        self._looked_at = -REFRESH

    def request(self, route: str, method: str, code: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests.labels(route, method, str(code)).inc()
        self._seconds.labels(route).observe(seconds)

    def event(self, result: str, event: Any) -> None:
        """Count an event that was `accepted`, accepted in `part`, or `refused`.

        One that is accepted again is `repeated`, if it is among the last ones REMEMBERED.
        """
        if result == "accepted" and self._is_repeated(event):
            result = "repeated"
        producer = event.get("producer") if isinstance(event, dict) else None
        name = producer if isinstance(producer, str) else ""
        if name not in self._producers and len(self._producers) >= PRODUCERS:
            name = "other"
        self._producers.add(name)
        self._events.labels(result, name).inc()

    def _is_repeated(self, event: Any) -> bool:
        text = orjson.dumps(event, option=orjson.OPT_SORT_KEYS)  # what was stored is JSON
        digest = blake2b(text, digest_size=8).digest()
        is_repeated = self._accepted.get(digest) is not None
        self._accepted.put(digest, True)
        return is_repeated

    def reads(self, result: str, number: int) -> None:
        """Count reads of tagged columns by one of `read_audit.RESULTS`."""
        self._reads.labels(result).inc(number)

    def text(self, store: Store, active: int) -> bytes:
        """All metrics; the store is looked at once in REFRESH seconds.

        `active` is the number of requests that use a thread of the server's, or wait for one.
        """
        self._active.set(active)
        if monotonic() - self._looked_at >= REFRESH:
            self._looked_at = monotonic()
            self._look(store)
        return generate_latest(self.registry)

    def _look(self, store: Store) -> None:
        try:
            with store.connection() as connection:
                times = newest(connection)
                jobs = jobs_by_completeness(connection)
            self._up.set(1)
        except StoreError:
            self._up.set(0)
            return
        self._newest.clear()
        for namespace, at in times.items():
            self._newest.labels(namespace).set(time() - at / 1000)
        for lineage, count in jobs.items():
            self._jobs.labels(lineage).set(count)
        checked_out = getattr(store.engine.pool, "checkedout", None)
        self._connections.set(checked_out() if checked_out else 0)


class Measured:
    """Counts requests by their route, so that names in paths make no metric of their own."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        """Wrap an app."""
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and count its answer."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        started, codes = monotonic(), [499]  # of a client that has gone

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                codes.append(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            remember(scope, route=route)
            self._metrics.request(route, scope["method"], codes[-1], monotonic() - started)
        return None
