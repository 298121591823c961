"""Digests of what a dataset was computed by: its expressions and conditions. Pure.

Lineage names the columns that decide; digests tell whether they decide in the same way. Where a
side has none, from an older version or another producer, nothing can be said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, NamedTuple


class Digests(NamedTuple):
    """The digests of computed columns and of steps such as LEFT JOIN or FILTER, by their names.

    `unknown` are columns that cannot be compared, as a source of theirs has another name; the empty
    one stands for the steps.
    """

    columns: Mapping[str, frozenset[str]]
    steps: Mapping[str, frozenset[str]]
    unknown: frozenset[str] = frozenset()


class StepChange(NamedTuple):
    """Steps of one kind that differ: their names before and after."""

    kind: str
    before: str
    after: str


def kind_of(step: str) -> str:
    """The kind of change that another step of this name is."""
    if step.endswith("JOIN"):
        return "join-changed"
    kinds = {"FILTER": "filter-changed", "GROUP BY": "grouping-changed", "SORT": "ordering-changed"}
    return kinds.get(step, "rows-changed")


def of_bodies(bodies: Iterable[Mapping[str, Any]]) -> Digests | None:
    """Those of all lineage bodies that have columns; None if one of them has no digests."""
    stated = [body.get("digests") for body in bodies if body.get("fields") is not None]
    if not stated or not all(stated):
        return None
    entries = [(each["columns"], each["steps"]) for each in stated if each]
    columns, steps = (by_name(chain.from_iterable(part)) for part in zip(*entries, strict=True))
    return Digests(columns, steps)


def together(several: Iterable[Digests | None]) -> Digests | None:
    """The digests of several jobs that write a dataset; None if those of one are not known."""
    columns: list[tuple[str, str]] = []
    steps: list[tuple[str, str]] = []
    every = list(several)
    for each in every:
        if each is None:
            return None
        columns += [(name, own) for name, of in each.columns.items() for own in of]
        steps += [(name, own) for name, of in each.steps.items() for own in of]
    return Digests(by_name(columns), by_name(steps)) if every else None


def by_name(entries: Iterable[Any]) -> dict[str, frozenset[str]]:
    """Digests by their names."""
    sets: dict[str, set[str]] = {}
    for name, own in entries:
        sets.setdefault(name, set()).add(own)
    return {name: frozenset(of) for name, of in sets.items()}


def other_expressions(
    old: Digests, new: Digests, columns: Mapping[str, str], reported: AbstractSet[str]
) -> Iterator[str]:
    """The columns, of those with their former names, that are computed in another way."""
    none: frozenset[str] = frozenset()
    skipped = reported | old.unknown | new.unknown
    for column, was in columns.items():
        is_other = old.columns.get(was, none) != new.columns.get(column, none)
        if is_other and not {column, was} & skipped:
            yield column


def other_steps(old: Digests, new: Digests) -> Iterator[StepChange]:
    """How what affects the rows differs; of equal names only the conditions do."""
    if "" in old.unknown | new.unknown:
        return
    differing = {
        name
        for name in old.steps.keys() | new.steps.keys()
        if old.steps.get(name) != new.steps.get(name)
    }
    for kind in sorted(set(map(kind_of, differing))):
        before, after = (
            ", ".join(sorted(n for n in differing & each.steps.keys() if kind_of(n) == kind))
            for each in (old, new)
        )
        yield StepChange(kind, before, after)
