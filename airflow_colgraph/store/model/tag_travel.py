"""Tags that travel along the edges of lineage, and where they stop. Pure.

A tag says something about values. So it goes wherever the values go: along DIRECT edges, by rule
also along INDIRECT ones; it stops where values are masked and, by rule, where they are aggregated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from typing import NamedTuple

from airflow_colgraph.store.model.field_path import Copied, is_part, wholes
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.tags import Tag

UNKNOWN = "DATASET"  # the type of an edge between whole datasets without known columns


@dataclass(frozen=True)
class Review:
    """Columns that somebody has looked at, where some tags end: until a day, and why.

    `tags` are patterns of KEY or KEY=VALUE, `datasets` of NAMESPACE/NAME, `columns` of names.
    """

    tags: tuple[str, ...]
    datasets: tuple[str, ...]
    columns: tuple[str, ...]
    reason: str
    by: str
    until: date

    def is_about(self, tag: Tag, field: Field) -> bool:
        """Whether the tag ends at the field."""
        return (
            is_one_of(tag, self.tags)
            and is_in(field.namespace, field.name, self.datasets)
            and any(fnmatchcase(field.field, pattern) for pattern in self.columns)
        )

    @property
    def text(self) -> str:
        """The review for a person."""
        places = f"{', '.join(self.columns)} of {', '.join(self.datasets)}"
        return f"{', '.join(self.tags)} at {places}, until {self.until} by {self.by}: {self.reason}"


@dataclass(frozen=True)
class TravelRule:
    """How some tags travel.

    Attributes:
        tags: Patterns of KEY or KEY=VALUE.
        indirect: Patterns of the subtypes of INDIRECT edges that tags travel along (`JOIN`, ...).
        masking: Whether they travel through functions that mask values (`sha2`, `count`, ...).
        aggregation: Whether they travel through aggregations (`sum`, `max`, ...).
        unknown: Whether they travel from dataset to dataset where a job reported no columns.
        reviews: Columns at which they end.
    """

    tags: tuple[str, ...] = ("*",)
    indirect: tuple[str, ...] = ()
    masking: bool = False
    aggregation: bool = True
    unknown: bool = True
    reviews: tuple[Review, ...] = ()

    def fits(self, tag: Tag) -> bool:
        """Whether the rule is about the tag."""
        return is_one_of(tag, self.tags)

    def passes(self, step: Transformation) -> bool:
        """Whether tags travel along an edge with the transformation."""
        if step.masking and not self.masking:
            return False
        if step.type == "INDIRECT":
            return any(fnmatchcase(step.subtype, pattern) for pattern in self.indirect)
        if step.type == UNKNOWN:
            return self.unknown
        return self.aggregation or step.subtype != "AGGREGATION"

    def ends_at(self, tag: Tag, field: Field) -> bool:
        """Whether a review ends the tag at the field."""
        return any(review.is_about(tag, field) for review in self.reviews)


DEFAULT_RULES = (TravelRule(),)


def is_in(namespace: str, name: str, patterns: Iterable[str]) -> bool:
    """Whether a dataset's NAMESPACE/NAME matches one of the patterns."""
    return any(fnmatchcase(f"{namespace}/{name}", pattern) for pattern in patterns)


def without_match(patterns: Iterable[str], names: Collection[str]) -> list[str]:
    """The patterns that none of the names matches: they are probably mistyped."""
    return [each for each in patterns if not any(fnmatchcase(name, each) for name in names)]


def is_one_of(tag: Tag, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns, of KEY or KEY=VALUE, is about the tag.

    >>> is_one_of(Tag("pii", "email"), ["pii"]), is_one_of(Tag("pii", "email"), ["pii=n*"])
    (True, False)
    """
    names = (tag.key, tag.text, f"{tag.key}={tag.value}")
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def rule_of(tag: Tag, rules: Sequence[TravelRule]) -> TravelRule:
    """The last rule that fits the tag; the default one if none does."""
    return next((rule for rule in reversed(rules) if rule.fits(tag)), TravelRule())


class TagEdge(NamedTuple):
    """An edge that a tag may travel along; `key` is whatever identifies its report."""

    input: Field
    output: Field
    transformation: Transformation
    key: Hashable = None


class Arrival(NamedTuple):
    """How a tag came to a field: from a field that has it, along an edge."""

    holder: Field
    edge: TagEdge


Spread = Mapping[tuple[Field, Tag], Arrival | None]  # None: the tag is set there


def spread(
    tagged: Iterable[tuple[Field, Tag]], edges: Iterable[TagEdge], rules: Sequence[TravelRule]
) -> Spread:
    """Every field with each of its tags, and by which edge the tag came there by the fewest hops.

    Args:
        tagged: The fields that tags are set on. A tag of a dataset (no field) is one of each of its
            fields, a tag of a nested field one of those that it is in, and the other way round.
        edges: All edges that hold at the time.
        rules: How tags travel; of the rules that fit a tag the last one counts.

    Returns:
        Fields that are tagged, or that a tag travelled to.
    """
    by_input = _ByInput(sorted(edges))
    starts: dict[Tag, list[Field]] = {}
    for field, tag in sorted(tagged):
        starts.setdefault(tag, []).append(field)
    arrivals: dict[tuple[Field, Tag], Arrival | None] = {}
    for tag, fields in starts.items():
        rule = rule_of(tag, rules)
        reached: dict[Field, Arrival | None] = dict.fromkeys(fields)
        followed, waiting = set(fields), deque(fields)
        copied = Copied()
        while waiting:
            holder = waiting.popleft()
            for edge in by_input.of(holder):
                if rule.passes(edge.transformation) and not rule.ends_at(tag, edge.output):
                    part = _of_part(edge, holder, copied)
                    for way in (edge, part):  # a struct has the tags of its parts
                        reached.setdefault(way.output, Arrival(holder, way))
                    if part.output not in followed:
                        followed.add(part.output)
                        waiting.append(part.output)
        arrivals.update(((field, tag), arrival) for field, arrival in reached.items())
    return arrivals


def path(arrivals: Spread, field: Field, tag: Tag) -> list[TagEdge]:
    """The edges by which the tag came to the field, the first one first."""
    edges = []
    while (arrival := arrivals[field, tag]) is not None:
        edges.append(arrival.edge)
        field = arrival.holder
    return edges[::-1]


def related(field: Field, names: Iterable[str], nested: Iterable[str]) -> set[str]:
    """The names of a dataset's fields whose tags are the field's, or whose edges its tags take.

    `nested` are those of the names that have a dot.

    >>> sorted(related(Field("n", "d", "a.b"), [], ["a.b.c", "a.bc"]))
    ['', 'a', 'a.b', 'a.b.c']
    """
    if not field.field:
        return {*names, ""}
    inner = {name for name in nested if is_part(name, field.field)}
    return inner | {around.field for around in (field, *_outer(field))}


class _ByInput:
    """Edges by the fields whose tags travel along them."""

    def __init__(self, edges: Iterable[TagEdge]) -> None:
        self._edges: dict[Field, list[TagEdge]] = {}
        self._within: dict[Field, list[TagEdge]] = {}  # by a field that the input is in
        for edge in edges:
            self._edges.setdefault(edge.input, []).append(edge)
            for outer in _outer(edge.input):
                self._within.setdefault(outer, []).append(edge)

    def of(self, holder: Field) -> Iterator[TagEdge]:
        """The edges from the field, from what it is in, and from what is in it."""
        for field in (holder, *_outer(holder)):
            yield from self._edges.get(field, ())
        yield from self._within.get(holder, ())


def _of_part(edge: TagEdge, holder: Field, copied: Copied) -> TagEdge:
    """The edge to where the holder goes: a copy of a struct has each part in the same place."""
    if not edge.transformation.is_copy:
        return edge
    return edge._replace(output=copied.place(holder, edge.input, edge.output))


def _outer(field: Field) -> list[Field]:
    """The fields that a nested one is in, the nearest first, and its dataset."""
    return [*wholes(field), field.dataset] if field.field else []
