"""What a store answers where a warehouse computes a closure."""

from collections.abc import Mapping, Sequence

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import UP
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.closure import Question

EVERY_HOP, EVERY_EDGE = 1000, 10_000_000


def closure_of(
    store: Store, start: Field, question: Question, fields: Mapping[Field, Sequence[Field]]
) -> dict[Field, int]:
    """The fields that are reached and their distances, with those that share their rows.

    `fields` are those of each dataset; they are needed for INDIRECT edges downstream.
    """
    how = {} if question.at is None else {"at": clock.iso(question.at)}
    answer = graph.lineage(
        store,
        [start],
        direction=question.direction,
        indirect=question.indirect,
        depth=question.depth or EVERY_HOP,
        limit=EVERY_EDGE,
        **how,
    )
    assert not answer.truncated
    found = dict.fromkeys(answer.starts, 0)
    up = question.direction == UP
    for edge in answer.edges:  # the nearest first
        found.setdefault(edge.input if up else edge.output, edge.depth)
    if question.indirect:
        for node, depth in list(found.items()):
            for other in [node.dataset] if up else fields.get(node, ()):
                found[other] = min(depth, found.get(other, depth))
    return found
