"""The package of an earlier revision of this repository, for upgrades beside this one."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

from dev.build_ui import ROOT

PACKAGE = "airflow_colgraph"
MIGRATIONS = f"{PACKAGE}/store/migrations/versions"


def with_older_tables() -> str:
    """The last commit before the newest migration."""
    newest = ("log", "-1", "--format=%H", "--diff-filter=A", "--", f"{MIGRATIONS}/[0-9]*.py")
    return _text("rev-parse", "--short", f"{_text(*newest)}^")


def has_history() -> bool:
    """Whether this clone has that commit: a shallow one need not."""
    try:
        with_older_tables()
    except SystemExit:
        return False
    return True


def package_of(version: str, folder: Path) -> Path:
    """The folder with the package of a revision, which is unpacked there; or that of a checkout.

    Args:
        version: A revision of this repository, or the folder of another checkout.
        folder: An empty folder.
    """
    checkout = Path(version)
    if (checkout / PACKAGE).is_dir():
        return checkout.resolve()
    with tarfile.open(fileobj=io.BytesIO(_git("archive", version, PACKAGE))) as archive:
        archive.extractall(folder)
    return folder


def begin_with(folder: Path) -> str:
    """The Python by which a process runs that package and no other."""
    return f"""
import sys
sys.path.insert(0, {str(folder)!r})
import {PACKAGE}
assert {PACKAGE}.__file__.startswith({str(folder)!r}), {PACKAGE}.__file__
"""


def migrate(url: str, before: str = "") -> None:
    """Run `colgraph db migrate` in a process of its own, after some Python."""
    code = f"{before}\nfrom {PACKAGE}.cli import main; main()"
    command = [sys.executable, "-c", code, "db", "migrate", "--store", url]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _text(*arguments: str) -> str:
    return _git(*arguments).decode().strip()


def _git(*arguments: str) -> bytes:
    command = ["git", "-C", str(ROOT), *arguments]
    result = subprocess.run(command, capture_output=True, check=False)
    if result.returncode:
        why = result.stderr.decode(errors="replace").strip()
        raise SystemExit(f"The repository's history is needed (git fetch --unshallow): {why}")
    return result.stdout
