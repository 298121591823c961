"""What depends on some datasets, counted in a task of Spark's that has all edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from airflow_colgraph.warehouse.reach import (
    NOTHING,
    Numbers,
    Relation,
    Steps,
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


def counts(parts: Mapping[str, Relation], datasets: range, listed: int) -> Counts:
    """Count what depends on each of the datasets with these numbers.

    `listed` counts the fields that events name. Those are the first ones, and a dataset starts
    at them.
    """
    owners = parts["owners"]
    own = slice(*np.searchsorted(owners.far, (datasets.start, datasets.stop)))
    fields, of_set = owners.near[own], owners.far[own] - datasets.start
    is_start = fields < listed
    starts = with_bits(len(owners.near), fields[is_start], of_set[is_start], len(datasets))
    reached_sets = reached(starts, Steps.of(parts))

    def dependent(part: str, of: np.ndarray, least: int = 0) -> np.ndarray:
        pairs = parts.get(part, NOTHING)
        into = np.zeros((max(pairs.far[-1:].sum() + 1, least), of.shape[1]), np.uint64)
        across(of, pairs, into)
        return into

    last = parts.get("dags", NOTHING).near.max(initial=-1)  # a job that may read nothing
    jobs = dependent("readers", reached_sets, last + 1)
    if "ends" in parts:
        across(reached_sets.copy(), parts["ends"], reached_sets)
    reached_sets[fields] &= ~with_bits(len(fields), np.arange(len(fields)), of_set, len(datasets))
    some = slice(len(datasets))
    return Counts(
        np.arange(datasets.start, datasets.stop),
        sizes(reached_sets[parts.get("columns", NOTHING).near])[some],
        sizes(dependent("owners", reached_sets))[some],
        sizes(jobs)[some],
        sizes(dependent("dags", jobs))[some],
    )


def count(
    sets: int, total: int, listed: int, batches: Iterable[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    """The counts of a task's datasets: for `DataFrame.mapInArrow`, on first, part and pairs.

    `batches` are all parts, with the number of the first of the task's `sets` datasets.
    """
    import pyarrow

    first, parts = unpacked(batches)
    if 0 <= first < total:
        counted = counts(parts, range(first, min(first + sets, total)), listed)
        yield pyarrow.RecordBatch.from_arrays(list(map(pyarrow.array, counted)), Counts._fields)
