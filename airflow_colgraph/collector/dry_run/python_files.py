"""Files that Python code looks for: what the plan has written is there, and what is not is named.

A program that tests `os.path.exists(target)` would take another branch than its run otherwise.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from functools import partial, wraps
from typing import Any

from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.dry_run.python_effects import is_own

LISTS = "listdir"
LOOKS = ("stat", "lstat", "scandir", LISTS)
MAKES = "makedirs"  # which looks for the folders that it then makes


def attach(notes: Notes, scratch: str, described: Collection[str]) -> None:
    """Replace the functions by which `os.path`, `pathlib` and `glob` look for files.

    `described` are the tables and paths of `--schemas`: these paths are taken to be there.
    """
    paths = {os.path.abspath(name) for name in described if "/" in name}
    for name in LOOKS:
        original = getattr(os, name)
        look = partial(looked_for, original, notes, scratch, paths)
        replacement = wraps(original)(partial(listed, look, scratch) if name == LISTS else look)
        setattr(os, name, replacement)
        for functions in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if original in functions:
                functions.add(replacement)


def looked_for(
    original: Callable[..., Any],
    notes: Notes,
    scratch: str,
    described: Collection[str],
    path: Any = ".",
    **options: Any,
) -> Any:
    """What a path is, or what the plan has written there."""
    try:
        return original(path, **options)
    except FileNotFoundError:
        if isinstance(path, int) or options.get("dir_fd") is not None:
            raise
        if os.path.abspath(os.fsdecode(path)) in described:
            return original(scratch, **options)
        try:
            return original(scratched(path, scratch), **options)
        except FileNotFoundError:
            note(os.fsdecode(path), notes, scratch)
        raise


def listed(original: Callable[..., Any], scratch: str, path: Any = ".") -> Any:
    """The names in a folder, with those that the plan has written there."""
    names = original(path)
    if not isinstance(path, (str, os.PathLike)):
        return names
    try:
        return [*names, *(name for name in original(scratched(path, scratch)) if name not in names)]
    except FileNotFoundError:
        return names


def scratched(path: Any, scratch: str) -> str:
    """Where OverlayFileSystem.java keeps what is written to a path."""
    return f"{scratch}/file{os.path.abspath(os.fsdecode(path))}"


def note(path: str, notes: Notes, scratch: str) -> None:
    """Name a path that the application has looked for."""
    frame = sys._getframe(2)
    is_made = frame.f_code.co_name == MAKES or (
        frame.f_back is not None and frame.f_back.f_code.co_name == MAKES
    )
    if not is_made and not is_own(path, scratch, frame, notes.application):
        notes.effect(f"looked for {path}, which is not there,")
