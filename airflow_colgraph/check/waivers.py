"""Waivers: changes that may land until a day, by whose word and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from airflow_colgraph.check import toml_file
from airflow_colgraph.check.change import HARMLESS, KINDS, Change
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.tag_travel import is_in

JUDGED = ("warning", "error")
OWN = ("waiver-expired", "waiver-unused")
WORST_FIRST = ("breaking", "unknown", HARMLESS)
WAIVED = tuple(kind for kind in KINDS if kind not in OWN)


@dataclass(frozen=True)
class Waiver:
    """Changes that are notes until a day; `file` is where the waiver stands."""

    kinds: tuple[str, ...]
    datasets: tuple[str, ...]
    columns: tuple[str, ...]
    reason: str
    owner: str
    until: date
    file: str = ""

    def fits(self, change: Change) -> bool:
        """Whether the waiver is for the change."""
        return (
            change.kind in self.kinds
            and is_in(*change.dataset, self.datasets)
            and any(fnmatchcase(name, each) for name in change.columns for each in self.columns)
        )

    @property
    def text(self) -> str:
        """The waiver for a person."""
        return f"until {self.until} by {self.owner}: {self.reason}"

    def change(self, kind: str, of: Iterable[Change] = ()) -> Change:
        """What is to be said of the waiver itself, in the worst class of the changes it is for."""
        place = Dataset(self.file, ", ".join(self.datasets))
        effects = {change.effect for change in of}
        effect = next((each for each in WORST_FIRST if each in effects), "")
        return Change(kind, place, after=f"{', '.join(self.kinds)}, {self.text}", effect=effect)


def waived(
    changes: Iterable[Change], waivers: Iterable[Waiver], today: date
) -> tuple[list[Change], list[Change]]:
    """The changes, notes where a waiver is for them; and what is to be said of the waivers.

    An expired waiver counts for nothing and is reported, also beside the changes that it was for;
    and so is one that is for no change.
    """
    waivers = list(waivers)
    valid = [waiver for waiver in waivers if waiver.until >= today]
    expired = [waiver for waiver in waivers if waiver not in valid]
    used: set[Waiver] = set()
    kept = []
    for change in changes:
        fitting = next((waiver for waiver in (*valid, *expired) if waiver.fits(change)), None)
        if fitting is not None:
            used.add(fitting)
        if fitting is not None and change.severity in JUDGED:
            if fitting in valid:
                change = replace(change, severity="note", waived=f"waived {fitting.text}")
            else:
                change = replace(change, expired=f"no longer waived: {fitting.text}")
        kept.append(change)
    own = [waiver.change(OWN[0], filter(waiver.fits, kept)) for waiver in expired]
    return kept, own + [waiver.change(OWN[1]) for waiver in valid if waiver not in used]


def waiver(table: Mapping[str, Any], path: Path) -> Waiver:
    """A waiver of a file of settings.

    Raises:
        SettingsError: A part is missing or is no such value.
    """
    keys = ("kinds", "datasets", "columns", "reason", "owner", "until")
    toml_file.only(table, keys, "check.waivers", path)
    kinds = toml_file.names(table, "kinds", WAIVED, "check.waivers", path)
    datasets = toml_file.strings(table, "datasets", (), path)
    if "kinds" not in table or not kinds or not datasets:
        raise SettingsError(f"{path}: check.waivers needs kinds and datasets, lists of strings")
    columns = toml_file.strings(table, "columns", ("*",), path)
    reason, owner = (
        toml_file.line(table, name, "check.waivers", path) for name in ("reason", "owner")
    )
    until = toml_file.day(table, "until", "check.waivers", path)
    return Waiver(kinds, datasets, columns, reason, owner, until, path.name)
