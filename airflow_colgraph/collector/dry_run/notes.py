"""What a dry run has to say besides lineage: empty results, and what was skipped."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class Notes:
    """Collected while the application runs; each thing at a place once."""

    def __init__(self, application: str) -> None:
        """`application` is the file whose lines are named."""
        self.application = os.path.abspath(application)
        self.actions: dict[str, None] = {}
        self.effects: dict[str, None] = {}  # of Python code beside Spark
        self.skipped: dict[str, None] = {}
        self.unknown: dict[str, None] = {}  # datasets of which the store has no types
        self.facts: dict[str, Any] = {}
        self._depth = 0

    def action(self, name: str) -> None:
        """An action returned an empty result, or one of no rows."""
        if not self._depth:
            self.actions[f"{name} at {self.place()}"] = None

    def effect(self, what: str) -> None:
        """The application did something beside Spark."""
        self.effects[f"{what} at {self.place()}"] = None

    def skip(self, what: str) -> None:
        """Something was not done."""
        self.skipped[f"{what} at {self.place()}"] = None

    def inside(self, act: Callable[[], Any]) -> Any:
        """What `act` returns; actions that it is made of are not noted."""
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
            if not first and "pyspark" not in file and "airflow_colgraph" not in file:
                first = f"{os.path.basename(file)}:{frame.f_lineno}"
            frame = frame.f_back
        return first

    def write(self, file: str) -> None:
        """Leave them for the command line."""
        with open(file, "w", encoding="utf-8") as opened:
            named = {
                "actions": list(self.actions),
                "effects": list(self.effects),
                "skipped": list(self.skipped),
                "unknown": list(self.unknown),
            }
            json.dump({**named, **self.facts}, opened)
