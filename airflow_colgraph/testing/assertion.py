"""`assert_lineage`: what is found against what the test expects."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from airflow_colgraph.testing import text

if TYPE_CHECKING:
    from airflow_colgraph.testing.updates import Updates

Subject = Any | Callable[[], object] | Path | Iterable[Mapping[str, Any]]


class AssertLineage:
    """Called with a DataFrame, a job or events, and the lineage that is expected."""

    def __init__(self, updates: Updates | None) -> None:
        """With `updates` another lineage is written down and is no failure."""
        self._updates = updates

    def __call__(
        self, subject: Subject, expected: str | Path, *, root: str | os.PathLike[str] = ""
    ) -> None:
        """Assert that the lineage is exactly the expected one.

        Args:
            subject: A DataFrame, which is not executed; a function without arguments, which is
                called, and whose writes in the active Spark session count; a file of events, e.g.
                of `colgraph submit`; or a list of events.
            expected: The text, in the test itself, or the file that has it. "" says that nothing
                is written.
            root: A folder whose path is taken out of the datasets' names, e.g. `tmp_path`.

        Raises:
            AssertionError: With the lines that are missing and those that were not expected.
        """
        __tracebackhide__ = True
        events = events_of(subject)
        if not events and not callable(subject):
            pytest.fail("there are no events, so no lineage was looked at", pytrace=False)
        if isinstance(expected, Path) and not expected.exists() and self._updates is None:
            pytest.fail(f"{expected} does not exist; --update-lineage writes it", pytrace=False)
        problems = lacking(events)
        if problems:
            pytest.fail(f"the lineage is not wholly known: {'; '.join(problems)}", pytrace=False)
        lineage = text.of_events(events, os.fspath(root))
        wanted = text.fitted(text.parse(as_stated(expected)), lineage)
        differs = text.difference(wanted, lineage)
        if not differs:
            return
        if not lineage and self._updates is not None:
            pytest.fail('there is no lineage to write; if that is right, state ""', pytrace=False)
        if self._updates is None:
            pytest.fail(
                f"the lineage is another ('-' expected, '+' found; --update-lineage writes it):\n"
                f"{differs}",
                pytrace=False,
            )
        if isinstance(expected, Path):
            self._updates.put_file(expected, text.as_text(lineage))
        else:
            caller = sys._getframe(1)
            where = Path(caller.f_code.co_filename), caller.f_lineno
            self._updates.put_text(*where, expected, text.as_text(lineage))


def as_stated(expected: str | Path) -> str:
    """The text that a test expects; that of a file that is not there yet is empty."""
    if isinstance(expected, str):
        return expected
    return expected.read_text(encoding="utf-8") if expected.exists() else ""


def events_of(subject: Subject) -> list[Any]:
    """The events of what is to be looked at."""
    if hasattr(subject, "_jdf"):
        from airflow_colgraph.testing import observed

        return list(observed.of_frame(subject))
    if callable(subject):
        from airflow_colgraph.testing import observed

        return list(observed.of_job(subject))
    if isinstance(subject, (str, Path)):
        lines = Path(subject).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]
    return list(subject)


def lacking(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """What the events say that they do not know, each once."""
    reasons: dict[str, None] = {}
    for event in events:
        facts = (event.get("run", {}).get("facets") or {}).get("colgraph_diagnostics") or {}
        for item in facts.get("unresolved") or ():
            reasons[str(item["class"])] = None
        if facts.get("truncated"):
            reasons[str(facts["truncated"])] = None
    return list(reasons)
