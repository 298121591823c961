"""The lineage of one query as a value, with what could not be resolved. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from airflow_colgraph.collector.lineage.descriptions import Descriptions
from airflow_colgraph.collector.lineage.digests import Digests
from airflow_colgraph.collector.lineage.frame import Frame
from airflow_colgraph.collector.lineage.sources import Sources
from airflow_colgraph.collector.lineage.transformations import NONE, TRANSFORMATION, Inputs, bits
from airflow_colgraph.collector.lineage.values import Value
from airflow_colgraph.collector.model import (
    Edges,
    Field,
    Ids,
    KnownFrame,
    KnownLineage,
    Query,
    Read,
    Variable,
)


class Diagnostics(NamedTuple):
    """What could not be resolved exactly: Spark classes, or failures' texts, and their counts."""

    unresolved: Mapping[str, int] = {}
    opaque: Mapping[str, int] = {}
    failures: tuple[str, ...] = ()
    truncated: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether nothing was cut and nothing failed."""
        return not (self.truncated or self.failures)

    def with_failure(self, failure: str) -> Diagnostics:
        """The same, and that something failed."""
        return self._replace(failures=(*self.failures, failure))

    def with_unresolved(self, name: str, count: int = 1) -> Diagnostics:
        """The same, and that something was not resolved, or so many of it."""
        return self._replace(unresolved={**self.unresolved, name: count})


class QueryLineage(NamedTuple):
    """The lineage of one query: its root's frame, and the fields that the frame's bits stand for.

    `checkpoints` and `variables` are those of the sources that the plan has read.
    """

    frame: Frame
    fields: tuple[Field, ...]
    sources: Sources
    diagnostics: Diagnostics = Diagnostics()
    checkpoints: Mapping[Ids, KnownFrame] = {}
    variables: Mapping[Variable, KnownLineage] = {}
    descriptions: Descriptions | None = None
    digests: Digests | None = None

    def decoded(self, inputs: Inputs) -> Edges:
        """The inputs as fields rather than bits."""
        return {
            transformation: tuple(self.fields[bit] for bit in bits(members))
            for transformation, members in inputs.items()
        }

    @property
    def is_streamed(self) -> bool:
        """Whether the query starts from a batch of a stream."""
        return any(checkpoint.is_streamed for checkpoint in self.checkpoints.values())


def reads_of(query: Query, lineage: QueryLineage) -> tuple[Read, ...]:
    """What a query read, and what was read for the checkpoints and variables that it uses."""
    every = [*query.reads.values()]
    for ids, leaf in query.rdds.items():
        if ids not in lineage.sources.known:
            every += leaf.origins
    earlier = [source.reads for source in lineage.checkpoints.values()]
    earlier += [source.reads for source in lineage.variables.values()]
    for reads in earlier:
        uncounted = (read._replace(statistics=None) for read in reads)
        every += [read for read in uncounted if read not in every]
    return tuple(every)


def conservative(query: Query, lineage: QueryLineage) -> QueryLineage:
    """The lineage of a query whose budget was spent: each column comes from all that was read."""
    reads = reads_of(query, lineage._replace(checkpoints=lineage.sources.known))
    fields = fields_of(reads)
    everything = Value({TRANSFORMATION: (1 << len(fields)) - 1} if fields else NONE)
    columns = range(len(query.write.columns or ()) if query.write is not None else 0)
    frame = Frame(tuple(columns), dict.fromkeys(columns, everything))
    return lineage._replace(frame=frame, fields=fields)


def fields_of(reads: Iterable[Read]) -> tuple[Field, ...]:
    """All columns of what was read."""
    fields = (
        Field(named.dataset, (name,))
        for read in reads
        for named in read.datasets
        for name, _ in read.columns
    )
    return tuple(dict.fromkeys(fields))


def known_frame(query: Query, lineage: QueryLineage) -> KnownFrame:
    """What later queries that start from the rows of this one know of them."""
    diagnostics = lineage.diagnostics
    unresolved = Counter(diagnostics.unresolved) + Counter(diagnostics.failures)
    return KnownFrame(
        tuple(lineage.decoded(value.inputs) for value in lineage.frame.in_order()),
        lineage.decoded(lineage.frame.rows),
        reads_of(query, lineage),
        lineage.is_streamed,
        tuple(unresolved.items()),
        tuple(diagnostics.opaque.items()),
        has_local_rows(query, lineage),
    )


def has_local_rows(query: Query, lineage: QueryLineage) -> bool:
    """Whether the driver made some of a query's rows, or of those of a checkpoint below it."""
    return query.has_local_rows or any(
        checkpoint.has_local_rows for checkpoint in lineage.checkpoints.values()
    )
