"""A folder of events that could not be delivered yet: one event a file, in the order of the names.

    spool = Spool("/var/lib/airflow/colgraph-spool")    # or any Hadoop file system, in a driver
    spool = Spool("s3://lake/spool", remote=..)         # or what else writes there
    spool.keep(event)                                   # the path of the event's file

A local file appears under its name when it is whole. `colgraph deliver` drains the folder. A local
spool has a bound: beyond it the oldest events are dropped, and counted in its file `dropped.log`.
"""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import time_ns
from typing import NamedTuple, Protocol

from airflow_colgraph.collector.sinks import hadoop
from airflow_colgraph.collector.sinks.file import is_local, local_path
from airflow_colgraph.collector.sinks.ndjson import Event, line_of
from airflow_colgraph.collector.sinks.timed import TimedSink

NAME = "colgraph-spool"
REMOTE_SECONDS = 5.0  # for one event on a Hadoop file system
MOST_BYTES = 1 << 30  # of a local spool
LEFT = 0.9  # of them, after events were dropped: the folder is not listed for each event
DROPPED = "dropped.log"  # a line of JSON each time: when, and how many events
REFUSED = "refused"  # the folder for what was refused, in a spool that is delivered


class Folder(Protocol):
    """Takes files."""

    def create(self, name: str, content: bytes) -> int:
        """Write a new file and close it; returns how many older ones were dropped for it."""


class Spool:
    """Keeps events in a folder; OSError where they cannot be kept either."""

    def __init__(
        self,
        uri: str = "",
        inside: str = "",
        most_bytes: int = MOST_BYTES,
        remote: Callable[[str], Folder] | None = None,
    ) -> None:
        """Nothing is made before the first event.

        Without a `uri` the folder is in the working directory; in the temporary folder if
        that cannot be written. `inside` is a folder within it. Beyond `most_bytes` a local
        spool drops its oldest events. `remote` opens a folder that is not on this machine.
        """
        self._inside, self._most_bytes = inside, most_bytes
        self._remote = remote or RemoteFolder
        self._choices = [uri.rstrip("/") or uri] if uri else _beside()
        self.uri = self._at(self._choices[0])
        self.dropped = 0  # events, by this object
        self._folder: Folder | None = None
        self._last = 0

    def keep(self, event: Event) -> str:
        """Write the event to a file of its own; returns the file's path."""
        self._last = max(self._last + 1, time_ns())  # in order, even if the clock is set back
        name = f"part-{self._last:020}-{uuid.uuid4().hex[:8]}"
        content = line_of(event)
        if self._folder is not None:
            self.dropped += self._folder.create(name, content)
        else:
            self._first(name, content)
        return f"{self.uri}/{name}"

    def note(self) -> str:
        """A sentence about the events that were dropped; empty if none was."""
        if not self.dropped:
            return ""
        size = f"{self._most_bytes // 1_000_000} MB"
        return f" The spool is full ({size}): its {self.dropped} oldest events were dropped."

    def _at(self, uri: str) -> str:
        return f"{uri}/{self._inside}" if self._inside else uri

    def _first(self, name: str, content: bytes) -> None:
        """Keep the first event in the first folder that can be written."""
        errors: list[OSError] = []
        for root in self._choices:
            uri = self._at(root)
            try:
                folder: Folder = (
                    LocalFolder(local_path(uri), local_path(root), self._most_bytes)
                    if is_local(uri)
                    else self._remote(uri)
                )
                self.dropped += folder.create(name, content)
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


class RemoteFolder:
    """A folder on a file system of Hadoop's, which is waited for so long and no longer."""

    def __init__(self, uri: str) -> None:
        """Nothing is asked before the first file."""
        self._files = TimedSink(_HadoopFiles(uri), uri, REMOTE_SECONDS)

    def create(self, name: str, content: bytes) -> int:
        """Write a new file and close it; none is ever dropped."""
        self._files.write({"name": name, "content": content})
        return 0


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


class KeptFile(NamedTuple):
    """A file of a spool, by which they are ordered: its name begins with its time."""

    name: str
    path: str
    size: int


def kept_files(root: Path | str) -> list[KeptFile]:
    """The files of events in a local spool and its folders, the oldest first."""
    return sorted(_files(str(root)))


def _files(folder: str) -> Iterator[KeptFile]:
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # it was delivered meanwhile
                if entry.is_dir(follow_symlinks=False):
                    yield from _files(entry.path)
                elif entry.name.startswith("part-"):
                    yield KeptFile(entry.name, entry.path, entry.stat().st_size)


class LocalFolder:
    """A folder in which files appear whole, in a spool of bounded size."""

    def __init__(self, path: Path, root: Path, most_bytes: int) -> None:
        """Nothing is made before the first file."""
        self._path, self._root = path, root
        self._most_bytes = most_bytes
        self._used = most_bytes  # unknown yet: the first file has the spool listed

    def create(self, name: str, content: bytes) -> int:
        """Write a new file and close it; returns how many older ones were dropped for it."""
        dropped = self._make_room(len(content))
        hidden = self._path / f".{name}"
        try:
            self._path.mkdir(parents=True, exist_ok=True)  # an empty one may have been removed
            hidden.write_bytes(content)
            hidden.rename(self._path / name)
        except OSError:
            with suppress(OSError):  # also: something is in the folder's place
                hidden.unlink()
            raise
        return dropped

    def _make_room(self, size: int) -> int:
        """Drop the oldest events if there is no room for one of this size."""
        self._used += size
        if self._used <= self._most_bytes:
            return 0
        files = kept_files(self._root)  # others have written and delivered, too
        self._used = size + sum(file.size for file in files)
        if self._used <= self._most_bytes:
            return 0
        dropped = 0
        for file in files:
            if self._used <= self._most_bytes * LEFT:
                break
            with suppress(FileNotFoundError):
                os.unlink(file.path)
                dropped += 1
            self._used -= file.size
        if dropped:
            line = json.dumps({"at": time_ns() // 1_000_000_000, "events": dropped}) + "\n"
            with (self._root / DROPPED).open("a", encoding="ascii") as log:
                log.write(line)
        return dropped


def default_folder() -> str:
    """The spool of Airflow's processes where none is configured: in AIRFLOW_HOME."""
    home = Path(os.environ.get("AIRFLOW_HOME") or "~/airflow").expanduser()
    return str(home / NAME)
