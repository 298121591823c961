"""The fields that sets of fields reach, found in a task of Spark's that has all edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from airflow_colgraph.warehouse.reach import NOTHING, Steps, members, rounds, unpacked, with_bits

if TYPE_CHECKING:
    import pyarrow


def rows(
    sets: int, fields: int, depth: int | None, batches: Iterable[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    """The fields of a task's sets: for `DataFrame.mapInArrow`, on first, part and pairs.

    Args:
        sets: How many sets the task has.
        fields: How many fields there are.
        depth: At most so many hops; None: all.
        batches: All parts, with the number of the task's first set. The part `starts` has a pair
            of a set and a field for each start.

    Yields:
        A row for each set and field: their numbers, and the distance in hops.
    """
    import pyarrow

    first, parts = unpacked(batches)
    starts = parts.get("starts", NOTHING)
    own = (starts.near >= first) & (starts.near < first + sets)
    bits = with_bits(fields, starts.far[own], starts.near[own] - first, sets)
    for distance, new in enumerate(rounds(bits, Steps.of(parts), depth)):
        for numbers, of_set in members(new):
            columns = [of_set + first, numbers, np.full(len(numbers), distance)]
            yield pyarrow.RecordBatch.from_arrays(
                list(map(pyarrow.array, columns)), ("index", "number", "depth")
            )
