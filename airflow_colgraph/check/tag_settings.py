"""The settings of tags and policies: how tags travel, and which dataset must not have which.

    # colgraph.toml; in pyproject.toml the same below [tool.colgraph]
    [[tags.rules]]
    tags = ["pii*"]                  # patterns of KEY or KEY=VALUE; default: all
    indirect = ["JOIN"]              # patterns of subtypes of INDIRECT edges; default: none
    masking = false                  # true: also through sha2, count, ...
    aggregation = true               # false: not through sum, max, ...
    unknown = true                   # false: not where a job reported no columns

    [[tags.reviews]]
    tags = ["pii"]                   # these tags end
    datasets = ["s3://lake/stats"]   # at columns of these, patterns of NAMESPACE/NAME
    columns = ["domain"]             # of these names; default: all
    reason = "without the part before the @"
    by = "anna"
    until = 2027-01-31               # the last day, in UTC

    [[policy.rules]]
    datasets = ["s3://public/*"]     # patterns of NAMESPACE/NAME that must not have
    tags = ["pii"]                   # one of these tags
    severity = "error"               # or warning
    optional = false                 # true: its patterns may match nothing yet

Of the tags' rules that fit a tag the last one counts; before the first stands the default one.
Every policy counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

from airflow_colgraph.check import toml_file
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.store.model.tag_travel import DEFAULT_RULES, Review, TravelRule, is_in

SEVERITIES = ("warning", "error")


@dataclass(frozen=True)
class Policy:
    """Some datasets must not have some tags."""

    datasets: tuple[str, ...]
    tags: tuple[str, ...]
    severity: str = "error"
    optional: bool = False  # whether its patterns may match nothing

    def is_about(self, namespace: str, name: str) -> bool:
        """Whether the policy is about the dataset."""
        return is_in(namespace, name, self.datasets)


@dataclass(frozen=True)
class TagSettings:
    """How tags travel, the default rule first, the policies, and reviews that have expired."""

    travel: tuple[TravelRule, ...] = DEFAULT_RULES
    policies: tuple[Policy, ...] = ()
    expired: tuple[Review, ...] = ()


def read(
    file: Path | None = None, folder: Path | None = None, today: date | None = None
) -> TagSettings:
    """Read the settings.

    Args:
        file: A TOML file. Default: the first of `toml_file.FILES` in `folder` that has a part on
            tags or policies.
        folder: Where to look. Default: the current folder.
        today: The day by which reviews expire. Default: that of now, in UTC.

    Returns:
        The settings; only the default rule, and no policy, where no file has any.

    Raises:
        SettingsError: The file is not there, is no TOML, or has an unknown key or value.
    """
    root, path = toml_file.read(("tags", "policy"), file, folder)
    tags, policy = (toml_file.table(root, name, path) for name in ("tags", "policy"))
    toml_file.only(tags, ("rules", "reviews"), "tags", path)
    toml_file.only(policy, ("rules",), "policy", path)
    travel = tuple(_travel(table, path) for table in toml_file.tables(tags, "tags.rules", path))
    policies = tuple(
        _policy(table, path) for table in toml_file.tables(policy, "policy.rules", path)
    )
    day = today or datetime.now(timezone.utc).date()
    reviews = [_review(table, path) for table in toml_file.tables(tags, "tags.reviews", path)]
    valid = tuple(review for review in reviews if review.until >= day)
    rules = tuple(replace(rule, reviews=valid) for rule in DEFAULT_RULES + travel)
    return TagSettings(rules, policies, tuple(each for each in reviews if each not in valid))


def _travel(table: Mapping[str, Any], path: Path) -> TravelRule:
    keys = ("tags", "indirect", "masking", "aggregation", "unknown")
    toml_file.only(table, keys, "tags.rules", path)
    return TravelRule(
        toml_file.strings(table, "tags", ("*",), path),
        toml_file.strings(table, "indirect", (), path),
        masking=toml_file.flag(table, "masking", False, path),
        aggregation=toml_file.flag(table, "aggregation", True, path),
        unknown=toml_file.flag(table, "unknown", True, path),
    )


def _review(table: Mapping[str, Any], path: Path) -> Review:
    name = "tags.reviews"
    toml_file.only(table, ("tags", "datasets", "columns", "reason", "by", "until"), name, path)
    tags, datasets = _patterns(table, ("tags", "datasets"), name, path)
    reason, by = (toml_file.line(table, key, name, path) for key in ("reason", "by"))
    columns = toml_file.strings(table, "columns", ("*",), path)
    until = toml_file.day(table, "until", name, path)
    return Review(tags, datasets, columns, reason, by, until)


def _patterns(
    table: Mapping[str, Any], keys: tuple[str, ...], name: str, path: Path
) -> list[tuple[str, ...]]:
    """The lists of patterns under the keys, which must all be there."""
    patterns = [toml_file.strings(table, key, (), path) for key in keys]
    for key, of in zip(keys, patterns, strict=True):
        if not of:
            raise SettingsError(f"{path}: {name} needs {key}, a list of patterns")
    return patterns


def _policy(table: Mapping[str, Any], path: Path) -> Policy:
    toml_file.only(table, ("datasets", "tags", "severity", "optional"), "policy.rules", path)
    datasets, tags = _patterns(table, ("datasets", "tags"), "policy.rules", path)
    severity = toml_file.one_of(
        table.get("severity", "error"), SEVERITIES, "policy.rules.severity", path
    )
    optional = toml_file.flag(table, "optional", False, path)
    return Policy(datasets, tags, severity, optional)
