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
    travel = tuple(_travel(one, path) for one in toml_file.tables(tags, "tags.rules", path))
    policies = tuple(_policy(one, path) for one in toml_file.tables(policy, "policy.rules", path))
    return TagSettings(DEFAULT_RULES + travel, policies)


def _travel(given: Mapping[str, Any], path: Path) -> TravelRule:
    known = ("tags", "indirect", "masking", "aggregation", "unknown")
    toml_file.only(given, known, "tags.rules", path)
    flags = ("masking", False), ("aggregation", True), ("unknown", True)
    return TravelRule(
        toml_file.strings(given, "tags", ("*",), path),
        toml_file.strings(given, "indirect", (), path),
        *(toml_file.flag(given, name, default, path) for name, default in flags),
    )


def _policy(given: Mapping[str, Any], path: Path) -> Policy:
    toml_file.only(given, ("datasets", "tags", "severity", "optional"), "policy.rules", path)
    found = {name: toml_file.strings(given, name, (), path) for name in ("datasets", "tags")}
    for name, patterns in found.items():
        if not patterns:
            raise SettingsError(f"{path}: policy.rules needs {name}, a list of patterns")
    severity = toml_file.one_of(
        given.get("severity", "error"), SEVERITIES, "policy.rules.severity", path
    )
    optional = toml_file.flag(given, "optional", False, path)
    return Policy(found["datasets"], found["tags"], severity, optional)
