"""Run a function for so long and no longer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class TooSlow(Exception):
    """The function did not end in time; its thread is left to itself."""


def within(seconds: float, function: Callable[[], T]) -> T:
    """What the function returns or raises, if it ends in time."""
    answers: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            answers.append(function())
        except Exception as error:  # noqa: BLE001 -- raised again by the thread that waits
            errors.append(error)

    thread = threading.Thread(target=run, name="colgraph-sql", daemon=True)
    thread.start()
    thread.join(max(seconds, 0))
    if errors:
        raise errors[0]
    if not answers:
        raise TooSlow(f"it took more than {seconds:g} seconds")
    return answers[0]
