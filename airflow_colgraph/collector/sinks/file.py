"""Events in a local file, or in a local folder of part files."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from urllib.parse import unquote

from airflow_colgraph.collector.sinks.ndjson import Event, joined, line_of


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

    def flush(self, until: float, *, is_last: bool = False) -> bool:
        """Nothing is pending: each line is the system's."""
        return True

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def is_local(uri: str) -> bool:
    """Whether a path or URI is one of this machine's, and not of a file system of Hadoop's."""
    scheme = re.match("([A-Za-z][A-Za-z0-9+.-]*):", uri)
    return scheme is None or scheme.group(1).lower() == "file"


def local_path(uri: str) -> Path:
    """The local path that a plain path or a `file:` URI means."""
    if not uri.lower().startswith("file:"):
        return Path(uri)
    return Path(unquote(re.sub("^file:(//[^/]*)?(?=/)", "", uri, flags=re.IGNORECASE)))


def read(path: Path) -> bytes:
    """The content of a file, or of the part files in a folder."""
    return joined([file.read_bytes() for file in _files(path)])


def remove(path: Path) -> None:
    """Remove what `read` reads, if it is there."""
    for file in _files(path):
        file.unlink(missing_ok=True)


def _files(path: Path) -> list[Path]:
    return sorted(path.glob("part-*")) if path.is_dir() else [path]


def _ends_a_line(descriptor: int) -> bool:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return True  # a pipe or a device: there is nothing before us
    size = os.lseek(descriptor, 0, os.SEEK_END)
    return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"
