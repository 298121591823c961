"""What depends on a changed column, by the lineage in force."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import cache

from airflow_colgraph.check.change import Change, Dependents
from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.tags import Tag
from airflow_colgraph.store.query.dataset_details import about
from airflow_colgraph.store.query.graph import Answers, downstream

ExportsOf = Callable[[Dataset], Collection[str]]
TagsOf = Callable[[Dataset, str], Collection[Tag]]


def without_tags(dataset: Dataset, column: str) -> Collection[Tag]:
    """No tags: no rule is about any."""
    return ()


def with_dependents(
    store: Answers,
    changes: Iterable[Change],
    exports_of: ExportsOf,
    tags_of: TagsOf = without_tags,
) -> list[Change]:
    """The changes, each with the columns and jobs downstream, the owners and tags.

    Filters, joins and conditions count: what a column decides on depends on it as well. A change of
    all rows concerns what is made of any column of the dataset. Owners and exports are those of the
    changed dataset, too: whoever uses it depends on the change without a job.
    """

    @cache
    def owners(dataset: Dataset) -> list[str]:
        field = Field(dataset.namespace, dataset.name, "")
        return [owner["name"] for owner in store.ask(lambda asked: about(asked, field)).owners]

    @cache
    def unknown_readers(dataset: Dataset) -> set[str]:
        return _unknown_readers(store, dataset)

    @cache
    def dependents_of(dataset: Dataset, column: str) -> Dependents:
        downstream = _downstream(store, dataset, column)
        readers = _sorted({*downstream.readers, *unknown_readers(dataset)})
        concerned = {dataset, *(Dataset(*dependent[:2]) for dependent in downstream.columns)}
        return downstream._replace(
            owners=_sorted(owner for dataset in concerned for owner in owners(dataset)),
            exports=_sorted(name for dataset in concerned for name in exports_of(dataset)),
            readers=readers,
        )

    tags = cache(tags_of)

    def looked_up(change: Change) -> Change:
        own = replace(
            change,
            owners=_sorted(owners(change.dataset)),
            tags=tuple(tags(change.dataset, change.was or change.column)),
        )
        if change.column and not change.was:
            return own
        return replace(own, dependents=dependents_of(change.dataset, change.was))

    return [looked_up(change) for change in changes]


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
        readers=_sorted(_jobs(edge for edge in graph.edges if edge.depth == 1)),
    )


def _jobs(edges: Iterable[Edge]) -> set[str]:
    """The names of the jobs that reported edges; "" for one that is unknown."""
    return {report.job.name if report.job else "" for edge in edges for report in edge.reported_by}


def _unknown_readers(store: Answers, dataset: Dataset) -> set[str]:
    """The jobs that read a dataset and say of an output of theirs not by which columns."""
    try:
        whole = downstream(store, *dataset, depth=1, level="dataset")
        columns = downstream(store, *dataset, depth=1, indirect=True)
    except UnknownNode:
        return set()
    return {job for _, job in _written_by(whole) - _written_by(columns)}


def _written_by(graph: Graph) -> set[tuple[Field, str]]:
    """The outputs of a graph, each with the names of the jobs that reported an edge to it."""
    return {(edge.output.dataset, job) for edge in graph.edges for job in _jobs([edge])}


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))
