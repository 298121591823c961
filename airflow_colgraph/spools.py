"""The spools that tasks fill and `colgraph deliver` drains: a local folder, or one by fsspec.

    spool = open_spool("s3://lake/colgraph-spool")
    documents = spool.read(spool.kept())

A driver writes a spool on another file system through its JVM instead: see collector/sinks.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from time import time
from typing import Any, Protocol, TypeVar
from uuid import uuid4

from airflow_colgraph.collector.sinks.file import is_local, local_path
from airflow_colgraph.collector.sinks.spool import (
    DROPPED,
    REFUSED,
    KeptFile,
    Spool,
    kept_files,
)
from airflow_colgraph.openlineage.redaction import without_credentials

LOCK = ".deliver.lock"
LEASE_SECONDS = 600.0  # after which the lock of a remote spool was left by a process that is gone
Answer = TypeVar("Answer")
Renew = Callable[[], None]


class InUse(OSError):
    """Another process delivers the spool."""


class NoFsspec(OSError):
    """The spool needs fsspec, or fsspec a package for this file system."""


class OpenSpool(Protocol):
    """A spool that can be listed, read and emptied; OSError where it cannot be reached."""

    name: str  # as it can be shown
    root: str  # the folder, as it is in the paths of its files

    def exists(self) -> bool:
        """Whether there is such a folder; an object store has none, and any name will do."""

    def kept(self) -> list[KeptFile]:
        """The files of events, also of those that were refused, the oldest first."""

    def read(self, files: Sequence[KeptFile]) -> list[bytes | None]:
        """The contents of files, in their order; None for one that is gone."""

    def remove(self, files: Sequence[KeptFile]) -> None:
        """Remove files, those that are still there."""

    def refuse(self, file: KeptFile, answer: str) -> None:
        """Move a file to the folder of refused ones, with the answer beside it."""

    def only(self) -> AbstractContextManager[Renew]:
        """Keep other processes from delivering it; what is yielded says that this one goes on."""

    def dropped(self) -> int:
        """How many events it has dropped because it was full."""


def open_spool(uri: str) -> OpenSpool:
    """The spool at a path or URL; NoFsspec if a package for it is missing."""
    return LocalSpool(local_path(uri)) if is_local(uri) else RemoteSpool(uri)


def task_spool(uri: str) -> Spool:
    """The spool in which a process of Airflow's keeps events: it has no JVM to write with."""
    return Spool(uri, remote=RemoteSpool)


def answer_name(file: KeptFile) -> str:
    """The name of the file with the answer to a refused one."""
    return f"answer-{file.name.removeprefix('part-')}.txt"


class LocalSpool:
    """A spool in a folder of this machine."""

    def __init__(self, folder: Path) -> None:
        """The folder need not exist."""
        self.name = self.root = str(folder)
        self._folder = folder

    def exists(self) -> bool:
        """Whether there is such a folder."""
        return self._folder.is_dir()

    def kept(self) -> list[KeptFile]:
        """The files of events, the oldest first."""
        return kept_files(self._folder)

    def read(self, files: Sequence[KeptFile]) -> list[bytes | None]:
        """The contents of files; None for one that a full spool has dropped."""
        return [_content(Path(file.path)) for file in files]

    def remove(self, files: Sequence[KeptFile]) -> None:
        """Remove files."""
        for file in files:
            Path(file.path).unlink(missing_ok=True)

    def refuse(self, file: KeptFile, answer: str) -> None:
        """Move a file to the folder of refused ones, with the answer beside it."""
        away = self._folder / REFUSED
        away.mkdir(exist_ok=True)
        (away / answer_name(file)).write_text(answer, encoding="utf-8")
        with suppress(FileNotFoundError):
            Path(file.path).rename(away / file.name)

    @contextmanager
    def only(self) -> Iterator[Renew]:
        """Lock a file; the lock ends with the process."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InUse(f"Another process is delivering {self.name}.") from None
            yield lambda: None
            self._remove_empty()

    def dropped(self) -> int:
        """How many events it has dropped because it was full."""
        try:
            lines = (self._folder / DROPPED).read_text(encoding="ascii").splitlines()
        except FileNotFoundError:
            return 0
        return sum(int(json.loads(line)["events"]) for line in lines)

    def _remove_empty(self) -> None:
        """Remove the folders of runs whose events are delivered."""
        for path in self._folder.iterdir():
            if path.is_dir() and path.name != REFUSED:
                with suppress(OSError):  # a driver has kept another event
                    path.rmdir()


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


class RemoteSpool:
    """A spool on a file system that fsspec knows.

    It has no bound: a listing for each event would take longer than an event may. Empty folders of
    runs stay, as `rmdir` removes full ones on some file systems (hdfs).
    """

    def __init__(self, uri: str) -> None:
        """Find the file system; a folder is made with its first file."""
        self.name = without_credentials(uri).rstrip("/")
        if "://" not in uri:
            raise OSError(f"{self.name} is no URL. Expected e.g. s3://bucket/folder.")
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise NoFsspec(
                f"The spool {self.name} needs fsspec: pip install 'colgraph[fsspec]', and the"
                " package for its file system, e.g. s3fs."
            ) from None
        self._files, root = self._asked(url_to_fs, uri)
        self.root = str(root).rstrip("/")
        self._lock = f"{self.root}/{LOCK}"

    def exists(self) -> bool:
        """Always: an object store has no folders."""
        return True

    def create(self, name: str, content: bytes) -> int:
        """Write a new file. One that was written in part has no end of line: see `deliver`."""
        self._write(f"{self.root}/{name}", content)
        return 0

    def kept(self) -> list[KeptFile]:
        """The files of events, the oldest first."""
        self._asked(self._files.invalidate_cache)
        return sorted(self._below(self.root))

    def read(self, files: Sequence[KeptFile]) -> list[bytes | None]:
        """The contents of files, at once where the file system can."""
        plain, patterns = _paths(files)
        contents = self._asked(self._files.cat, plain, on_error="return") if plain else {}
        contents |= {path: self._read_one(path) for path in patterns}
        return [self._content(contents[file.path]) for file in files]

    def remove(self, files: Sequence[KeptFile]) -> None:
        """Remove files, by one request where the file system can."""
        plain, others = _paths(files)
        if not self._files.async_impl:  # those of HDFS take a path, and no list
            plain, others = [], [*plain, *others]
        if plain:
            with suppress(FileNotFoundError):
                self._asked(self._files.rm, plain)
        for path in others:
            with suppress(FileNotFoundError):
                self._asked(self._files.rm_file, path)

    def refuse(self, file: KeptFile, answer: str) -> None:
        """Move a file to the folder of refused ones, with the answer beside it."""
        away = f"{self.root}/{REFUSED}"
        self._write(f"{away}/{answer_name(file)}", answer.encode())
        with suppress(FileNotFoundError):
            self._write(f"{away}/{file.name}", self._asked(self._files.cat_file, file.path))
            self._asked(self._files.rm_file, file.path)

    @contextmanager
    def only(self) -> Iterator[Renew]:
        """Hold a lease: a file that says who delivers, and until when nobody else may."""
        lease = _Lease(self._read_lock, self._write_lock, self.name)
        try:
            yield lease.renew
        finally:
            with suppress(OSError):  # it ends by itself
                if lease.is_mine():
                    self._asked(self._files.rm_file, self._lock)

    def dropped(self) -> int:
        """None: it has no bound."""
        return 0

    def _below(self, folder: str) -> Iterator[KeptFile]:
        # `find` and `walk` pass over folders that cannot be listed, and their events with them.
        try:
            infos = self._asked(self._files.ls, folder, detail=True)
        except FileNotFoundError:
            return
        for info in infos:
            path = str(info["name"]).rstrip("/")
            name = path.rpartition("/")[2]
            if info["type"] == "directory" and path != folder.rstrip("/"):
                yield from self._below(path)
            elif info["type"] == "file" and name.startswith("part-"):
                yield KeptFile(name, path, int(info["size"] or 0))

    def _write(self, path: str, content: bytes, **options: str) -> None:
        try:
            self._asked(self._files.pipe_file, path, content, **options)
        except FileNotFoundError as error:
            if not path.startswith("/"):  # an object store: its bucket is not ours to make
                raise self._failed(error) from None
            self._asked(self._files.makedirs, path.rpartition("/")[0], exist_ok=True)
            self._asked(self._files.pipe_file, path, content, **options)

    def _read_one(self, path: str) -> Any:
        """The content of a file, or FileNotFoundError."""
        try:
            return self._asked(self._files.cat_file, path)
        except FileNotFoundError as error:
            return error

    def _content(self, content: Any) -> bytes | None:
        if isinstance(content, FileNotFoundError):
            return None
        if isinstance(content, Exception):
            raise self._failed(content)
        return bytes(content)

    def _read_lock(self) -> bytes:
        return bytes(self._asked(self._files.cat_file, self._lock))

    def _write_lock(self, content: bytes, *, is_new: bool) -> None:
        if is_new:
            try:
                return self._write(self._lock, content, mode="create")
            except FileExistsError:
                raise
            except OSError:  # those of pyarrow (hdfs) create no file exclusively
                if self._asked(self._files.exists, self._lock):
                    raise FileExistsError(self._lock) from None
        return self._write(self._lock, content)

    def _asked(self, call: Callable[..., Answer], *arguments: Any, **options: Any) -> Answer:
        """Call into fsspec; whatever fails is an OSError in one line."""
        try:
            return call(*arguments, **options)
        except ImportError as error:  # fsspec says which package is missing
            raise NoFsspec(f"The spool {self.name} cannot be opened: {error}") from None
        except (FileNotFoundError, FileExistsError):
            raise
        except Exception as error:  # noqa: BLE001 - each package of fsspec's raises its own
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> OSError:
        why = without_credentials(str(error).partition("\n")[0]) or type(error).__name__
        return OSError(f"{self.name}: {why}")


def _paths(files: Sequence[KeptFile]) -> tuple[list[str], list[str]]:
    """The paths of files, and those that fsspec's calls for many files take as patterns."""
    paths = [file.path for file in files]
    patterns = [path for path in paths if set(path) & set("*?[")]
    return [path for path in paths if path not in patterns], patterns


class _Lease:
    """The lock of a spool whose file system has none: a file with its holder and a time."""

    def __init__(self, read: Callable[[], bytes], write: Callable[..., None], name: str) -> None:
        """Take it; InUse if another process has."""
        self._read, self._write, self._name = read, write, name
        self._holder = uuid4().hex
        self._at = time()
        holder, at = self._held()
        if self._at - at < LEASE_SECONDS:
            raise self._in_use()
        try:
            write(self._content(), is_new=not holder)  # one that is too old was left by a kill
        except FileExistsError:
            raise self._in_use() from None

    def renew(self) -> None:
        """Hold it for longer; InUse if another process has taken it."""
        if time() - self._at > LEASE_SECONDS / 4:
            if not self.is_mine():
                raise self._in_use()
            self._at = time()
            self._write(self._content(), is_new=False)

    def is_mine(self) -> bool:
        """Whether it is still this process that holds it."""
        return self._held()[0] == self._holder

    def _content(self) -> bytes:
        return f"{self._holder} {self._at}".encode("ascii")

    def _held(self) -> tuple[str, float]:
        """Its holder and time; no holder if there is none, and a time long ago if it is broken."""
        try:
            holder, at = self._read().decode("ascii").split()
            return holder, float(at)
        except FileNotFoundError:
            return "", 0.0
        except ValueError:  # its writer was killed
            return "nobody", 0.0

    def _in_use(self) -> InUse:
        return InUse(f"Another process is delivering {self._name}.")
