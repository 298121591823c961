"""The time that lineage may take of a process of Airflow's: `[colgraph] deadline_seconds`."""

from __future__ import annotations

import contextvars
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

T = TypeVar("T")


class TooSlow(Exception):
    """The function did not end in time; its thread is left to itself."""


def within(seconds: float, function: Callable[[], T]) -> T:
    """What the function returns or raises, if it ends in time; the task's own clock stops."""
    answers: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            answers.append(function())
        except Exception as error:  # noqa: BLE001 -- raised again by the thread that waits
            errors.append(error)

    context = contextvars.copy_context()  # of the task: Airflow's hooks look there
    thread = threading.Thread(target=context.run, args=(run,), name="colgraph", daemon=True)
    with task_timeout_stopped():
        thread.start()
        thread.join(max(seconds, 0))
    if errors:
        raise errors[0]
    if not answers:
        raise TooSlow(f"it took more than {seconds:.3g} seconds")
    return answers[0]


class Budget:
    """The seconds that lineage may take of one task, spent once by all that it does."""

    def __init__(self, seconds: float) -> None:
        """Nothing is spent."""
        self._seconds = self.left = seconds

    def renew(self) -> None:
        """Nothing is spent of it again: Airflow waits another time."""
        self.left = self._seconds

    def run(self, function: Callable[[], T]) -> T:
        """What the function returns or raises; TooSlow when the seconds are spent."""
        with self.spent():
            return within(self.left, function)

    @contextmanager
    def spent(self) -> Iterator[None]:
        """Spend the time that the block takes, which bounds itself."""
        started = monotonic()
        try:
            yield
        finally:
            self.left = max(0.0, self.left - (monotonic() - started))


@contextmanager
def task_timeout_stopped() -> Iterator[None]:
    """Stop the clock of the task's `execution_timeout` for the block.

    Airflow raises AirflowTaskTimeout from the handler of SIGALRM, wherever the main thread is. What
    lineage takes is not the job's time, and bounded by itself; afterwards the clock goes on with
    what the job had left.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    left, interval = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        if left:
            signal.setitimer(signal.ITIMER_REAL, left, interval)
