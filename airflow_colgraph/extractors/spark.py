"""The lineage that an operator collected, as Airflow's `OperatorLineage`.

One mapping, two ways to it: `ColgraphSparkSubmitOperator` has the methods that Airflow looks for,
and `SparkExtractor` can be registered for other operators that keep a `colgraph_lineage`:

    [openlineage] extractors = my_company.lineage.OurExtractor

    class OurExtractor(SparkExtractor):
        operators = ["OurSparkOperator"]

Both run in a child process that Airflow kills after ten seconds, so they read the operator object
only: no network, no XCom, no connection.
"""

from __future__ import annotations

from typing import Any, ClassVar

from airflow_colgraph import conf
from airflow_colgraph.collector.sinks.sink import without_userinfo
from airflow_colgraph.extractors.limits import Limits, cut
from airflow_colgraph.extractors.task_lineage import Lineage
from airflow_colgraph.version_compat import BaseExtractor, OperatorLineage


def operator_lineage(operator: Any, task_instance: Any = None) -> Any:
    """The lineage that an operator collected, as Airflow's `OperatorLineage`.

    Args:
        operator: The operator; its `colgraph_lineage` is a `task_lineage.Lineage` or None.
        task_instance: The task instance, whose `task` is taken where it is set: legacy Airflow
            hands extractors a copy of the operator.

    Returns:
        `OperatorLineage` of the provider or of openlineage-airflow, with typed facets, cut to
        `[colgraph] max_input_fields` and `max_event_bytes` (bytes of JSON); empty before the job
        ran and for a skipped task.

    Raises:
        ConfigException: One of these options is invalid. Airflow logs what an extractor raises,
            and sends the event without lineage.
    """
    from airflow_colgraph.extractors import facets

    ran = getattr(task_instance, "task", None) or operator  # legacy Airflow gives us a copy
    lineage: Lineage | None = getattr(ran, "colgraph_lineage", None)
    if lineage is None:
        return OperatorLineage()
    sink = without_userinfo(getattr(ran, "colgraph_sink", None) or "")
    whole = getattr(ran, "colgraph_store", None) or sink
    limits = Limits(conf.max_input_fields(), conf.max_event_bytes())
    if lineage.with_job_facet:  # the job facet repeats the same edges
        limits = Limits(limits.max_input_fields // 2, limits.max_event_bytes // 2)
    lineage = cut(lineage, limits, whole=whole)
    return OperatorLineage(
        inputs=[facets.input_dataset(dataset) for dataset in lineage.inputs],
        outputs=[facets.output_dataset(dataset) for dataset in lineage.outputs],
        run_facets=facets.run_facets(lineage.run_facets),
        job_facets=facets.lineage_job(lineage.outputs) if lineage.with_job_facet else {},
    )


class SparkExtractor(BaseExtractor):  # type: ignore[misc]
    """An OpenLineage extractor for operators that collected column lineage.

    Airflow's `BaseExtractor`, of today's provider or of openlineage-airflow; to use it for other
    operators, subclass it and set `operators`.
    """

    operators: ClassVar[list[str]] = ["ColgraphSparkSubmitOperator"]

    @classmethod
    def get_operator_classnames(cls) -> list[str]:
        """The names of the operator classes that Airflow asks this extractor about."""
        return cls.operators

    def _execute_extraction(self) -> Any:
        return OperatorLineage()  # the job has not run yet

    def extract_on_complete(self, task_instance: Any) -> Any:
        """The lineage of a task that succeeded; see `operator_lineage`."""
        return operator_lineage(self.operator, task_instance)

    def extract_on_failure(self, task_instance: Any) -> Any:
        """The lineage of what the job wrote before it failed; see `operator_lineage`."""
        return operator_lineage(self.operator, task_instance)
