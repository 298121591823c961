"""The settings of tags and policies: how tags travel, and which dataset must not have which.

    # colgraph.toml; in pyproject.toml the same below [tool.colgraph]
    [[tags.rules]]
    tags = ["pii*"]                  # patterns of KEY or KEY=VALUE; default: all
    indirect = ["JOIN"]              # patterns of subtypes of INDIRECT edges; default: none
    masking = false                  # true: also through sha2, count, ...
    aggregation = true               # false: not through sum, max, ...
    unknown = true                   # false: not where a job reported no columns

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
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from airflow_colgraph.check import toml_file
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.store.model.tag_travel import DEFAULT_RULES, TravelRule

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
        return any(fnmatchcase(f"{namespace}/{name}", pattern) for pattern in self.datasets)


@dataclass(frozen=True)
class TagSettings:
    """How tags travel, the default rule first, and the policies."""

    travel: tuple[TravelRule, ...] = DEFAULT_RULES
    policies: tuple[Policy, ...] = ()


def read(file: Path | None = None, folder: Path | None = None) -> TagSettings:
    """Read the settings.

    Args:
        file: A TOML file. Default: the first of `toml_file.FILES` in `folder` that has a part on
            tags or policies.
        folder: Where to look. Default: the current folder.

    Returns:
        The settings; only the default rule, and no policy, where no file has any.

    Raises:
        SettingsError: The file is not there, is no TOML, or has an unknown key or value.
    """
    root, path = toml_file.read(("tags", "policy"), file, folder)
    tags, policy = (toml_file.table(root, name, path) for name in ("tags", "policy"))
    toml_file.only(tags, ("rules",), "tags", path)
    toml_file.only(policy, ("rules",), "policy", path)
    travel = tuple(_travel(table, path) for table in toml_file.tables(tags, "tags.rules", path))
    policies = tuple(
        _policy(table, path) for table in toml_file.tables(policy, "policy.rules", path)
    )
    return TagSettings(DEFAULT_RULES + travel, policies)


def _travel(table: Mapping[str, Any], path: Path) -> TravelRule:
    keys = ("tags", "indirect", "masking", "aggregation", "unknown")
    toml_file.only(table, keys, "tags.rules", path)
    flags = ("masking", False), ("aggregation", True), ("unknown", True)
    return TravelRule(
        toml_file.strings(table, "tags", ("*",), path),
        toml_file.strings(table, "indirect", (), path),
        *(toml_file.flag(table, name, default, path) for name, default in flags),
    )


def _policy(table: Mapping[str, Any], path: Path) -> Policy:
    toml_file.only(table, ("datasets", "tags", "severity", "optional"), "policy.rules", path)
    required = {name: toml_file.strings(table, name, (), path) for name in ("datasets", "tags")}
    for name, patterns in required.items():
        if not patterns:
            raise SettingsError(f"{path}: policy.rules needs {name}, a list of patterns")
    severity = toml_file.one_of(
        table.get("severity", "error"), SEVERITIES, "policy.rules.severity", path
    )
    optional = toml_file.flag(table, "optional", False, path)
    return Policy(required["datasets"], required["tags"], severity, optional)
