"""What the application's Python code does beside Spark: a plan lets it happen and names it."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.python_functions.effects import CHANGES

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
OWN = (
    "/pyspark/",
    "/py4j/",
    "/airflow_colgraph/",
    "<frozen importlib",
    "/importlib/",
    "/gettext.py",
)


def attach(notes: Notes, scratch: str) -> None:
    """Note from now on what the application changes; `scratch` is the plan's own folder."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" or event in CHANGES:
            act = effect(event, arguments)
            if act and not is_own(act, scratch, sys._getframe(1), notes.application):
                notes.effect(act)

    sys.addaudithook(hook)


def effect(event: str, arguments: tuple[Any, ...]) -> str:
    """What an audit event changes, in words; empty if it changes nothing.

    >>> effect("open", ("/srv/a", "r", 0)), effect("open", ("/srv/a", "w", 577))
    ('', 'wrote /srv/a')
    >>> effect("os.system", ("curl -u anna:secret",))
    'ran curl'
    >>> effect("os.rename", ("/srv/a", "/srv/b", -1, -1))
    'renamed /srv/a'
    """
    target = arguments[1] if event == "socket.connect" else arguments[0]
    if event == "open":
        if not isinstance(target, (str, bytes)) or not arguments[2] & WRITES:
            return ""
        return f"wrote {os.fsdecode(target)}"
    if event == "os.system":
        target = os.fsdecode(target).split()[0]  # its arguments may be secret
    if isinstance(target, tuple):
        target = ":".join(map(str, target))
    return f"{CHANGES[event]} {os.fsdecode(target) if isinstance(target, bytes) else target}"


def is_own(act: str, scratch: str, frame: FrameType | None, application: str) -> bool:
    """Whether a change is of Spark, of an import or of the plan, and not of the application."""
    if scratch in act or " /dev/" in act:
        return True
    while frame is not None:
        file = frame.f_code.co_filename
        if os.path.abspath(file) == application:
            return False
        if any(name in file for name in OWN):
            return True
        frame = frame.f_back
    return True
