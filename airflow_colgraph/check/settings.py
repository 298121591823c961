"""The settings of `colgraph check`: which changes may land, and the datasets' names in the store.

    # colgraph.toml; in pyproject.toml the same below [tool.colgraph.check]
    [[check.rules]]
    kinds = ["column-removed", "type-changed"]     # default: every kind
    datasets = ["s3://lake/mart/*"]                # patterns of NAMESPACE/NAME; default: all
    dependents = true                              # only where something depends on it; false: only
    severity = "error"                             # where nothing does; default: either

    [[check.datasets]]
    from = ["file", "/tmp/ci/"]                    # namespace, beginning of the name
    to = ["s3://lake", ""]

    [[check.exports]]
    name = "dashboard: revenue"                    # who uses the datasets outside of any job
    datasets = ["s3://lake/mart/daily"]            # patterns of NAMESPACE/NAME

Of the rules that fit a change the last one counts; before the first stand DEFAULTS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from airflow_colgraph.check import toml_file
from airflow_colgraph.check.change import KINDS, UNDETERMINED, Change
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput

SEVERITIES = ("ignore", "note", "warning", "error")


@dataclass(frozen=True)
class Rule:
    """The severity of some changes."""

    severity: str
    kinds: tuple[str, ...] = tuple(KINDS)
    datasets: tuple[str, ...] = ("*",)
    dependents: bool | None = None

    def fits(self, change: Change) -> bool:
        """Whether the rule is about the change."""
        return (
            change.kind in self.kinds
            and _is_one_of(change.dataset, self.datasets)
            and self.dependents in (None, change.is_depended_on)
        )


DEFAULTS = (
    Rule("warning"),
    Rule("note", ("dataset-added", "column-added", "masking-added", "ordering-changed")),
    Rule("error", ("column-removed", "column-renamed", "dataset-removed"), dependents=True),
    Rule("error", ("type-changed", "grouping-changed", "join-changed"), dependents=True),
    Rule("error", ("masking-removed", *sorted(UNDETERMINED))),
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

    def exports_of(self, dataset: Dataset) -> list[str]:
        """The names of those that use a dataset."""
        return [export.name for export in self.exports if _is_one_of(dataset, export.datasets)]

    def judged(self, changes: Iterable[Change]) -> list[Change]:
        """The changes with their severities; those that are ignored are left out."""
        judged = [
            replace(
                change, severity=[rule for rule in self.rules if rule.fits(change)][-1].severity
            )
            for change in changes
        ]
        return [change for change in judged if change.severity != "ignore"]

    def named(self, lineage: Lineage) -> Lineage:
        """The lineage with the datasets' names in the store."""
        return Lineage(
            tuple(self._output(output) for output in lineage.outputs),
            {self._name(dataset): fields for dataset, fields in lineage.schemas.items()},
            frozenset(map(self._name, lineage.unchanged)),
        )

    def named_changes(self, changes: Iterable[Change]) -> list[Change]:
        """The changes with the datasets' names in the store."""
        return [replace(change, dataset=self._name(change.dataset)) for change in changes]

    def _output(self, output: JobOutput) -> JobOutput:
        fields = output.fields and {
            name: self._inputs(inputs) for name, inputs in output.fields.items()
        }
        return replace(
            output,
            dataset=self._name(output.dataset),
            fields=fields,
            rows=self._inputs(output.rows),
            inputs=tuple(map(self._name, output.inputs)),
        )

    def _inputs(self, inputs: Iterable[Input]) -> tuple[Input, ...]:
        return tuple(source._replace(dataset=self._name(source.dataset)) for source in inputs)

    def _name(self, dataset: Dataset) -> Dataset:
        names = (renaming.name(dataset) for renaming in self.renamings)
        return next((name for name in names if name is not None), dataset)


def _is_one_of(dataset: Dataset, patterns: Iterable[str]) -> bool:
    name = f"{dataset.namespace}/{dataset.name}"
    return any(fnmatchcase(name, pattern) for pattern in patterns)


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
    return _settings(toml_file.table(document.root, "check", document.path), document.path)


def _settings(section: Mapping[str, Any], path: Path) -> Settings:
    toml_file.only(section, ("rules", "datasets", "exports"), "check", path)
    rules = tuple(_rule(table, path) for table in toml_file.tables(section, "check.rules", path))
    renamings = tuple(
        _renaming(table, path) for table in toml_file.tables(section, "check.datasets", path)
    )
    exports = tuple(
        _export(table, path) for table in toml_file.tables(section, "check.exports", path)
    )
    return Settings(DEFAULTS + rules, renamings, exports)


def _rule(table: Mapping[str, Any], path: Path) -> Rule:
    toml_file.only(table, ("kinds", "datasets", "dependents", "severity"), "check.rules", path)
    kinds = toml_file.strings(table, "kinds", tuple(KINDS), path)
    for kind in kinds:
        toml_file.one_of(kind, KINDS, "check.rules.kinds", path)
    dependents = table.get("dependents")
    if not isinstance(dependents, bool | None):
        raise SettingsError(f"{path}: check.rules.dependents is true or false")
    severity = toml_file.one_of(table.get("severity"), SEVERITIES, "check.rules.severity", path)
    return Rule(severity, kinds, toml_file.strings(table, "datasets", ("*",), path), dependents)


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
