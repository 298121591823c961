"""Where a run's events go, one JSON document a line, and how they are read back.

    sink = open_sink("/tmp/events.ndjson")      # also file:, http(s): and any Hadoop file system
    sink.write(event)
    read("/tmp/events.ndjson").events == [event]

An event is written at once, by one call, so what was written stays usable when the driver is
killed: at most the line that was being written is lost.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

from airflow_colgraph.collector.sinks import hadoop

Event = dict[str, Any]

HTTP_TIMEOUT_SECONDS = 5.0
HTTP_TRIES = 3
HTTP_PAUSE_SECONDS = 0.5
UNFINISHED = "; the line has no end: it is still being written, or its writer was killed"
BUSY = {429, 502, 503, 504}  # answers after which the same request may well succeed


class Sink(Protocol):
    """Takes events one by one; OSError when it cannot."""

    def write(self, event: Event) -> None:
        """Hand over one event, whole, now."""

    def close(self) -> None:
        """Let go of what the sink holds; everything is written already."""


class Reading(NamedTuple):
    """What a sink's document holds: its events, and the lines that are none, with the reason."""

    events: list[Event]
    bad: list[tuple[int, str]]


def open_sink(uri: str, token: str = "") -> Sink:
    """The sink that `uri` names; OSError when it cannot be written. `token` is for http(s) only."""
    scheme = _scheme(uri)
    if scheme in ("http", "https"):
        return HttpSink(uri, token)
    if scheme in ("", "file"):
        return FileSink(local_path(uri))
    return HadoopSink(uri)


def read(uri: str) -> Reading:
    """The events under `uri`: a file, or a folder of part files; FileNotFoundError without either.

    A line that is no event does not hide the others: it is named in `bad`.
    """
    scheme = _scheme(uri)
    if scheme in ("http", "https"):
        raise OSError(f"{without_userinfo(uri)} only takes events; read them from its store.")
    if scheme in ("", "file"):
        path = local_path(uri)
        files = sorted(path.glob("part-*")) if path.is_dir() else [path]
        *others, last = [file.read_bytes() for file in files] or [b""]
        return parse(b"".join([*map(_whole_lines, others), last]))
    return parse(hadoop.read(uri))


def remove(uri: str) -> None:
    """Remove what `read` reads, if it is there."""
    scheme = _scheme(uri)
    if scheme not in ("", "file"):
        hadoop.remove(uri)
        return
    path = local_path(uri)
    for file in path.glob("part-*") if path.is_dir() else [path]:
        file.unlink(missing_ok=True)


def parse(document: bytes) -> Reading:
    """The events in a document that was read from anywhere."""
    events: list[Event] = []
    bad: list[tuple[int, str]] = []
    lines = document.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            events.append(_event(line))
        except ValueError as error:
            bad.append((number, f"{error}{UNFINISHED if number == len(lines) else ''}"))
    return Reading(events, bad)


def line_of(event: Event) -> bytes:
    """One event as one line of ASCII, whatever is in its names."""
    return json.dumps(event, separators=(",", ":")).encode("ascii") + b"\n"


def local_path(uri: str) -> Path:
    """The local path that a plain path or a `file:` URI means."""
    if _scheme(uri) != "file":
        return Path(uri)
    return Path(unquote(re.sub("^file:(//[^/]*)?(?=/)", "", uri, flags=re.IGNORECASE)))


class FileSink:
    """Appends to a local file. Processes that share it never mix within a line."""

    def __init__(self, path: Path) -> None:
        """Open `path`, making its folder."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        self._in_a_line = not _ends_a_line(self._descriptor)

    def write(self, event: Event) -> None:
        """Append one line by one call of the system, which is what keeps lines whole."""
        # After a half line (a full disk, a killed writer) only that line is lost.
        line = b"\n" * self._in_a_line + line_of(event)
        written = os.write(self._descriptor, line)
        self._in_a_line = written < len(line)
        if self._in_a_line:
            raise OSError(f"Only {written} of {len(line)} bytes could be written.")

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class HttpSink:
    """Posts each event, as OpenLineage's own HTTP transport does."""

    def __init__(self, url: str, token: str = "") -> None:
        """Only remember where to post: the first event shows whether anyone listens."""
        self._url = url
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    def write(self, event: Event) -> None:
        """Post one event; a server that is busy or away is asked again, for a short while."""
        from http.client import HTTPException  # here, as most drivers never need them
        from urllib.error import HTTPError

        for left in reversed(range(HTTP_TRIES)):
            try:
                self._post(line_of(event))
                return
            except HTTPError as error:
                error.close()
                if not left or error.code not in BUSY:
                    raise OSError(f"{without_userinfo(self._url)} answered {error.code}.") from None
            except (OSError, HTTPException) as error:
                if not left:
                    why = getattr(error, "reason", None) or error or type(error).__name__
                    raise OSError(f"{without_userinfo(self._url)} is out of reach: {why}") from None
            time.sleep(HTTP_PAUSE_SECONDS)

    def _post(self, body: bytes) -> None:
        from urllib.request import Request, urlopen

        request = Request(self._url, body, self._headers)
        with urlopen(request, timeout=HTTP_TIMEOUT_SECONDS) as response:
            response.read()

    def close(self) -> None:
        """Nothing is held open between two events."""


class HadoopSink:
    """Writes each event as one part file in a folder on any file system that Hadoop knows.

    Object stores cannot append, and not every HDFS lets one; a file that is closed stays.
    """

    def __init__(self, uri: str) -> None:
        """Find the folder, and the first number that is free in it."""
        self._folder = hadoop.Folder(uri)
        self._number = self._folder.parts()

    def write(self, event: Event) -> None:
        """Write one event as the next part file, whoever else writes some."""
        while True:
            try:
                self._folder.create(f"part-{self._number:05}", line_of(event))
            except FileExistsError:
                self._number = max(self._folder.parts(), self._number + 1)
            else:
                break
        self._number += 1

    def close(self) -> None:
        """Every part file is closed already."""


def without_userinfo(uri: str) -> str:
    """A URI that can be shown: no user, password, query or fragment."""
    parts = urlsplit(uri)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="", fragment="").geturl()


def _scheme(uri: str) -> str:
    found = re.match("([A-Za-z][A-Za-z0-9+.-]*):", uri)
    return found.group(1).lower() if found else ""


def _ends_a_line(descriptor: int) -> bool:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return True  # a pipe or a device: there is nothing before us
    size = os.lseek(descriptor, 0, os.SEEK_END)
    return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"


def _whole_lines(document: bytes) -> bytes:
    return document if document.endswith(b"\n") or not document else document + b"\n"


def _event(line: bytes) -> Event:
    try:
        event = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text: byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("not an OpenLineage event: nested too deeply") from None
    if not isinstance(event, dict):
        raise ValueError(f"not an OpenLineage event: a JSON {type(event).__name__}, not an object")
    if not any(isinstance(event.get(key), dict) for key in ("run", "job", "dataset")):
        raise ValueError("not an OpenLineage event: it names no run, job or dataset")
    return event
