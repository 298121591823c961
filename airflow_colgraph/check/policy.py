"""Policies: no dataset has a tag that it must not have, wherever the tag came from."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from airflow_colgraph.check.tag_settings import TagSettings
from airflow_colgraph.exports.formats.tag_json import tag_json, tag_lines
from airflow_colgraph.store.query.tag_spread import LIMIT, FieldTag, tagged
from airflow_colgraph.store.store import Store


@dataclass(frozen=True)
class Violation:
    """A field, or a dataset as a whole, has a tag that it must not have."""

    severity: str
    found: FieldTag


@dataclass(frozen=True)
class PolicyReport:
    """What a check found; `truncated`: not all edges were followed, so there may be more."""

    violations: Sequence[Violation]
    policies: int
    truncated: bool = False

    @property
    def exit_code(self) -> int:
        """1 if a policy is broken, 2 if undetermined, else 0."""
        if any(one.severity == "error" for one in self.violations):
            return 1
        return 2 if self.truncated else 0

    @property
    def summary(self) -> str:
        """The result in one line."""
        counts = [
            f"{count} {name}{'' if count == 1 else 's'}"
            for name in ("error", "warning")
            if (count := sum(one.severity == name for one in self.violations))
        ]
        more = "; truncated: there may be more" if self.truncated else ""
        policies = f"{self.policies} polic{'y' if self.policies == 1 else 'ies'}"
        return f"{policies} checked: {', '.join(counts) or 'no tag where it must not be'}{more}"


def check(
    store: Store, settings: TagSettings, at: int | None = None, limit: int = LIMIT
) -> PolicyReport:
    """Find the tags of datasets that must not have them.

    Args:
        store: The store.
        settings: How tags travel, and the policies.
        at: The time, in milliseconds since 1970; None for now.
        limit: The number of edges downstream of the tags at which the search ends.

    Returns:
        The report: each tag that a policy forbids, with the path by which it came. Of several
        policies that forbid it the most severe counts.

    Raises:
        StoreError: The database failed.
    """
    patterns = sorted({pattern for policy in settings.policies for pattern in policy.tags})
    with store.connection() as connection:
        found = tagged(connection, patterns, at, settings.travel, limit)
    violations = []
    for one in found.tags:
        broken = {p.severity for p in settings.policies if p.forbids(one.field, one.tag)}
        if broken:
            violations.append(Violation("error" if "error" in broken else "warning", one))
    violations.sort(key=lambda one: one.severity)
    return PolicyReport(violations, len(settings.policies), found.truncated)


def table(report: PolicyReport) -> str:
    """The report for a terminal."""
    lines = []
    for one in report.violations:
        first, *others = tag_lines(one.found)
        lines.append(f"{one.severity:7}  {first}")
        lines += [f"         {line}" for line in others]
    return "\n".join([*lines, report.summary]) + "\n"


def as_json(report: PolicyReport) -> str:
    """The report for a program."""
    found: dict[str, Any] = {
        "violations": [
            {"severity": one.severity, **tag_json(one.found)} for one in report.violations
        ],
        "policies": report.policies,
        "truncated": report.truncated,
        "exit_code": report.exit_code,
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


FORMATS: dict[str, Callable[[PolicyReport], str]] = {"table": table, "json": as_json}
