"""A folder of events that could not be delivered yet: one event a file, in the order of the names.

    spool = Spool("/var/lib/airflow/colgraph-spool")    # or any Hadoop file system, in a driver
    spool.keep(event)                                   # the path of the event's file

A local file appears under its name when it is whole. `sink.read` and `colgraph ingest` read the
folder as one of part files.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path
from time import time_ns
from typing import Protocol

from airflow_colgraph.collector.sinks import hadoop
from airflow_colgraph.collector.sinks.file import is_local, local_path
from airflow_colgraph.collector.sinks.ndjson import Event, line_of
from airflow_colgraph.collector.sinks.timed import TimedSink

NAME = "colgraph-spool"
REMOTE_SECONDS = 5.0  # for one event on a Hadoop file system


class Folder(Protocol):
    """Takes files."""

    def create(self, name: str, content: bytes) -> None:
        """Write a new file and close it."""


class Spool:
    """Keeps events in a folder; OSError where they cannot be kept either."""

    def __init__(self, uri: str = "", inside: str = "") -> None:
        """Nothing is made before the first event.

        Args:
            uri: The folder. Without one it is in the working directory; in the temporary folder
                if that cannot be written.
            inside: The name of a folder within it.
        """
        at = f"/{inside}" if inside else ""
        folders = [uri.rstrip("/") or uri] if uri else _beside()
        self._choices = [f"{folder}{at}" for folder in folders]
        self.uri = self._choices[0]
        self._folder: Folder | None = None
        self._last = 0

    def keep(self, event: Event) -> str:
        """Write the event to a file of its own; returns the file's path."""
        self._last = max(self._last + 1, time_ns())  # in order, even if the clock is set back
        name = f"part-{self._last:020}-{uuid.uuid4().hex[:8]}"
        content = line_of(event)
        if self._folder is not None:
            self._folder.create(name, content)
        else:
            self._first(name, content)
        return f"{self.uri}/{name}"

    def _first(self, name: str, content: bytes) -> None:
        """Keep the first event in the first folder that can be written."""
        errors: list[OSError] = []
        for uri in self._choices:
            try:
                folder = _folder(uri)
                folder.create(name, content)
            except OSError as error:
                errors.append(error)
                continue
            self.uri, self._folder = uri, folder
            return
        raise errors[0]


def _beside() -> list[str]:
    """The spools of a process that has none configured."""
    folders = [tempfile.gettempdir()]
    with suppress(OSError):  # it was removed
        folders.insert(0, os.getcwd())
    return [str(Path(folder, NAME)) for folder in folders]


def _folder(uri: str) -> Folder:
    return LocalFolder(local_path(uri)) if is_local(uri) else RemoteFolder(uri)


class RemoteFolder:
    """A folder on a file system of Hadoop's, which is waited for so long and no longer."""

    def __init__(self, uri: str) -> None:
        """Nothing is asked before the first file."""
        self._files = TimedSink(_HadoopFiles(uri), uri, REMOTE_SECONDS)

    def create(self, name: str, content: bytes) -> None:
        """Write a new file and close it."""
        self._files.write({"name": name, "content": content})


class _HadoopFiles:
    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._folder: hadoop.Folder | None = None

    def write(self, event: Event) -> None:
        if self._folder is None:
            self._folder = hadoop.Folder(self._uri)
        self._folder.create(event["name"], event["content"])

    def flush(self, until: float, *, is_last: bool = False) -> bool:
        return True

    def close(self) -> None:
        pass


class LocalFolder:
    """A folder in which files appear whole."""

    def __init__(self, path: Path) -> None:
        """Make the folder."""
        path.mkdir(parents=True, exist_ok=True)
        self._path = path

    def create(self, name: str, content: bytes) -> None:
        """Write a new file and close it."""
        hidden = self._path / f".{name}"
        try:
            hidden.write_bytes(content)
            hidden.rename(self._path / name)
        except OSError:
            hidden.unlink(missing_ok=True)
            raise


def default_folder() -> str:
    """The spool of Airflow's processes where none is configured: in AIRFLOW_HOME."""
    home = Path(os.environ.get("AIRFLOW_HOME") or "~/airflow").expanduser()
    return str(home / NAME)
