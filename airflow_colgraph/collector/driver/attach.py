"""Follows how a program uses the PySpark that it has loaded before the collector was there.

In a notebook, or in a function that Airflow runs, only a session is handed to the collector. What
is no query of a session is observed as in a whole application: see `bootstrap`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from types import ModuleType

from airflow_colgraph.collector.driver.bootstrap import (
    FRAMES,
    NO_FUNCTIONS,
    NO_RDDS,
    NO_TEXTS,
    RDDS,
    SESSION,
    STREAMS,
    Application,
    is_following,
)


@cache
def follow_loaded() -> None:
    """Hear of frames that are used as RDDs, of functions that are run for each row, of SQL texts.

    Once in a process, and not where `bootstrap` has begun it.
    """
    if is_following():
        return
    driver = Application(os.getpid())
    for names, failed, follow in (
        (RDDS, NO_RDDS, driver.follow_rdds),
        (FRAMES, NO_RDDS, driver.follow_frames),
        (STREAMS, NO_FUNCTIONS, driver.follow_streams),
        ((SESSION,), NO_TEXTS, driver.follow_texts),
    ):
        driver.attempt(failed, _follow, follow, names)


def _follow(follow: Callable[[ModuleType], None], names: tuple[str, ...]) -> None:
    """Follow the first of some modules that this PySpark has."""
    follow(_first(names))


def _first(names: tuple[str, ...]) -> ModuleType:
    for name in names[:-1]:
        with suppress(ModuleNotFoundError):
            return import_module(name)
    return import_module(names[-1])
