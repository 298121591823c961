"""The time that a process waits for its lineage: `exitTimeoutSeconds`, spent once."""

from __future__ import annotations

from time import monotonic

GRACE_SECONDS = 1.0  # for the last events, when the time is over: once for all applications


class ExitBudget:
    """What is left of the time after waits that were in vain.

    A stop of a SparkContext whose lineage was written in time costs nothing: a notebook that
    stops many of them loses none.
    """

    def __init__(self) -> None:
        """Nothing is spent."""
        self._spent = 0.0

    def left(self, limit: float) -> float:
        """The seconds that may be waited now, of `limit` in all."""
        return max(0.0, limit - self._spent)

    def spend(self, since: float) -> None:
        """A wait that began at `since` was in vain."""
        self._spent += max(0.0, monotonic() - since)
