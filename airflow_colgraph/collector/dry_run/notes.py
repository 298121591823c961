"""What a dry run has to say besides lineage: empty results, and what was skipped."""

from __future__ import annotations

import json
import os
import sys
import tokenize
from collections.abc import Callable
from types import FrameType
from typing import Any

from airflow_colgraph.collector.dry_run.shown_results import shown_lines


class Notes:
    """Collected while the application runs; each thing at a place once."""

    def __init__(self, application: str) -> None:
        """`application` is the file whose lines are named."""
        self.application = os.path.abspath(application)
        self._shown = lines_that_show(self.application)
        self.actions: dict[str, None] = {}
        self.branched: dict[str, None] = {}  # actions that were answered as if there were a row
        self.assumed: dict[str, None] = {}  # actions that rows which are not the source's answered
        self.effects: dict[str, None] = {}  # of Python code beside Spark
        self.skipped: dict[str, None] = {}
        self.unknown: dict[str, None] = {}  # datasets without types in the store
        self.absent: dict[str, None] = {}  # paths whose columns only the program names
        self.missing: dict[str, None] = {}  # sources without which the application ended
        self.facts: dict[str, Any] = {}
        self.made_records = (0, 0)  # rows that were made up, read and written
        self._depth = 0

    def action(self, name: str) -> None:
        """An action returned an empty result, or one of no rows, which may choose a branch."""
        if self._depth:
            return
        if not self._is_shown():
            self.actions[f"{name} at {self.place()}"] = None

    def branch(self, name: str) -> None:
        """An action was answered as if there were a row, by which the program chooses a branch."""
        self.branched[f"{name} at {self.place()}"] = None

    def assume(self, name: str, how: str) -> None:
        """An action returned what rows give that are not the source's."""
        if not self._depth:
            self.assumed[f"{name} at {self.place()} was answered {how}"] = None

    def effect(self, what: str) -> None:
        """The application did something beside Spark."""
        self.effects[f"{what} at {self.place()}"] = None

    def skip(self, what: str) -> None:
        """Something was not done."""
        self.skipped[f"{what} at {self.place()}"] = None

    @property
    def is_inside(self) -> bool:
        """Whether an action is running; others are a part of it."""
        return self._depth > 0

    def inside(self, act: Callable[[], Any]) -> Any:
        """What `act` returns; the actions that it calls are not noted."""
        self._depth += 1
        try:
            return act()
        finally:
            self._depth -= 1

    def place(self) -> str:
        """The line of the application that is being run, else the nearest that is not Spark's."""
        frame: FrameType | None = sys._getframe(1)
        first = ""
        while frame is not None:
            file = frame.f_code.co_filename
            if os.path.abspath(file) == self.application:
                return f"{os.path.basename(file)}:{frame.f_lineno}"
            if not first and is_outside(file):
                first = f"{os.path.basename(file)}:{frame.f_lineno}"
            frame = frame.f_back
        return first

    def caller(self) -> FrameType | None:
        """The nearest frame that is not Spark's or ours."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not is_outside(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def _is_shown(self) -> bool:
        """Whether the application itself calls an action, and only shows or drops its result."""
        frame = self.caller()
        if frame is None or os.path.abspath(frame.f_code.co_filename) != self.application:
            return False
        return frame.f_lineno in self._shown

    def write(self, file: str) -> None:
        """Leave them for the command line."""
        with open(file, "w", encoding="utf-8") as opened:
            named = {
                "actions": list(self.actions),
                "branched": list(self.branched),
                "assumed": list(self.assumed),
                "effects": list(self.effects),
                "skipped": list(self.skipped),
                "unknown": list(self.unknown),
                "absent": list(self.absent),
                "missing": list(self.missing),
            }
            json.dump({**named, **self.facts}, opened)


def lines_that_show(application: str) -> frozenset[int]:
    """The lines of a program that only show or drop the results of actions."""
    try:
        with tokenize.open(application) as opened:
            return shown_lines(opened.read())
    except (OSError, SyntaxError, ValueError):
        return frozenset()


def is_outside(file: str) -> bool:
    """Whether a file is neither Spark's nor ours."""
    return "pyspark" not in file and "airflow_colgraph" not in file
