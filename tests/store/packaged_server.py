"""PostgreSQL as a distribution packages it, with LLVM; the server on PyPI has no JIT."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BINARIES = Path("/usr/lib/postgresql")
ANY_STATEMENT = "jit_above_cost=0"  # compiles whatever a session does not exclude


@contextmanager
def packaged_server(*settings: str) -> Iterator[str]:
    """The URL of the newest installed server, started on a Unix socket in a folder of its own.

    Args:
        settings: Such as `jit_above_cost=0`.
    """
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="colgraph-pg-"))
    try:
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "postgres", "postgres")
        _run(folder, programs / "initdb", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        options = ["listen_addresses=", f"unix_socket_directories={folder}", *settings]
        flags = " ".join(f"-c {option}" for option in options)
        _run(folder, programs / "pg_ctl", "start", "-w", "-l", str(folder / "log"), "-o", flags)
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            _run(folder, programs / "pg_ctl", "stop", "-w", "-m", "immediate")
    finally:
        shutil.rmtree(folder)


def _programs() -> Path:
    versions = sorted(BINARIES.glob("*/bin"), key=lambda path: int(path.parent.name))
    if not versions:
        raise FileNotFoundError(f"There is no PostgreSQL in {BINARIES}: apt-get install postgresql")
    return versions[-1]


def _run(folder: Path, *command: str | Path) -> None:
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
