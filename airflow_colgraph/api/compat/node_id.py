"""Marquez' node ids, `datasetField:namespace:name:field`, parsed and written.

The parts may contain colons and `#`, so an id alone is ambiguous: of all ways to parse it the first
one that the store has is meant. Only if it has none, a `#version` at the end is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sqlalchemy.engine import Connection

from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query.job_datasets import has_job
from airflow_colgraph.store.query.lookup import find_dataset, is_dataset, start_nodes

PARTS = {"dataset": 2, "datasetField": 3, "job": 2}
MOST_WORDS = 32  # between colons: each way to split them is looked up


def split(node_id: str) -> tuple[str, Iterator[tuple[str, ...]]]:
    """The id's kind and every way to split the rest."""
    kind, _, rest = node_id.partition(":")
    if kind not in PARTS or not rest:
        raise QuestionError(
            f"nodeId is {node_id!r}. Expected dataset:namespace:name, "
            "datasetField:namespace:name:field or job:namespace:name."
        )
    words = rest.split(":")
    if len(words) > MOST_WORDS:
        raise QuestionError(
            f"nodeId has more than {MOST_WORDS} colons. Give namespace, dataset and field instead."
        )
    cuts = combinations(range(1, len(words)), PARTS[kind] - 1)
    ways = (
        tuple(":".join(words[a:b]) for a, b in zip((0, *cut), (*cut, len(words)), strict=True))
        for cut in cuts
    )
    return kind, ways


def resolve(connection: Connection, node_id: str) -> tuple[str, Field | Job]:
    """The dataset, field or job that the id means; UnknownNode if the store has none."""
    unversioned = node_id.rpartition("#")[0]
    for text in (node_id, unversioned) if ":" in unversioned else (node_id,):
        kind, ways = split(text)
        if node := _first(connection, kind, ways):
            return kind, node
    raise UnknownNode(f"Node {node_id} is not in the store.")


def _first(
    connection: Connection, kind: str, ways: Iterator[tuple[str, ...]]
) -> Field | Job | None:
    """The first of the ways to split an id that names what the store has."""
    for way in ways:
        if kind == "job":
            job = Job(*way)
            if has_job(connection, job.id):
                return job
            continue
        if not is_dataset(connection, *way[:2]):  # quickly, as names like it are of no use here
            continue
        field = Field(way[0], way[1], way[2] if kind == "datasetField" else "")
        try:
            if not field.field:
                return find_dataset(connection, *field[:2])
            return start_nodes(connection, [field]).fields[0]
        except UnknownNode:
            continue
    return None


def field_id(field: Field) -> str:
    """The id of a field, or of a dataset as a whole."""
    kind = "datasetField" if field.field else "dataset"
    return ":".join((kind, *field[: PARTS[kind]]))


def job_id(namespace: str, name: str) -> str:
    """The id of a job."""
    return f"job:{namespace}:{name}"
