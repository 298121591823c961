"""A SQL text of PySpark while it runs: what Spark's listeners are not told is asked around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NO_DROPS = "what is dropped is not looked at"  # if that fails
NO_PROCEDURES = "procedures that are called are not reported"  # likewise


class RunningText:
    """Looks at what a text is about to drop, and reports the procedures that it has called."""

    def __init__(self, application: Any, session: Any, text: object) -> None:
        """For a text of a SparkSession; `application` is that of `bootstrap`."""
        self._application = application
        self._session = session
        self._text = text
        self._forget: Callable[[], None] | None = None

    def __enter__(self) -> None:
        """Before the text runs."""
        self._application.attempt(NO_DROPS, self._begins)

    def __exit__(self, error: object, *details: object) -> None:
        """After it: a text that failed has dropped nothing."""
        if error is None:
            self._application.attempt(NO_PROCEDURES, self._ran)
        elif self._forget is not None:
            self._forget()

    def _begins(self) -> None:
        from airflow_colgraph.collector.driver import listener

        if self._application.is_followed():
            self._forget = listener.about_to_run(self._session, self._text)

    def _ran(self) -> None:
        from airflow_colgraph.collector.driver import listener

        if self._application.is_followed():
            listener.ran_text(self._text)
