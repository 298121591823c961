"""What depends on a changed column, by the lineage in force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from airflow_colgraph.check.change import Change, Dependents
from airflow_colgraph.exports.lineage_model import Dataset
from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.query.graph import Answers, downstream


def with_dependents(store: Answers, changes: Iterable[Change]) -> list[Change]:
    """The changes, each with the columns and jobs downstream of what it is about.

    Filters, joins and conditions count: what a column decides on depends on it as well. A change of
    all rows concerns what is made of any column of the dataset.
    """

    @cache
    def found(dataset: Dataset, column: str) -> Dependents:
        return _dependents(store, dataset, column)

    return [
        replace(one, dependents=found(one.dataset, one.was)) if one.was or not one.column else one
        for one in changes
    ]


def _dependents(store: Answers, dataset: Dataset, column: str) -> Dependents:
    try:
        graph = downstream(store, dataset.namespace, dataset.name, column or None, indirect=True)
    except UnknownNode:
        return Dependents()
    outputs = {edge.output for edge in graph.edges}
    columns = {(one.namespace, one.name, one.field) for one in outputs} - {(*dataset, column)}
    jobs = {report.job.name for edge in graph.edges for report in edge.reported_by if report.job}
    return Dependents(tuple(sorted(columns)), tuple(sorted(jobs)), graph.truncated)
