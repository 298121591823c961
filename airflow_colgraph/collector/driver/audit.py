"""What an application has written, compared with its events, for its last event."""

from __future__ import annotations

import logging
from collections.abc import Callable

from airflow_colgraph.collector.driver.procedure_calls import CALL
from airflow_colgraph.collector.driver.worker import Worker
from airflow_colgraph.collector.events.completeness import Completeness, completeness_body
from airflow_colgraph.collector.events.facets import diagnostics_facet, facet
from airflow_colgraph.collector.model import Execution
from airflow_colgraph.collector.openlineage import (
    ApplicationDiagnosticsFacet,
    CompletenessCounts,
    RunFacets,
)
from airflow_colgraph.collector.spark.iceberg_commits import BY_NO_QUERY, IcebergCommits
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.collector.spark.rdd_jobs import RddJobs
from airflow_colgraph.collector.spark.stages import (
    executions,
    stages_of,
    stages_since,
    wait_for_end,
)
from airflow_colgraph.openlineage.redaction import exception_text, in_text

STATUS_SECONDS = 2.0  # that Spark's status store may be behind when a context stops
BEHIND = f"Spark's status store was more than {STATUS_SECONDS:.0f} s behind"

log = logging.getLogger(__name__)


class Audit:
    """Compares what Spark has written with the events of one application."""

    def __init__(
        self,
        context: Java,
        worker: Worker,
        commits: IcebergCommits,
        rdd_jobs: RddJobs,
        session: Callable[[], Java | None],
        first_stage: int,
    ) -> None:
        """What was written before the first stage is not looked at."""
        self._context = context
        self._worker = worker
        self._commits = commits
        self._rdd_jobs = rdd_jobs
        self._session = session
        self._first_stage = first_stage
        self._completeness = Completeness()
        self._not_compared = ""

    def executions(self) -> list[Execution]:
        """The SQL executions so far; without a session there are none."""
        session = self._session()
        return [] if session is None else executions(self._context, session)

    def run(self, *, is_stopping: bool = False) -> None:
        """Compare, while Spark can be asked; `is_stopping`: within a listener of Spark's own."""
        from py4j.protocol import Py4JError  # type: ignore[import-untyped,unused-ignore]

        if not self._worker.on:
            return
        try:
            if is_stopping and not wait_for_end(self._context, STATUS_SECONDS):
                self._not_compared = BEHIND  # unless it was all there by chance
            if is_stopping or not self._context.isStopped():
                self._compare()
        except (Py4JError, OSError):  # the JVM is gone, or this Spark keeps no such store
            log.debug("what was written is not known", exc_info=True)
        except Exception as error:  # noqa: BLE001 - the last event reports it, and is not lost
            self._not_compared = exception_text(error)

    def _compare(self) -> None:
        pipeline = self._worker.pipeline
        accounting = pipeline.accounting
        calls = sum(1 for sink in accounting.nameless.elements() if sink.startswith(CALL))
        for table in self._commits.since(calls):
            accounting.wrote_elsewhere(BY_NO_QUERY.format(table))
        stages = stages_since(self._context, self._first_stage)
        queries = self.executions() if stages or accounting.nameless else []
        of_queries = stages_of(queries)
        rest = (stage for stage in stages if stage.number not in of_queries)
        self._worker.do(pipeline.read_by_rdds, self._rdd_jobs.among(rest))
        self._completeness = accounting.compared(self._context, self._session(), stages, queries)

    def last_facets(self, reason: str, is_complete: bool) -> RunFacets:
        """The run facets of the last event; without a `reason` the application has not failed."""
        facets: RunFacets = {}
        if reason:
            facets["errorMessage"] = {
                **facet("errorMessage"),
                "message": in_text(reason),
                "programmingLanguage": "python",
            }
        counts = {
            "dropped queries": self._worker.dropped,
            "failed queries": self._worker.pipeline.accounting.failed,
            "writes without lineage": len(self._completeness.gaps),
        }
        missing = {name: count for name, count in counts.items() if count}
        reasons = [] if is_complete else ["queries were still unresolved at the exit timeout"]
        if self._not_compared:
            reasons.append(f"what Spark has written was not compared: {self._not_compared}")
        if missing or reasons:
            diagnostics: ApplicationDiagnosticsFacet = {
                **diagnostics_facet(missing, truncated="; ".join(reasons)),
                "completeness": self._counts(),
            }
            facets["colgraph_diagnostics"] = diagnostics
        return facets

    def _counts(self) -> CompletenessCounts:
        """The executions and writes of the application, as the last event has them."""
        accounting = self._worker.pipeline.accounting
        counts = {
            "reported": accounting.reported,
            "withoutDatasets": accounting.without_datasets,
            "failed": accounting.failed,
            "dropped": self._worker.dropped,
        }
        return completeness_body(self._completeness, counts)
