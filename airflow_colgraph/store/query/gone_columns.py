"""The columns of a graph that their datasets no longer have."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.engine import Connection

from airflow_colgraph.store.model.lineage_graph import Graph
from airflow_colgraph.store.query.dataset_details import fields

MOST_DATASETS = 200  # whose columns are read: a larger drawing cannot be read


def with_gone_columns(connection: Connection, graph: Graph) -> Graph:
    """The graph with its gone columns, if it is about now and has at most MOST_DATASETS."""
    question = graph.question
    is_past = any(time is not None for time in (question.at, question.start, question.end))
    nodes = graph.nodes
    datasets = {node.dataset for node in nodes if node.field}
    if is_past or len(datasets) > MOST_DATASETS:
        return graph
    gone = {
        dataset._replace(field=column.name)
        for dataset in datasets
        for column in fields(connection, dataset)
        if column.dropped
    }
    return replace(graph, gone=frozenset(gone & nodes.keys()))
