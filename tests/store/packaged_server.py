"""PostgreSQL as a distribution packages it, with LLVM; the server on PyPI has no JIT."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BINARIES = Path("/usr/lib/postgresql")
CRASH = ("pg_ctl", "stop", "-w", "-m", "immediate")
RELOAD = "SELECT pg_reload_conf()"
ANY_STATEMENT = "jit_above_cost=0"  # compiles whatever a session does not exclude


@contextmanager
def packaged_server(*settings: str) -> Iterator[str]:
    """The URL of the newest installed server, started on a Unix socket in a folder of its own.

    Args:
        settings: Such as `jit_above_cost=0`.
    """
    with server_folder() as folder:
        run(folder, "initdb", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        with started(folder, *settings):
            yield url_of(folder)


@contextmanager
def standby_of(primary: Path) -> Iterator[Path]:
    """The folder of a server that follows the one in another folder, which waits for it."""
    with server_folder() as folder:
        run(folder, "pg_basebackup", "-h", primary, "-U", "postgres", "-D", "data", "-R", "-N")
        with started(folder):
            for change in ("ALTER SYSTEM SET synchronous_standby_names = '*'", RELOAD):
                run(folder, "psql", "-qXh", primary, "-U", "postgres", "-c", change)
            yield folder


def url_of(*folders: Path) -> str:
    """The URL of the server in a folder; of several, the one that takes writes."""
    url = f"postgresql://postgres@/postgres?host={','.join(map(str, folders))}"
    return f"{url}&target_session_attrs=read-write" if len(folders) > 1 else url


@contextmanager
def server_folder() -> Iterator[Path]:
    """An empty folder that PostgreSQL's account may use."""
    folder = Path(tempfile.mkdtemp(prefix="colgraph-pg-"))
    try:
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "postgres", "postgres")
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def started(folder: Path, *settings: str) -> Iterator[None]:
    """Start the server whose data are in a folder."""
    options = ["listen_addresses=", f"unix_socket_directories={folder}", *settings]
    flags = " ".join(f"-c {option}" for option in options)
    run(folder, "pg_ctl", "start", "-w", "-l", folder / "log", "-o", flags)
    try:
        yield
    finally:
        if (folder / "data" / "postmaster.pid").exists():  # it may have been made to crash
            run(folder, *CRASH)


def _programs() -> Path:
    versions = sorted(BINARIES.glob("*/bin"), key=lambda path: int(path.parent.name))
    if not versions:
        raise FileNotFoundError(f"There is no PostgreSQL in {BINARIES}: apt-get install postgresql")
    return versions[-1]


def run(folder: Path, program: str, *arguments: str | Path) -> None:
    """Run a program of PostgreSQL's for the server in a folder."""
    command = (_programs() / program, *arguments)
    account = {"user": "postgres", "group": "postgres", "extra_groups": []}
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PGDATA": str(folder / "data"), "PATH": os.defpath},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **(account if os.geteuid() == 0 else {}),
    )
    assert done.returncode == 0, f"{command}: {done.stdout}"
