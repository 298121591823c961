"""Rows that pass through the driver: what a program has collected before it writes its own."""

from __future__ import annotations

from dataclasses import dataclass, field

from airflow_colgraph.collector.lineage.query_lineage import QueryLineage, has_local_rows, reads_of
from airflow_colgraph.collector.model import Dataset, Query

MOST_DATASETS = 1000  # that are remembered as read for a program itself
UNKNOWN_ROWS = "rows of the driver"  # of a program that has read what has no name
MOST_RUNS = 1000  # for which they are: a Spark Connect server has one for each client


@dataclass
class Collected:
    """What a program has read for itself, and whether it has also read what has no name here."""

    datasets: dict[Dataset, None] = field(default_factory=dict)
    is_more: bool = False

    def add(self, query: Query, lineage: QueryLineage) -> None:
        """Remember what a query has read, up to the limit."""
        reads = reads_of(query, lineage)
        self.datasets.update((named.dataset, None) for read in reads for named in read.datasets)
        while len(self.datasets) > MOST_DATASETS:
            self.datasets.popitem()
            self.is_more = True
        self.is_more |= bool(lineage.diagnostics.unresolved or lineage.diagnostics.failures)


class DriverRows:
    """What the program of each run has collected."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._collected: dict[str, Collected] = {}

    def read_before(self, run: str, query: Query, lineage: QueryLineage) -> Collected:
        """What the program had asked for rows of, if the query writes rows that it made itself.

        Of a query that writes nothing, its reads are remembered.
        """
        collected = self._collected.setdefault(run, Collected())
        if len(self._collected) > MOST_RUNS:
            del self._collected[next(iter(self._collected))]
        if query.write is not None and has_local_rows(query, lineage):
            return collected
        if query.write is None and not query.sink:
            collected.add(query, lineage)
        return Collected()
