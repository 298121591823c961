"""What the queries of an application did, counted, and compared with what Spark has written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from airflow_colgraph.collector.events.build import output_to
from airflow_colgraph.collector.events.completeness import Completeness, completeness
from airflow_colgraph.collector.model import Execution, Query, Stage
from airflow_colgraph.collector.python_functions.effects import named_with
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.collector.spark.stages import described, metric_of, named, stages_of
from airflow_colgraph.collector.spark.streaming import Stream
from airflow_colgraph.collector.spark.translate import FinishedQuery


class Accounting:
    """Counts of executions, and which outputs have an event."""

    def __init__(self) -> None:
        """Nothing was processed yet."""
        self.failed = 0
        self.reported = 0  # executions that have an event
        self.without_datasets = 0  # executions that have none: they touch no dataset
        self.nameless: Counter[str] = Counter()  # outputs without a name, by the class of the sink
        self.saves = 0  # of RDDs, that have an event
        self._written: set[int] = set()  # a metric of each of those whose event has an output
        self._reached: dict[str, dict[str, None]] = {}  # by functions, by the class of their sink
        self._unplaced = 0  # those among them whose plan has no metric
        self._streams: set[str] = set()  # the same of streams, by `runId`

    def processed(self, queries: int) -> None:
        """Count an execution and how many of its queries have an event."""
        self.reported += bool(queries)
        self.without_datasets += not queries

    def wrote(self, finished: FinishedQuery, query: Query) -> None:
        """Record that the output of a query was reported, with a name or without, if it has one."""
        write = query.write
        if write is None and not query.sink:
            return
        self.nameless.update([query.sink] if query.sink else [])
        if isinstance(finished.execution, Stream):
            self._streams.add(finished.execution.run_id)
            return
        metric = metric_of(finished.execution)
        if metric is not None:
            self._written.add(metric)
        elif write is None or (not write.is_duplicate and write.has_rows and write.columns != ()):
            self._unplaced += 1

    def wrote_elsewhere(self, function: str) -> None:
        """Record that a function of the program's has had effects that Spark knows nothing of."""
        self.nameless[function] += 1
        self._written.add(-sum(self.nameless.values()))  # no metric of a plan has such a number

    def reaches(self, sink: str, effects: Iterable[str]) -> None:
        """Record what the functions reach that are behind the sinks of a class."""
        self._reached.setdefault(sink, {}).update(dict.fromkeys(effects))

    def compared(
        self,
        context: Java,
        session: Java | None,
        stages: list[Stage],
        executions: list[Execution],
    ) -> Completeness:
        """What was written without an event; who wrote it is asked only for a gap."""
        nameless = [
            output_to(named_with(sink, tuple(self._reached.get(sink, ()))))
            for sink in self.nameless.elements()
        ]
        stages = [stage for stage in stages if stage.rows or stage.bytes]
        if not stages and not nameless:
            return Completeness()
        counted = completeness(
            stages, executions, self._written, (), self._unplaced, nameless, self.saves
        )
        if not counted.gaps:
            return counted
        of_stages = stages_of(executions)
        stages = [stage if stage.number in of_stages else named(context, stage) for stage in stages]
        of_written = {stage.number for stage in stages}
        roots = {execution.root for execution in executions if execution.stages & of_written}
        asked = [
            described(session, execution)
            if execution.number in roots or execution.stages & of_written
            else execution
            for execution in executions
        ]
        counts = self._unplaced, nameless, self.saves
        return completeness(stages, asked, self._written, self._streams, *counts)
