"""What a plan node hands to the next: its attributes' values and what affects its rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from airflow_colgraph.collector.lineage.transformations import NONE, Inputs, union
from airflow_colgraph.collector.lineage.values import NOTHING, Value
from airflow_colgraph.collector.plan import Row, Rows, expr_id, kind


class Frame(NamedTuple):
    """A node's answer: its output attributes in order, their values, and what affects its rows.

    `rows` becomes the facet's `dataset[]`: filters, join and sort keys, groupings. `sides` are the
    attributes of each side of a join that has no condition yet: `FROM a, b WHERE a.x = b.y`.
    """

    output: tuple[int, ...]
    values: Mapping[int, Value]
    rows: Inputs = NONE
    sides: tuple[frozenset[int], ...] = ()

    def value(self, position: int) -> Value:
        """What the output attribute at `position` comes from."""
        return self.values[self.output[position]] if position < len(self.output) else NOTHING

    def in_order(self) -> Iterator[Value]:
        """The values of the output attributes, in order."""
        return (self.values[number] for number in self.output)

    def with_row_filters(self, *rows: Inputs) -> Frame:
        """The same frame, with `rows` too affecting which rows there are."""
        return self._replace(rows=union((self.rows, *rows)))


EMPTY = Frame((), {})


def side_by_side(frames: Iterable[Frame]) -> Frame:
    """All attributes of several frames, as a join has them."""
    sides = list(frames)
    if len(sides) == 1:
        return sides[0]
    values: dict[int, Value] = {}
    for frame in sides:
        values.update(frame.values)
    output = tuple(number for frame in sides for number in frame.output)
    return Frame(output, values, union(frame.rows for frame in sides))


def attribute_ids(rows: Iterable[Row]) -> tuple[int, ...]:
    """The ids of attributes."""
    return tuple(expr_id(row) for row in rows)


def is_attribute(rows: Rows) -> bool:
    """Whether the expression is a bare attribute."""
    return len(rows) == 1 and kind(rows[0]) == "AttributeReference"
