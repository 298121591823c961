"""Lineage for operators that hand a Spark job to a service: Livy, EMR, Dataproc, Kubernetes, ...

Such an operator keeps its request in an attribute. Say which, and what kind of request it is:

    class ColgraphEmrAddStepsOperator(ServiceLineage, EmrAddStepsOperator):
        colgraph_requests = {"steps": EMR_STEP}

The service reads the collector from `[colgraph] collector_path`, and the job writes its events to
`[colgraph] sink`; both are usually in the bucket that holds the job itself. docs/operators.md has a
recipe for each service.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from airflow_colgraph import conf
from airflow_colgraph.operators.collector_archive import CollectorFiles, collector_files
from airflow_colgraph.operators.lineage_mixin import TaskLineage
from airflow_colgraph.operators.requests import Request
from airflow_colgraph.operators.submit_arguments import NotPossible


class ServiceLineage(TaskLineage):
    """For operators whose job is described by one of their attributes: a request, or a list."""

    colgraph_requests: ClassVar[Mapping[str, Request]]

    def execute(self, context: Any, **sentinel: Any) -> Any:
        """Run the job as the stock operator does, and collect its lineage."""
        originals = {name: getattr(self, name) for name in self.colgraph_requests}
        try:
            return super().execute(context, **sentinel)
        finally:
            for name, value in originals.items():
                setattr(self, name, value)

    def colgraph_properties(self) -> Mapping[Any, Any]:
        """The properties of the first job that is described."""
        for name, kind in self.colgraph_requests.items():
            for request in _each(getattr(self, name)):
                try:
                    return kind.properties(request)
                except NotPossible:
                    continue
        return {}

    def colgraph_prepare(self, context: Any) -> None:
        """Replace the requests by ones with the collector."""
        at = collector_files(conf.collector_path())
        ours = {
            name: _with_lineage(getattr(self, name), kind, context, at)
            for name, kind in self.colgraph_requests.items()
            if getattr(self, name)
        }
        if not ours:
            raise NotPossible(f"{' or '.join(self.colgraph_requests)} is not given")
        for name, value in ours.items():
            setattr(self, name, value)
        self._collector_added(self.colgraph_properties())


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _with_lineage(value: Any, kind: Request, context: Any, at: CollectorFiles) -> Any:
    """The request, or the list in which each that runs Spark has the collector."""
    if not isinstance(value, list):
        return kind.with_lineage(value, context, at)
    adapted, refused = [], None
    for request in value:
        try:
            adapted.append(kind.with_lineage(request, context, at))
        except NotPossible as error:
            refused = error
            adapted.append(request)
    if refused and adapted == value:
        raise refused
    return adapted
