"""A change of lineage: what it is called, where it is, and what depends on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from airflow_colgraph.store.model import compare
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.tags import Tag

# Each kind of change, and the sentence that describes the rule in reports.
KINDS = {
    "dataset-added": "A dataset is written that the store does not know.",
    "dataset-removed": "A job no longer writes a dataset.",
    "dataset-emptied": "A job empties a dataset.",
    "writer-added": "A job adds rows to a dataset that only others wrote, perhaps itself renamed.",
    **compare.KINDS,
    "expressions-unknown": "Expressions and conditions are known on one side only.",
    "changed-together": "A column changed together with all its readers.",
    "waiver-expired": "A waiver has expired.",
    "waiver-unused": "A waiver is for no change.",
    "lineage-unknown": "The lineage of a dataset is not or not wholly known.",
    "lineage-missing": "A job has reported no output, or has not completed.",
    "plan-incomplete": "Actions of a planned job had no rows, so its run may write more.",
}
UNDETERMINED = frozenset({"lineage-unknown", "lineage-missing", "plan-incomplete"})
# What the kinds mean for whatever uses what is changed; any other one: nobody can tell.
ADDITIVE = frozenset(
    {
        *("dataset-added", "column-added", "masking-added", "ordering-changed"),
        *("changed-together", "expressions-unknown"),
    }
)
BREAKING = frozenset(
    {
        *("column-removed", "column-renamed", "dataset-removed", "dataset-emptied"),
        *("type-changed", "grouping-changed", "join-changed", "masking-removed"),
    }
)
HARMLESS = "non-breaking"
CLASSES = ("breaking", HARMLESS, "unknown")


class Dependents(NamedTuple):
    """What comes from a column or dataset, over all jobs, and who is concerned.

    `columns` are (namespace, name, column), `dags` the Airflow DAGs of `jobs`, `owners` those of
    the datasets (OpenLineage's `ownership` facet), `exports` the settings' names of who uses them.
    `readers` are the jobs that read the column itself, or the dataset by unknown columns.
    """

    columns: tuple[tuple[str, str, str], ...] = ()
    jobs: tuple[str, ...] = ()
    truncated: bool = False
    dags: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    exports: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Change:
    """One change of a column, or of a dataset if `column` is empty.

    `before` and `after` show it in words; `was` is the column's name in the store, where the
    dependents are looked up. `effect` is one of CLASSES; `waived` says why it is no error, if it
    would be one, and `expired` why that is over. `owners` and `tags` are those of the dataset and
    the column.
    """

    kind: str
    dataset: Dataset
    column: str = ""
    before: str = ""
    after: str = ""
    was: str = ""
    severity: str = ""
    effect: str = ""
    waived: str = ""
    expired: str = ""
    owners: tuple[str, ...] = ()
    tags: tuple[Tag, ...] = ()
    dependents: Dependents = field(default_factory=Dependents)

    @property
    def is_depended_on(self) -> bool:
        """Whether anything uses what is changed; who owns it does not count."""
        dependents = self.dependents
        return bool(dependents.columns or dependents.truncated or dependents.exports)

    @property
    def default_effect(self) -> str:
        """The class by its kind, and by whether anything uses what is changed."""
        if self.kind in UNDETERMINED:
            return "unknown"
        if self.kind in ADDITIVE or not self.is_depended_on:
            return HARMLESS
        return "breaking" if self.kind in BREAKING else "unknown"

    @property
    def columns(self) -> tuple[str, ...]:
        """The column's names, before and after."""
        return tuple(dict.fromkeys((self.column, self.was or self.column)))

    @property
    def key(self) -> tuple[str, ...]:
        """What makes it the same change in another report."""
        return (self.kind, *self.dataset, self.column, self.before, self.after)

    @property
    def where(self) -> str:
        """The column's or dataset's name, for a person."""
        return f"{self.dataset.name}.{self.column}" if self.column else self.dataset.name

    @property
    def text(self) -> str:
        """The change in one line, without its place."""
        return compare.between(self.before, self.after)


@dataclass(frozen=True)
class Report:
    """What a check found. `source` is the file that it is about.

    `datasets` are those that the changed jobs write; `new` of them are not in the base, so that
    there is nothing to compare them with.
    """

    changes: Sequence[Change]
    datasets: Sequence[str] = ()
    source: str = ""
    new: int = 0
    jobs: Mapping[Dataset, Sequence[str]] = field(default_factory=dict)  # that write each dataset

    @property
    def exit_code(self) -> int:
        """1 if a rule is broken, 2 if undetermined, else 0."""
        errors = {change.kind for change in self.changes if change.severity == "error"}
        if errors - UNDETERMINED:
            return 1
        return 2 if errors else 0
