"""Where a run's events go, one JSON document a line, and how they are read back.

    sink = open_sink("/tmp/events.ndjson")      # also file:, http(s): and any Hadoop file system
    sink.write(event)
    read("/tmp/events.ndjson").events == [event]

An event is written at once, by one call, so what was written stays usable when the driver is
killed: at most the line that was being written is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Protocol

from airflow_colgraph.collector.sinks import file, hadoop
from airflow_colgraph.collector.sinks.file import FileSink
from airflow_colgraph.collector.sinks.file import is_local as is_local
from airflow_colgraph.collector.sinks.file import local_path as local_path
from airflow_colgraph.collector.sinks.hadoop import HadoopSink
from airflow_colgraph.collector.sinks.keeper import Keeper, KeepingSink
from airflow_colgraph.collector.sinks.ndjson import UNFINISHED as UNFINISHED
from airflow_colgraph.collector.sinks.ndjson import Event
from airflow_colgraph.collector.sinks.ndjson import Reading as Reading
from airflow_colgraph.collector.sinks.ndjson import line_of as line_of
from airflow_colgraph.collector.sinks.ndjson import parse as parse
from airflow_colgraph.collector.sinks.spool import Spool as Spool
from airflow_colgraph.collector.sinks.timed import TimedSink
from airflow_colgraph.collector.sinks.token import Token
from airflow_colgraph.openlineage.redaction import without_userinfo as without_userinfo


class Sink(Protocol):
    """Takes events one by one; OSError when it cannot."""

    def write(self, event: Event) -> None:
        """Hand over one event, whole, now."""

    def flush(self, until: float, *, is_last: bool = False) -> bool:
        """Hand over what is pending; False if some is left at `until`, of `time.monotonic`.

        With `is_last`, nothing is left: what cannot be handed over is kept elsewhere.
        """

    def close(self) -> None:
        """Let go of what the sink holds; everything is written already."""


def open_sink(
    uri: str,
    token: Token = str,
    spool: Spool | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Sink:
    """The sink that `uri` names; what it does not take is kept in the `spool`.

    `say` is told once in a line where that is. Without a spool, a sink that cannot be written
    raises OSError, and an http(s) sink has one of its own. An http(s) sink has a `token`.
    """
    scheme = _scheme(uri)
    if scheme in ("http", "https"):
        from airflow_colgraph.collector.sinks.http import HttpSink
        from airflow_colgraph.collector.sinks.outbox import Outbox

        name = without_userinfo(uri)
        return Outbox(TimedSink(HttpSink(uri, token), name), name, spool or Spool(), say)
    opened = partial(_opened, uri)
    return KeepingSink(opened, Keeper(spool, say)) if spool is not None else opened()


def _opened(uri: str) -> Sink:
    """A file, or a folder on a file system of Hadoop's."""
    if _scheme(uri) in ("", "file"):
        return FileSink(local_path(uri))
    return TimedSink(HadoopSink(uri), without_userinfo(uri))


def load(uri: str) -> None:
    """Import what `open_sink` will need: an HTTP client, which most drivers never need."""
    if _scheme(uri) in ("http", "https"):
        import airflow_colgraph.collector.sinks.http
        import airflow_colgraph.collector.sinks.outbox  # noqa: F401


def read(uri: str) -> Reading:
    """The events under `uri`: a file, or a folder of part files; FileNotFoundError without either.

    A line that is no event does not hide the others: it is named in `bad`.
    """
    return parse(content(uri))


def content(uri: str) -> bytes:
    """What `read` reads, as it is."""
    scheme = _scheme(uri)
    if scheme in ("http", "https"):
        raise OSError(f"{without_userinfo(uri)} only accepts events; read them from its store.")
    if scheme in ("", "file"):
        return file.read(local_path(uri))
    return hadoop.read(uri)


def remove(uri: str) -> None:
    """Remove what `read` reads, if it is there."""
    if _scheme(uri) in ("", "file"):
        file.remove(local_path(uri))
    else:
        hadoop.remove(uri)


def _scheme(uri: str) -> str:
    match = re.match("([A-Za-z][A-Za-z0-9+.-]*):", uri)
    return match.group(1).lower() if match else ""
