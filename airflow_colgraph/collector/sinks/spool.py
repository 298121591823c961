"""A folder of events that could not be delivered yet: one event a file, in the order of the names.

    spool = Spool("/var/lib/airflow/colgraph-spool")    # or any Hadoop file system, in a driver
    spool.keep(event)                                   # the path of the event's file

A local file appears under its name when it is whole. `sink.read` and `colgraph ingest` read the
folder as one of part files.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from time import time_ns

from airflow_colgraph.collector.sinks import hadoop
from airflow_colgraph.collector.sinks.file import is_local, local_path
from airflow_colgraph.collector.sinks.ndjson import Event, line_of

NAME = "colgraph-spool"


class Spool:
    """Keeps events in a folder; OSError where they cannot be kept either."""

    def __init__(self, uri: str) -> None:
        """Nothing is made before the first event."""
        self.uri = uri.rstrip("/") or uri
        self._folder: LocalFolder | hadoop.Folder | None = None
        self._last = 0

    def keep(self, event: Event) -> str:
        """Write the event to a file of its own; returns the file's path."""
        if self._folder is None:
            local = is_local(self.uri)
            self._folder = LocalFolder(local_path(self.uri)) if local else hadoop.Folder(self.uri)
        self._last = max(self._last + 1, time_ns())  # in order, even if the clock is set back
        name = f"part-{self._last:020}-{uuid.uuid4().hex[:8]}"
        self._folder.create(name, line_of(event))
        return f"{self.uri}/{name}"


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
