"""What depends on some datasets, counted in a task of Spark's that has all edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from airflow_colgraph.warehouse.reach import (
    NOTHING,
    Numbers,
    Relation,
    across,
    reached,
    sizes,
    unpacked,
    with_bits,
)

if TYPE_CHECKING:
    import pyarrow


class Counts(NamedTuple):
    """A row for each of the datasets, which do not count themselves."""

    dataset: Numbers
    columns: Numbers
    datasets: Numbers
    jobs: Numbers
    dags: Numbers


def counts(parts: Mapping[str, Relation], datasets: range) -> Counts:
    """Count what depends on each of the datasets.

    Args:
        parts: The pairs of each part (see `graph_pairs`).
        datasets: Their numbers.

    Returns:
        Their counts.
    """
    owners, columns = parts["owners"], parts.get("columns", NOTHING)
    own = slice(*np.searchsorted(owners.far, (datasets.start, datasets.stop)))
    of_set = owners.far[own] - datasets.start
    starts = with_bits(len(owners.near), owners.near[own], of_set, len(datasets))
    edges, members = (parts.get(part, NOTHING) for part in ("edges", "members"))
    reached_sets = reached(starts, edges, members)

    def dependent(part: str, of: np.ndarray = reached_sets) -> np.ndarray:
        pairs = parts.get(part, NOTHING)
        into = np.zeros((pairs.far[-1:].sum() + 1, reached_sets.shape[1]), np.uint64)
        across(of, pairs, into)
        return into

    own_columns = np.bincount(columns.far, minlength=datasets.stop)
    jobs = dependent("readers")
    some = slice(len(datasets))
    return Counts(
        np.arange(datasets.start, datasets.stop),
        sizes(reached_sets[columns.near])[some] - own_columns[datasets.start : datasets.stop],
        sizes(dependent("owners"))[some] - 1,
        sizes(jobs)[some],
        sizes(dependent("dags", jobs))[some],
    )


def count(
    sets: int, total: int, batches: Iterable[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    """The counts of a task's datasets: for `DataFrame.mapInArrow`, on first, part and pairs.

    Args:
        sets: How many datasets the task counts for.
        total: How many there are.
        batches: All parts, with the number of the task's first dataset.

    Yields:
        A row for each of its datasets.
    """
    import pyarrow

    first, parts = unpacked(batches)
    if 0 <= first < total:
        counted = counts(parts, range(first, min(first + sets, total)))
        yield pyarrow.RecordBatch.from_arrays(list(map(pyarrow.array, counted)), Counts._fields)
