"""What a store answers where a warehouse computes a closure."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from pyspark.sql import SparkSession

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import UP
from airflow_colgraph.store.model.walk import walk
from airflow_colgraph.store.query import graph, name_cache
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.build import build
from airflow_colgraph.warehouse.question import Question
from tests.warehouse.tables import write_lines

EVERY_HOP, EVERY_EDGE = 1000, 10_000_000


class StoreAnswers:
    """The answers of a store to which nothing is added meanwhile.

    Attributes:
        fields: The fields of each dataset.
    """

    def __init__(self, store: Store) -> None:
        """Its fields are read once."""
        self._store = store
        self.fields: dict[Field, list[Field]] = defaultdict(list)
        with store.connection() as connection:
            rows = connection.exec_driver_sql(
                "SELECT d.namespace, d.name, f.name FROM colgraph_field AS f "
                "JOIN colgraph_dataset AS d ON d.id = f.dataset WHERE f.name <> ''"
            )
            for row in rows:
                field = Field(*row)
                self.fields[field.dataset].append(field)

    def impact(self, name: str, question: Question) -> dict[str, int]:
        """How much depends on a dataset of namespace `n`, without itself."""
        answer, fields = self._reached(Field("n", name, ""), question)
        others = {field for field in fields if field.name != name}
        jobs = {who.job for edge in answer.edges for who in edge.reported_by if who.job}
        return {
            "columns": len([field for field in others if field.field]),
            "datasets": len({field.name for field in others}),
            "jobs": len(jobs),
            "dags": len({job.dag_id for job in jobs if job.dag_id}),
        }

    def closure(self, start: Field, question: Question) -> dict[Field, int]:
        """The fields that are reached and their distances, as `_reached`."""
        return self._reached(start, question)[1]

    def _reached(self, start: Field, question: Question) -> tuple[graph.Graph, dict[Field, int]]:
        """The answer, and the fields in it with their distances.

        What an edge leads to is reached, and what the traversal follows from there without an
        edge: the parts of a struct, and the fields that share their rows.
        """
        with recorded_states() as states:
            answer = self._answer(start, question)
        distances: dict[Field, int] = {}
        with self._store.connection() as connection:
            nodes = name_cache.of(connection).read_nodes(connection, set().union(*states))
        for depth, ids in enumerate(states):
            distances.update((nodes[id].field, depth) for id in ids)
        for edge in answer.edges:
            end = edge.input if question.direction == UP else edge.output
            if edge.depth <= (question.depth or EVERY_HOP):
                distances[end] = min(edge.depth, distances.get(end, edge.depth))
        return answer, distances

    def _answer(self, start: Field, question: Question) -> graph.Graph:
        how = {} if question.at is None else {"at": clock.iso(question.at)}
        answer = graph.lineage(
            self._store,
            [start],
            direction=question.direction,
            indirect=question.indirect,
            depth=(question.depth or EVERY_HOP) + 1,  # the last states are followed in vain
            limit=EVERY_EDGE,
            **how,
        )
        assert not answer.truncated
        return answer


@contextmanager
def recorded_states() -> Iterator[list[set[int]]]:
    """The ids of what a traversal reaches, a set for each distance."""
    levels: list[set[int]] = []

    def walked(*how: Any) -> Iterator[tuple[set[int], Any]]:
        for states, edges in walk(*how):
            levels.append(states)
            yield states, edges

    with mock.patch.object(graph, "walk", walked):
        yield levels


class Both(NamedTuple):
    """The same events in a warehouse and in a store."""

    warehouse: str
    answers: StoreAnswers

    @property
    def fields(self) -> list[Field]:
        """All fields, in order."""
        return sorted(field for some in self.answers.fields.values() for field in some)


@contextmanager
def both_of(spark: SparkSession, events: list[dict[str, Any]], folder: Path) -> Iterator[Both]:
    """A warehouse in a folder, and a store, of these events."""
    write_lines(folder / "events.jsonl", events)
    build(spark, [str(folder / "events.jsonl")], str(folder / "warehouse"))
    with Store.open("sqlite://") as store:
        store.add(events)
        yield Both(str(folder / "warehouse"), StoreAnswers(store))
