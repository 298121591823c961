"""Changes upstream of a field as causes and consequences, the likeliest cause first. Pure.

A change that another one farther upstream explains is a consequence: a type that changed because
its source's did, rows that are missing because a run failed. Causes are ranked by kind and
distance, and are as likely as what follows from them; a change after the last run that could have
passed it on comes last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from airflow_colgraph.store.model import compare
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.walk import walk

# Kind -> how likely it is that such a change alters a value, next to the others.
KINDS = {
    "sources-changed": 1.0,
    "masking-removed": 1.0,
    "masking-added": 1.0,
    "column-removed": 1.0,
    "column-added": 1.0,
    "expression-changed": 0.95,
    "transformation-changed": 0.95,
    "type-changed": 0.95,
    "filter-changed": 0.95,
    "join-changed": 0.95,
    "grouping-changed": 0.95,
    "dataset-emptied": 0.95,
    "dataset-removed": 0.9,
    "run-failed": 0.9,
    "run-missing": 0.9,
    "volume-changed": 0.9,
    "condition-changed": 0.85,
    "rows-changed": 0.8,
    "writer-added": 0.75,
    "inputs-changed": 0.6,
    "ordering-changed": 0.5,
    "code-changed": 0.4,
    "engine-changed": 0.3,
}
MASKING = {"masking-removed", "masking-added"}
LINEAGE = {
    *("sources-changed", "transformation-changed", "expression-changed", "condition-changed"),
    *MASKING,
}
ROWS = {*compare.ROW_KINDS.values(), "rows-changed"}
RUNS = {"run-failed", "run-missing"}
CODE = {"code-changed", "engine-changed"}
NEARER = 0.93  # a change one hop farther is so much less likely
TOO_LATE = 0.1  # ... that has not reached the value


class Change(NamedTuple):
    """A change of a dataset or, with a field, of a column, `distance` hops upstream."""

    kind: str
    place: Field
    distance: int
    at: int
    job: int | None
    run: bytes
    before: str
    after: str
    reached: bool  # whether a run has passed it on to the value since
    strength: float = 1.0  # less for a change that is little more than usual

    @property
    def score(self) -> float:
        """How likely it is the cause, next to others."""
        reached = 1 if self.reached else TOO_LATE
        return KINDS[self.kind] * self.strength * NEARER**self.distance * reached


class Cause(NamedTuple):
    """A change with its place in the order; `because` is the number of the change behind it.

    `score` is that of the change or, if that is greater, of a change that follows from it.
    """

    number: int
    change: Change
    score: float
    because: int | None


def ranked(changes: Sequence[Change], made_of: Mapping[Field, set[Field]]) -> list[Cause]:
    """The causes, the likeliest first, then the consequences.

    `made_of` are the inputs of each field, and of each dataset (an empty field) the datasets.
    """
    above = _Above(made_of)
    behind: dict[Change, Change] = {}
    for change in changes:
        explaining = [
            other for other in changes if other != change and _explains(other, change, above)
        ]
        if explaining:
            behind[change] = max(explaining, key=_order)
    best = _with_consequences(changes, behind)
    roots = (change for change in changes if change not in behind)
    others = (change for change in changes if change in behind)
    order = [
        *sorted(roots, key=best.__getitem__, reverse=True),
        *sorted(others, key=_order, reverse=True),
    ]
    numbers = {change: number for number, change in enumerate(order, 1)}
    return [
        Cause(
            number, change, best[change][0], numbers[behind[change]] if change in behind else None
        )
        for change, number in numbers.items()
    ]


def _with_consequences(
    changes: Sequence[Change], behind: Mapping[Change, Change]
) -> dict[Change, tuple[float, int, Field, str]]:
    """The order of each change: a cause is as likely as what follows from it."""
    best = dict(zip(changes, map(_order, changes), strict=True))
    for change in sorted(behind, key=_order, reverse=True):
        cause: Change | None = behind[change]
        while cause is not None:
            best[cause] = max(best[cause], (_order(change)[0], *_order(cause)[1:]))
            cause = behind.get(cause)
    return best


def _order(change: Change) -> tuple[float, int, Field, str]:
    return change.score, -change.at, change.place, change.kind


class _Above:
    """What a field or dataset comes from, over all hops."""

    def __init__(self, made_of: Mapping[Field, set[Field]]) -> None:
        self._made_of = made_of
        self._known: dict[Field, set[Field]] = {}

    def inputs(self, place: Field) -> set[Field]:
        """One hop."""
        return self._made_of.get(place, set())

    def all_inputs(self, place: Field) -> set[Field]:
        """Over all hops."""
        if place not in self._known:
            levels = walk(
                [place],
                lambda fields: [source for field in fields for source in self.inputs(field)],
                set,
            )
            self._known[place] = {source for _, sources in levels for source in sources}
        return self._known[place]


def _explains(cause: Change, change: Change, above: _Above) -> bool:
    """Whether a change is a consequence of another one."""
    if cause.at > change.at:
        return False
    if cause.place.dataset == change.place.dataset:
        return _explains_here(cause, change)
    if cause.distance <= change.distance:
        return False
    if change.kind == "type-changed":
        return cause.kind in {*LINEAGE, "type-changed"} and cause.place in above.inputs(
            change.place
        )
    if change.kind in LINEAGE | ROWS | {"inputs-changed"}:
        return cause.kind == "column-removed" and cause.place.field in change.before
    upstream = cause.place.dataset in above.all_inputs(change.place.dataset)
    if change.kind == "volume-changed":
        kinds = {"volume-changed", "inputs-changed", *RUNS}
        return upstream and (_is_of_rows(cause) or cause.kind in kinds)
    if change.kind in RUNS:
        return upstream and cause.kind in {"column-removed", "type-changed", *RUNS}
    return False


def _is_of_rows(cause: Change) -> bool:
    """Whether it decides which rows there are."""
    return cause.kind in ROWS or (cause.kind == "expression-changed" and not cause.place.field)


def _explains_here(cause: Change, change: Change) -> bool:
    """The same for two changes of one dataset."""
    by_code = cause.kind in CODE and (cause.job, cause.at) == (change.job, change.at)
    if change.kind in CODE:
        return cause.kind in LINEAGE | ROWS | {"writer-added", "type-changed", "column-removed"}
    if change.kind == "volume-changed":
        return by_code or _is_of_rows(cause) or cause.kind in {"inputs-changed", "writer-added"}
    if change.kind in RUNS:
        return by_code
    if change.kind == "inputs-changed":
        return cause.kind in LINEAGE | ROWS | {"writer-added"}
    if change.kind == "type-changed":
        return cause.kind in LINEAGE and cause.place == change.place
    if change.kind in {"transformation-changed", "expression-changed"}:
        return cause.kind in MASKING and cause.place == change.place
    return False
