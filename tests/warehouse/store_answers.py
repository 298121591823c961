"""What a store answers where a warehouse computes a closure."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import UP
from airflow_colgraph.store.query import graph
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
        found = self._answer(Field("n", name, ""), question)
        reached = set(found.nodes)
        if question.indirect:
            reached |= {other for field in found.nodes for other in self.fields.get(field, ())}
        others = {field for field in reached if field.name != name}
        jobs = {who.job for edge in found.edges for who in edge.reported_by if who.job}
        return {
            "columns": len([field for field in others if field.field]),
            "datasets": len({field.name for field in others}),
            "jobs": len(jobs),
            "dags": len({job.dag_id for job in jobs if job.dag_id}),
        }

    def closure(self, start: Field, question: Question) -> dict[Field, int]:
        """The fields that are reached and their distances, with those that share their rows."""
        answer = self._answer(start, question)
        found = dict.fromkeys(answer.starts, 0)
        up = question.direction == UP
        for edge in answer.edges:  # the nearest first
            found.setdefault(edge.input if up else edge.output, edge.depth)
        if question.indirect:
            for node, depth in list(found.items()):
                for other in [node.dataset] if up else self.fields.get(node, ()):
                    found[other] = min(depth, found.get(other, depth))
        return found

    def _answer(self, start: Field, question: Question) -> graph.Graph:
        how = {} if question.at is None else {"at": clock.iso(question.at)}
        answer = graph.lineage(
            self._store,
            [start],
            direction=question.direction,
            indirect=question.indirect,
            depth=question.depth or EVERY_HOP,
            limit=EVERY_EDGE,
            **how,
        )
        assert not answer.truncated
        return answer


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
    store = Store.open("sqlite://")
    store.add(events)
    yield Both(str(folder / "warehouse"), StoreAnswers(store))
    store.close()
