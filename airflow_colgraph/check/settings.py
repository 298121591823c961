"""The settings of `colgraph check`: which changes may land, and the datasets' names in the store.

    # colgraph.toml; in pyproject.toml the same below [tool.colgraph.check]
    [[check.rules]]
    kinds = ["column-removed", "type-changed"]     # default: every kind
    datasets = ["s3://lake/mart/*"]                # patterns of NAMESPACE/NAME; default: all
    columns = ["total"]                            # patterns of columns; default: all
    tags = ["pii*"]                                # patterns of KEY or KEY=VALUE; default: any
    owners = ["team:finance"]                      # patterns of the dataset's owners; default: any
    classes = ["breaking"]                         # default: all
    dependents = true                              # only where something depends on it; false: only
    severity = "error"                             # where nothing does; default: either
    class = "non-breaking"                         # moves the kind to another class

    [[check.waivers]]
    kinds = ["column-removed"]
    datasets = ["s3://lake/mart/daily"]
    columns = ["total"]
    reason = "the dashboard moves in January"
    owner = "anna"
    until = 2027-01-31                             # the last day

    [[check.datasets]]
    from = ["file", "/tmp/ci/"]                    # namespace, beginning of the name
    to = ["s3://lake", ""]

    [[check.exports]]
    name = "dashboard: revenue"                    # who uses the datasets outside of any job
    datasets = ["s3://lake/mart/daily"]            # patterns of NAMESPACE/NAME

Of the rules that fit a change the last one counts; before the first stand DEFAULTS.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any

from airflow_colgraph.check import tag_settings, toml_file
from airflow_colgraph.check.change import CLASSES, HARMLESS, KINDS, UNDETERMINED, Change
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.check.waivers import Waiver, waiver
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.tag_travel import (
    DEFAULT_RULES,
    TravelRule,
    is_in,
    is_one_of,
    without_match,
)

SEVERITIES = ("ignore", "note", "warning", "error")


@dataclass(frozen=True)
class Rule:
    """The severity of some changes, or their class; empty: as it is."""

    severity: str
    kinds: tuple[str, ...] = tuple(KINDS)
    datasets: tuple[str, ...] = ("*",)
    dependents: bool | None = None
    columns: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    classes: tuple[str, ...] = CLASSES
    effect: str = ""

    def fits(self, change: Change) -> bool:
        """Whether the rule is about the change, whatever its class."""
        return (
            change.kind in self.kinds
            and is_in(*change.dataset, self.datasets)
            and self.dependents in (None, change.is_depended_on)
            and (not self.columns or _matches(change.columns, self.columns))
            and (not self.owners or _matches(change.owners, self.owners))
            and (not self.tags or any(is_one_of(tag, self.tags) for tag in change.tags))
        )


DEFAULTS = (
    Rule("warning"),
    Rule("note", ("dataset-added", "column-added", "masking-added", "ordering-changed")),
    Rule("note", ("changed-together", "expressions-unknown", "waiver-unused", "writer-added")),
    Rule("error", ("column-removed", "column-renamed"), dependents=True),
    Rule("error", ("dataset-removed", "dataset-emptied"), dependents=True),
    Rule("error", ("type-changed", "grouping-changed", "join-changed"), dependents=True),
    Rule("error", ("masking-removed", "waiver-expired", *sorted(UNDETERMINED))),
)


@dataclass(frozen=True)
class Renaming:
    """Datasets of the changed job that have another name in the store."""

    namespace: str
    prefix: str
    to_namespace: str
    to_prefix: str

    def name(self, dataset: Dataset) -> Dataset | None:
        """The dataset's name in the store; None for one that is not meant."""
        if dataset.namespace == self.namespace and dataset.name.startswith(self.prefix):
            return Dataset(self.to_namespace, self.to_prefix + dataset.name[len(self.prefix) :])
        return None


@dataclass(frozen=True)
class Export:
    """Who uses some datasets without a job that the store knows: a dashboard, a customer's feed."""

    name: str
    datasets: tuple[str, ...]


@dataclass(frozen=True)
class Settings:
    """The rules, DEFAULTS first, the datasets' names, and who uses datasets outside of any job."""

    rules: tuple[Rule, ...] = DEFAULTS
    renamings: tuple[Renaming, ...] = ()
    exports: tuple[Export, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    travel: tuple[TravelRule, ...] = DEFAULT_RULES
    baseline: frozenset[tuple[str, ...]] = frozenset()  # keys of changes, each with a class

    @property
    def needs_tags(self) -> bool:
        """Whether a rule is about tags."""
        return bool(self.patterns("tags"))

    def exports_of(self, dataset: Dataset) -> list[str]:
        """The names of those that use a dataset."""
        return [export.name for export in self.exports if is_in(*dataset, export.datasets)]

    def unmatched(self, datasets: Collection[tuple[str, str]]) -> list[str]:
        """The patterns of rules and exports that are about none of all datasets.

        Rules of kinds that name jobs are left out.
        """
        rules = (rule for rule in self.rules if not UNDETERMINED.issuperset(rule.kinds))
        patterns = [*chain(*(rule.datasets for rule in rules))]
        patterns += chain(*(export.datasets for export in self.exports))
        return without_match(dict.fromkeys(patterns), ["/".join(dataset) for dataset in datasets])

    def patterns(self, part: str) -> list[str]:
        """The patterns in a part of all rules, such as `owners`, each once."""
        return [*dict.fromkeys(chain(*(getattr(rule, part) for rule in self.rules)))]

    def judged(self, changes: Iterable[Change]) -> list[Change]:
        """The changes with their severities; those that are ignored are left out."""
        judged = map(self._judged, changes)
        return [change for change in judged if change.severity != "ignore"]

    def accepted(self, changes: Iterable[Change]) -> list[Change]:
        """The changes, notes where the baseline has them; never where the result is unknown."""
        return [
            replace(change, severity="note", waived="in the baseline")
            if self._is_in_baseline(change)
            else change
            for change in changes
        ]

    def _is_in_baseline(self, change: Change) -> bool:
        """Whether the change was accepted, and not only because it was harmless then."""
        classes = {*CLASSES} if change.effect == HARMLESS else {*CLASSES} - {HARMLESS}
        is_accepted = any((*change.key, each) in self.baseline for each in classes)
        return is_accepted and change.kind not in UNDETERMINED

    def _judged(self, change: Change) -> Change:
        rules = [rule for rule in self.rules if rule.fits(change)]
        effects = [rule.effect for rule in rules if rule.effect]
        effect = effects[-1] if effects else change.effect or change.default_effect
        severities = [rule.severity for rule in rules if rule.severity and effect in rule.classes]
        return replace(change, effect=effect, severity=severities[-1])

    def name(self, dataset: Dataset) -> Dataset:
        """The dataset's name in the store."""
        names = (renaming.name(dataset) for renaming in self.renamings)
        return next((name for name in names if name is not None), dataset)


def _matches(texts: Iterable[str], patterns: Iterable[str]) -> bool:
    patterns = list(patterns)
    return any(fnmatchcase(text, pattern) for text in texts for pattern in patterns)


def read(file: Path | None = None, folder: Path | None = None) -> Settings:
    """Read the settings.

    Args:
        file: A TOML file. Default: the first of `toml_file.FILES` in `folder` that has a part on
            checks.
        folder: Where to look. Default: the current folder.

    Returns:
        The settings; only DEFAULTS where no file has any.

    Raises:
        SettingsError: The file is not there, is no TOML, or has an unknown key or value.
    """
    document = toml_file.read(("check",), file, folder)
    section = toml_file.table(document.root, "check", document.path)
    travel = tag_settings.read(file, folder).travel
    return replace(_settings(section, document.path), travel=travel)


def _settings(section: Mapping[str, Any], path: Path) -> Settings:
    toml_file.only(section, ("rules", "datasets", "exports", "waivers"), "check", path)
    rules = tuple(_rule(table, path) for table in toml_file.tables(section, "check.rules", path))
    renamings = tuple(
        _renaming(table, path) for table in toml_file.tables(section, "check.datasets", path)
    )
    exports = tuple(
        _export(table, path) for table in toml_file.tables(section, "check.exports", path)
    )
    waivers = tuple(
        waiver(table, path) for table in toml_file.tables(section, "check.waivers", path)
    )
    return Settings(DEFAULTS + rules, renamings, exports, waivers)


def _rule(table: Mapping[str, Any], path: Path) -> Rule:
    patterns = {"columns": (), "tags": (), "owners": (), "datasets": ("*",)}
    keys = ("kinds", *patterns, "classes", "dependents", "severity", "class")
    toml_file.only(table, keys, "check.rules", path)
    lists = {
        name: toml_file.strings(table, name, default, path) for name, default in patterns.items()
    }
    dependents = table.get("dependents")
    if not isinstance(dependents, bool | None):
        raise SettingsError(f"{path}: check.rules.dependents is true or false")
    effect = table.get("class", "")
    if effect:
        toml_file.one_of(effect, CLASSES, "check.rules.class", path)
    severity = table.get("severity", "")
    if severity or not effect:
        toml_file.one_of(table.get("severity"), SEVERITIES, "check.rules.severity", path)
    return Rule(
        severity,
        toml_file.names(table, "kinds", KINDS, "check.rules", path),
        dependents=dependents,
        classes=toml_file.names(table, "classes", CLASSES, "check.rules", path),
        effect=effect,
        **lists,
    )


def _renaming(table: Mapping[str, Any], path: Path) -> Renaming:
    toml_file.only(table, ("from", "to"), "check.datasets", path)
    names = *toml_file.strings(table, "from", (), path), *toml_file.strings(table, "to", (), path)
    if len(names) != 4:
        raise SettingsError(
            f"{path}: check.datasets needs from and to, each [NAMESPACE, BEGINNING OF THE NAME]"
        )
    return Renaming(*names)


def _export(table: Mapping[str, Any], path: Path) -> Export:
    toml_file.only(table, ("name", "datasets"), "check.exports", path)
    name, datasets = table.get("name"), toml_file.strings(table, "datasets", (), path)
    if not isinstance(name, str) or not name or not datasets:
        raise SettingsError(f"{path}: check.exports needs name and datasets, a list of patterns")
    return Export(name, datasets)
