"""What depends on a changed column, by the lineage in force."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import cache

from sqlalchemy.engine import Connection

from airflow_colgraph.check.change import Change, Dependents
from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.lineage_graph import Edge
from airflow_colgraph.store.model.tags import Tag
from airflow_colgraph.store.query.dataset_details import about
from airflow_colgraph.store.query.graph import Answers, downstream
from airflow_colgraph.store.query.job_runs import job_names
from airflow_colgraph.store.query.unknown_columns import canonical_names, unknown_readers

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

    Filters, joins and conditions count: what a column affects depends on it as well. A change of
    all rows concerns what comes from any column of the dataset. Owners and exports are those of the
    changed dataset, too: whoever uses it depends on the change without a job.
    """

    changes = list(changes)
    unknown = store.ask(
        lambda asked: _unknown_readers(asked, {change.dataset for change in changes})
    )

    @cache
    def owners(dataset: Dataset) -> list[str]:
        field = Field(dataset.namespace, dataset.name, "")
        return [owner["name"] for owner in store.ask(lambda asked: about(asked, field)).owners]

    @cache
    def dependents_of(dataset: Dataset, column: str) -> Dependents:
        downstream = _downstream(store, dataset, column)
        readers = _sorted({*downstream.readers, *unknown[dataset]})
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


def _unknown_readers(
    connection: Connection, datasets: Collection[Dataset]
) -> dict[Dataset, set[str]]:
    """By dataset, the jobs that read it without telling all columns that they use."""
    stored = canonical_names(connection)
    ids = {dataset: Field(*dataset, "").id for dataset in datasets}
    ids = {dataset: stored.get(id, id) for dataset, id in ids.items()}
    readers = unknown_readers(connection, None, set(ids.values()))
    names = {None: "", **job_names(connection, {reader.job for reader in readers})}
    return {
        dataset: {names[reader.job] for reader in readers if reader.dataset == id}
        for dataset, id in ids.items()
    }


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))
