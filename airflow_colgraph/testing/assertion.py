"""`assert_lineage`: what is found against what the test expects."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.testing import text

Subject = Any | Callable[[], object] | Path | Iterable[Mapping[str, Any]]


def assert_lineage(
    subject: Subject, expected: str | Path, *, root: str | os.PathLike[str] = ""
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
    if isinstance(expected, Path) and not expected.exists():
        pytest.fail(f"{expected} does not exist", pytrace=False)
    lineage = lineage_of(subject, root)
    stated = expected if isinstance(expected, str) else expected.read_text(encoding="utf-8")
    differs = text.difference(text.fitted(text.parse(stated), lineage), lineage)
    if differs:
        pytest.fail(f"the lineage is another ('-' expected, '+' found):\n{differs}", pytrace=False)


def lineage_text(subject: Subject, *, root: str | os.PathLike[str] = "") -> str:
    """The text that `assert_lineage` expects of a subject: equal for equal lineage."""
    __tracebackhide__ = True
    return text.as_text(lineage_of(subject, root))


def lineage_of(subject: Subject, root: str | os.PathLike[str]) -> text.Lineage:
    """The lineage of a subject; a failed test if there are no events or it is incomplete."""
    __tracebackhide__ = True
    events = events_of(subject)
    if not events and not callable(subject):
        pytest.fail("there are no events, so no lineage was looked at", pytrace=False)
    if missing := incomplete(events):
        pytest.fail(f"the lineage is not wholly known: {'; '.join(missing)}", pytrace=False)
    return text.of_events(events, os.fspath(root))


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


def incomplete(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """What the events say that they do not know, each once."""
    reasons: dict[str, None] = {}
    for event in events:
        facts = (event.get("run", {}).get("facets") or {}).get("colgraph_diagnostics") or {}
        for item in facts.get("unresolved") or ():
            reasons[str(item["class"])] = None
        if facts.get("truncated"):
            reasons[str(facts["truncated"])] = None
    return list(reasons)
