"""What `oracles.exits` and `oracles.harm` share: a job plain and with the collector."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def folder_of_runs(judge: str, keep: bool) -> Iterator[Path]:
    """A new folder, removed at the end unless it is kept."""
    folder = Path(tempfile.mkdtemp(prefix=f"colgraph-{judge}-"))
    try:
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder)


def differences(plain: Any, ours: Any) -> list[str]:
    """What differs for the job between two runs with `code`, `out` and `err`."""
    checks = {
        f"exit code {ours.code} instead of {plain.code}": ours.code != plain.code,
        "another standard output": ours.out != plain.out,
        "a traceback": ours.err.count("Traceback") > plain.err.count("Traceback"),
    }
    return [what for what, differs in checks.items() if differs]
