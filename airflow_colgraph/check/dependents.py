"""What depends on a changed column, by the lineage in force."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import cache

from airflow_colgraph.check.change import Change, Dependents
from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.dataset_details import about
from airflow_colgraph.store.query.graph import Answers, downstream

ExportsOf = Callable[[Dataset], Collection[str]]


def with_dependents(
    store: Answers, changes: Iterable[Change], exports_of: ExportsOf
) -> list[Change]:
    """The changes, each with the columns and jobs downstream of what it is about.

    Filters, joins and conditions count: what a column decides on depends on it as well. A change of
    all rows concerns what is made of any column of the dataset. Owners and exports are those of the
    changed dataset, too: whoever uses it depends on the change without a job.
    """

    @cache
    def owners(dataset: Dataset) -> list[str]:
        field = Field(dataset.namespace, dataset.name, "")
        return [owner["name"] for owner in store.ask(lambda asked: about(asked, field)).owners]

    @cache
    def dependents_of(dataset: Dataset, column: str) -> Dependents:
        downstream = _downstream(store, dataset, column)
        concerned = {dataset, *(Dataset(*dependent[:2]) for dependent in downstream.columns)}
        return downstream._replace(
            owners=_sorted(owner for dataset in concerned for owner in owners(dataset)),
            exports=_sorted(name for dataset in concerned for name in exports_of(dataset)),
        )

    return [
        replace(change, dependents=dependents_of(change.dataset, change.was))
        if change.was or not change.column
        else change
        for change in changes
    ]


def _downstream(store: Answers, dataset: Dataset, column: str) -> Dependents:
    try:
        graph = downstream(store, dataset.namespace, dataset.name, column or None, indirect=True)
    except UnknownNode:
        return Dependents()
    outputs = {edge.output for edge in graph.edges}
    columns = {(output.namespace, output.name, output.field) for output in outputs} - {
        (*dataset, column)
    }
    jobs = {report.job for edge in graph.edges for report in edge.reported_by if report.job}
    return Dependents(
        tuple(sorted(columns)),
        _sorted(job.name for job in jobs),
        graph.truncated,
        dags=_sorted(job.dag_id for job in jobs if job.dag_id),
    )


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))
