"""The collector as files that spark-submit ships to the driver, written once per content.

--py-files {compiled_archive()}    a zip whose sitecustomize.py starts the collector in the driver
{launcher()}               the application that runs a jar's main class, see driver/launcher.py
"""

from __future__ import annotations

import hashlib
import io
import marshal
import os
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from airflow_colgraph import __version__

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable  # moved there in Python 3.11

UNCHECKED = 0b01  # the flags of a .pyc that goes by its source's hash, and is believed
# The collector's package hides the whole one: a job that uses more of it finds the rest behind.
FIND_THE_REST = b"""
from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)
"""
EPOCH = (1980, 1, 1, 0, 0, 0)  # the oldest date that a zip can hold


class CollectorFiles(NamedTuple):
    """The paths or URIs of the collector's two files, as the driver reads them."""

    archive: str
    launcher: str


def collector_files(base: str = "") -> CollectorFiles:
    """The files that `colgraph collector` wrote beneath `base`, a folder or URI for drivers.

    Without one they are local files, which spark-submit ships by itself.
    """
    if not base:
        return CollectorFiles(str(compiled_archive()), str(launcher()))
    local = CollectorFiles(str(source_archive()), str(launcher()))
    return CollectorFiles(
        *(f"{base.rstrip('/')}/{Path(file).relative_to(_cache())}" for file in local)
    )


def source_archive(folder: Path | None = None) -> Path:
    """The collector's zip, in `folder` or a cache of the user's."""
    content = _zipped(dict(_sources()))
    return _write_once(
        folder, f"colgraph-collector-{__version__}-{_checksum(content)}.zip", content
    )


def compiled_archive(folder: Path | None = None) -> Path:
    """The same zip with bytecode beside the sources, for drivers that run on this Python.

    Python keeps no bytecode of a zip's modules, so every driver would compile them again. Another
    Python sees that the bytecode is not its own, and compiles the sources. The same code may be
    other bytes in another process (`marshal`): the checksum in the file's name says that it is
    whole, so that it is compiled once, and not replaced while Spark reads it.
    """
    sources = dict(_sources())
    name = f"colgraph-collector-{__version__}-{_checksum(_zipped(sources))}-{{}}"
    name += f".{sys.implementation.cache_tag}.zip"
    for archive in sorted((folder or _cache()).glob(name.format("*"))):
        if _is_whole(archive, name):
            return archive
        archive.unlink(missing_ok=True)  # damaged, or not this user's alone
    modules = {name: source for name, source in sources.items() if name.endswith(".py")}
    bytecode = {f"{name}c": _bytecode(name, source) for name, source in modules.items()}
    content = _zipped({**sources, **bytecode})
    return _write_once(folder, name.format(_checksum(content)), content)


def _is_whole(path: Path, name: str) -> bool:
    """Whether a file is this user's alone, and has the content whose checksum its name has."""
    content = _own_content(path)
    return content is not None and path.name == name.format(_checksum(content))


def _bytecode(name: str, source: bytes) -> bytes:
    """A .pyc that Python takes without a look at the source's date."""
    code = marshal.dumps(compile(source, name, "exec", dont_inherit=True))
    return MAGIC_NUMBER + UNCHECKED.to_bytes(4, "little") + source_hash(source) + code


def launcher(folder: Path | None = None) -> Path:
    """The launcher for jars. Alone in its folder, as Python imports from the folder of a script."""
    content = files("airflow_colgraph").joinpath("collector", "driver", "launcher.py").read_bytes()
    name = f"colgraph-launcher-{__version__}-{_checksum(content)}/colgraph_launcher.py"
    return _write_once(folder, name, content)


def dry_run(folder: Path | None = None) -> Path:
    """What is submitted in place of an application that is to be planned, alone in its folder."""
    content = files("airflow_colgraph").joinpath("collector", "dry_run", "start.py").read_bytes()
    name = f"colgraph-plan-{__version__}-{_checksum(content)}/colgraph_plan.py"
    return _write_once(folder, name, content)


def _sources() -> Iterator[tuple[str, bytes]]:
    package = files("airflow_colgraph")
    start = package.joinpath("__init__.py").read_bytes()
    yield "airflow_colgraph/__init__.py", start + FIND_THE_REST
    for folder in ("collector", "openlineage"):
        yield from _modules(package.joinpath(folder), f"airflow_colgraph/{folder}")
    bootstrap = package.joinpath("collector", "driver", "bootstrap.py").read_bytes()
    yield "sitecustomize.py", bootstrap


def _modules(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for child in folder.iterdir():
        if child.is_dir():
            yield from _modules(child, f"{path}/{child.name}")
        elif child.name.endswith((".py", ".java")):
            yield f"{path}/{child.name}", child.read_bytes()


def _zipped(sources: dict[str, bytes]) -> bytes:
    """The same bytes for the same sources, wherever and whenever."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as opened:
        for name, content in sorted(sources.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            opened.writestr(entry, content)
    return buffer.getvalue()


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _write_once(folder: Path | None, name: str, content: bytes) -> Path:
    """The file `name` with this content that no other user may change."""
    path = (folder or _cache()) / name
    if _own_content(path) != content:
        _write_atomically(path, content)
    return path


def _own_content(path: Path) -> bytes | None:
    """What a file holds; None if it is not this user's alone, or cannot be read."""
    try:
        return path.read_bytes() if _is_own(path, stat.S_ISREG) else None
    except OSError:
        return None


def _is_own(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Whether a path is no link, this user's, and written by no one else."""
    status = os.lstat(path)
    return is_kind(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def _write_atomically(path: Path, content: bytes) -> None:
    """Write the file atomically; one that another process wrote meanwhile is not touched."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".colgraph-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        try:
            os.link(temporary, path)  # only if there is none: see `compiled_archive`
        except OSError:
            if _own_content(path) != content:
                os.replace(temporary, path)
                return
        os.unlink(temporary)
    except BaseException:
        os.unlink(temporary)
        raise


def _cache() -> Path:
    """A folder that only this user writes to: what lies there is run in Spark drivers."""
    for base in (os.environ.get("XDG_CACHE_HOME"), os.path.expanduser("~/.cache")):
        if base and os.path.isabs(base):
            folder = Path(base, "airflow_colgraph")
            try:
                folder.mkdir(parents=True, exist_ok=True)
                if _is_safe(folder) and os.access(folder, os.W_OK | os.X_OK):
                    return folder
            except OSError:
                continue
    folder = Path(tempfile.gettempdir(), f"airflow_colgraph-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_own(folder, stat.S_ISDIR):
        raise PermissionError(f"{folder} is not private to this user; remove it.")
    return folder


def _is_safe(folder: Path) -> bool:
    """Whether a folder is this user's alone; one that its group may write to is made so.

    What others have put there before is not believed: see `_own_content`.
    """
    above = os.stat(folder.parent).st_mode
    if above & stat.S_IWOTH and not above & stat.S_ISVTX:
        return False  # anyone may put another folder in its place
    status = os.lstat(folder)
    if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and status.st_mode & 0o022:
        os.chmod(folder, status.st_mode & 0o755)
    return _is_own(folder, stat.S_ISDIR)
