"""The client's side of lineage by Spark Connect: fetches what the collector at the server reports.

    client = ConnectClient(spark)      # LookupError: the server has no collector
    ...                                # the job
    events = client.end(failed=False)  # OpenLineage events, as a sink has them

It needs a session only, and no JVM. See `connect_protocol`.
"""

from __future__ import annotations

import json
import threading
import uuid
from time import monotonic, sleep
from typing import Any

from airflow_colgraph.collector.connect_protocol import (
    CLIENT,
    ENDED,
    EVENT,
    HELD,
    LOST,
    SERVER,
    ending,
)
from airflow_colgraph.collector.sinks.ndjson import Event

LOOK_SECONDS = 0.1


class ConnectClient:
    """One session of a remote Spark Connect server, from now until `end`."""

    def __init__(self, spark: Any) -> None:
        """Have the server report the session's queries to this client, or raise LookupError."""
        self._conf = spark.conf
        self._spark = spark
        self._token = uuid.uuid4().hex
        if self._conf.get(SERVER, "") != "true":
            raise LookupError(
                "the Spark Connect server has no collector; it is started by"
                " `colgraph connect-server`"
            )
        self._conf.set(CLIENT, self._token)
        self.lost = 0  # events that the server could not hold

    def end(self, failed: bool, seconds: float) -> list[Event]:
        """The events of the session's queries, the last one COMPLETE or FAIL.

        A call to a server that has gone is tried again by PySpark for minutes, so it is
        made by a thread that is left behind after so many seconds, with a TimeoutError.
        """
        events: list[Event] = []
        failures: list[Exception] = []

        def fetch() -> None:
            try:
                events.extend(self._end(failed, monotonic() + seconds))
            except Exception as error:  # noqa: BLE001 - raised below, in the caller's thread
                failures.append(error)

        thread = threading.Thread(target=fetch, name="colgraph", daemon=True)
        thread.start()
        thread.join(seconds)
        for failure in failures:
            raise failure
        if thread.is_alive():
            raise TimeoutError(f"the server had not reported all queries after {seconds:g} s")
        return events

    def _end(self, failed: bool, deadline: float) -> list[Event]:
        self._conf.set(CLIENT, f"{self._token} {'FAIL' if failed else 'COMPLETE'}")
        # The server hears of queries, not of properties.
        self._spark.sql(f"SELECT 1 AS `{ending(self._token)}`").collect()
        while self._conf.get(ENDED, "") != self._token:
            if monotonic() > deadline:
                raise TimeoutError("the server had not reported all queries in time")
            sleep(LOOK_SECONDS)
        self.lost = int(self._conf.get(LOST, "0") or 0)
        return [self._fetch(number) for number in range(int(self._conf.get(HELD, "0") or 0))]

    def _fetch(self, number: int) -> Event:
        name = f"{EVENT}{number}"
        event: Event = json.loads(self._conf.get(name))
        self._conf.unset(name)
        return event
