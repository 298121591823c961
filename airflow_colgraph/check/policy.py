"""Policies: no dataset has a tag that it must not have, wherever the tag came from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.check.tag_settings import Policy, TagSettings
from airflow_colgraph.exports.formats.tag_json import tag_json, tag_lines
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tag_travel import Review, is_one_of, without_match
from airflow_colgraph.store.query.listing import every_dataset
from airflow_colgraph.store.query.tag_spread import LIMIT, FieldTag, tagged
from airflow_colgraph.store.query.tag_values import values_at
from airflow_colgraph.store.query.tags import stored_names, unmatched
from airflow_colgraph.store.store import Store

EARLIER = "in values of an earlier run, which are still there"


@dataclass(frozen=True)
class Violation:
    """A field, or a dataset as a whole, has a tag that it must not have."""

    severity: str
    field_tag: FieldTag
    earlier: bool = False  # by edges that ended, but what they brought was not replaced


@dataclass(frozen=True)
class PolicyReport:
    """What a check found; `truncated`: not all edges were followed, so there may be more.

    `unmatched` says which patterns match nothing in the store, so that nothing was checked by them.
    Tags travel again through columns whose review has `expired`. `gaps` are the reasons why the
    planned lineage may not be whole.
    """

    violations: Sequence[Violation]
    policies: int
    truncated: bool = False
    unmatched: Sequence[str] = ()
    expired: Sequence[Review] = ()
    gaps: Sequence[str] = ()

    @property
    def exit_code(self) -> int:
        """1 if a policy is broken, 2 if undetermined, else 0."""
        if any(violation.severity == "error" for violation in self.violations):
            return 1
        return 2 if self.truncated or self.unmatched or self.gaps else 0

    @property
    def summary(self) -> str:
        """The result in one line."""
        counts = [
            f"{count} {name}{'' if count == 1 else 's'}"
            for name in ("error", "warning")
            if (count := sum(violation.severity == name for violation in self.violations))
        ]
        more = "; truncated: there may be more" if self.truncated else ""
        policies = f"{self.policies} polic{'y' if self.policies == 1 else 'ies'}"
        result = ", ".join(counts) or "no tag where it must not be"
        if undetermined := [*self.unmatched, *self.gaps]:
            result = "; ".join([*counts, *undetermined])
        return f"{policies} checked: {result}{more}"


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
        missing = _missing(connection, settings.policies)
        policies = _by_dataset(connection, settings)
        now = tagged(connection, patterns, at, settings.travel, limit)
        values = values_at(connection, patterns, at, settings.travel, limit)
    there = {(field_tag.field, field_tag.tag) for field_tag in now.tags}
    tags = [(field_tag, False) for field_tag in now.tags]
    tags += [(each, True) for each in values.tags if (each.field, each.tag) not in there]
    violations = [
        Violation(severity, field_tag, earlier)
        for field_tag, earlier in tags
        if (severity := _severity(policies.get(field_tag.field.dataset, ()), field_tag))
    ]
    violations.sort(key=lambda violation: violation.severity)
    truncated = now.truncated or values.truncated
    count = len(settings.policies)
    return PolicyReport(violations, count, truncated, missing, settings.expired)


def _missing(connection: Connection, policies: Iterable[Policy]) -> list[str]:
    """What the patterns of policies do not match, a text each; optional policies may not match."""
    names = [f"{namespace}/{name}" for _, namespace, name in every_dataset(connection)]
    needed = [policy for policy in policies if not policy.optional]
    datasets = dict.fromkeys(pattern for policy in needed for pattern in policy.datasets)
    tags = dict.fromkeys(pattern for policy in needed for pattern in policy.tags)
    return [
        *(
            f"no dataset of the store matches {pattern!r}"
            for pattern in without_match(datasets, names)
        ),
        *(
            f"no tag that matches {pattern!r} is or was set"
            for pattern in unmatched(connection, tags)
        ),
    ]


def _by_dataset(connection: Connection, settings: TagSettings) -> dict[Field, list[Policy]]:
    """The policies about each dataset, under any of its names."""
    wanted: dict[int, list[Policy]] = {}
    for id, *name in every_dataset(connection):
        if about := [policy for policy in settings.policies if policy.is_about(*name)]:
            wanted[id] = about
    names = stored_names(connection, wanted)
    policies: dict[Field, list[Policy]] = {}
    for id, about in wanted.items():
        policies.setdefault(names[id], []).extend(about)
    return policies


def _severity(policies: Iterable[Policy], field_tag: FieldTag) -> str:
    """That of the most severe policy that forbids the tag; empty if none does."""
    return min((p.severity for p in policies if is_one_of(field_tag.tag, p.tags)), default="")


def table(report: PolicyReport) -> str:
    """The report for a terminal."""
    lines = []
    for violation in report.violations:
        first, *others = tag_lines(violation.field_tag)
        lines.append(f"{violation.severity:7}  {first}")
        lines += [f"         {line}" for line in others]
        if violation.earlier:
            lines.append(f"           {EARLIER}")
    lines += [f"note     an expired review: {review.text}" for review in report.expired]
    return "\n".join([*lines, report.summary]) + "\n"


def as_json(report: PolicyReport) -> str:
    """The report for a program."""
    document: dict[str, Any] = {
        "violations": [
            {
                "severity": violation.severity,
                "earlier": violation.earlier,
                **tag_json(violation.field_tag),
            }
            for violation in report.violations
        ],
        "policies": report.policies,
        "truncated": report.truncated,
        "unmatched": list(report.unmatched),
        "expired": [review.text for review in report.expired],
        "gaps": list(report.gaps),
        "exitCode": report.exit_code,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


FORMATS: dict[str, Callable[[PolicyReport], str]] = {"table": table, "json": as_json}
