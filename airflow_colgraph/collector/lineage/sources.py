"""What a query is resolved with: its sources and the user's options. Frozen. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from airflow_colgraph.collector.model import (
    NO_NOTES,
    Dataset,
    Field,
    Ids,
    KnownFrame,
    KnownLineage,
    PlanNotes,
    Query,
    Read,
    Variable,
)


@dataclass(frozen=True)
class Sources:
    """What is known of a query's leaves and variables before it is resolved.

    Attributes:
        reads: A leaf's attribute ids -> the datasets behind it; several for a read of several
            paths.
        expansions: The ids of an `Expand` node's output, or of an inline table's that names
            variables -> its projections: the plan's JSON has none.
        origins: The ids of an RDD's leaf -> all fields that its rows came from, without
            the edges between columns.
        unknown_origins: The ids of such a leaf -> the classes of the RDDs that it has other rows
            of, which were read from nobody knows where.
        known: The ids of a `LogicalRDD` leaf -> the frame that a checkpoint or a stream's batch
            has left there.
        variables: What each variable of the session was last set from.
        notes: What the JVM knows of the plan and its JSON does not say.
    """

    reads: Mapping[Ids, tuple[Dataset, ...]]
    expansions: Mapping[Ids, list[list[Any]]] = field(default_factory=dict)
    origins: Mapping[Ids, tuple[Field, ...]] = field(default_factory=dict)
    unknown_origins: Mapping[Ids, tuple[str, ...]] = field(default_factory=dict)
    known: Mapping[Ids, KnownFrame] = field(default_factory=dict)
    variables: Mapping[Variable, KnownLineage] = field(default_factory=dict)
    notes: PlanNotes = NO_NOTES


@dataclass(frozen=True)
class Options:
    """How a query is resolved: the user's masking functions, the deadline, what edges get.

    `deadline` is a time of `time.thread_time`, in seconds of CPU; `masking` has lower-case names;
    `functions` are the Python functions that the program has handed to Spark, a `Functions` of
    `python_functions`, or None.
    """

    masking: frozenset[str] = frozenset()
    deadline: float = float("inf")
    descriptions: bool = False
    functions: Any = None
    digests: bool = False


DEFAULTS = Options()


def sources_of(
    query: Query, frames: Mapping[Ids, KnownFrame], variables: Mapping[Variable, KnownLineage]
) -> Sources:
    """The sources of a query, with what earlier ones have left for it."""
    return Sources(
        {ids: _datasets(read) for ids, read in query.reads.items()},
        query.expansions,
        {ids: _origins(read) for ids, read in query.rdds.items() if read.origins},
        {ids: read.unknown for ids, read in query.rdds.items()},
        frames,
        variables,
        query.notes,
    )


def _datasets(read: Read) -> tuple[Dataset, ...]:
    return tuple(named.dataset for named in read.datasets)


def _origins(rdd: Read) -> tuple[Field, ...]:
    """All columns of what an RDD came from."""
    return tuple(
        Field(named.dataset, (name,))
        for read in rdd.origins
        for named in read.datasets
        for name, _ in read.columns
    )
