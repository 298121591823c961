"""The steps of a query as operations: how they are named, and which of them are emitted. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from airflow_colgraph.collector.lineage.sql_text import expression_text
from airflow_colgraph.collector.model import Dataset
from airflow_colgraph.collector.openlineage import DatasetName, Operation, OperationInput
from airflow_colgraph.collector.plan import Rows

MOST_OPERATIONS = 2000


class Origin(NamedTuple):
    """A field within a job: the operation that made it, and its name there."""

    operation: str
    name: str


Origins = tuple[Origin, ...]


class Step(NamedTuple):
    """One operation: a read dataset, or one computed column with its expressions.

    There are several where clauses of a MERGE put different ones into the same column.
    """

    dataset: Dataset | None
    inputs: Origins
    expressions: tuple[Rows, ...]
    verb: str


class TooMany(Exception):
    """There are more operations than anyone would read."""


class Steps:
    """The steps of one query, each under the field that it makes."""

    def __init__(self) -> None:
        """None yet."""
        self._steps: dict[Origin, Step] = {}
        self._names: dict[str, int] = {}

    def read(self, operation: str, dataset: Dataset, field: str) -> Origin:
        """The field as `operation` reads it from the dataset."""
        origin = Origin(operation, field)
        self._steps[origin] = Step(dataset, (), (), "read")
        return origin

    def computed(self, verb: str, column: str, inputs: Origins, *expressions: Rows) -> Origins:
        """The column, computed from `inputs` by a step of its own; TooMany above the limit."""
        if len(self._steps) >= MOST_OPERATIONS:
            raise TooMany
        origin = Origin(self.name(f"{verb} {column}"), column)
        self._steps[origin] = Step(None, inputs, expressions, verb)
        return (origin,)

    def name(self, wanted: str) -> str:
        """`wanted`, with a number behind it where it is taken."""
        count = self._names[wanted] = self._names.get(wanted, 0) + 1
        return wanted if count == 1 else f"{wanted} {count}"

    def emitted(self, origins: list[Origin], dataset: Dataset) -> list[Operation]:
        """The operations that writing `origins` to the dataset needs, each after its inputs."""
        order = list(self._needed(origins))
        last: Operation = {
            "name": f"write {dataset.name}",
            "description": f"write {dataset.name}",
            "inputs": {"fields": _as_inputs(origins)},
            "outputs": {"endPoint": _end_point(dataset)},
        }
        return [*self._reads(order), *self._computations(order), last]

    def _needed(self, origins: list[Origin]) -> Iterator[Origin]:
        done: set[Origin] = set()
        stack = [(origin, False) for origin in reversed(origins)]
        while stack:
            origin, inputs_done = stack.pop()
            if origin in done:
                continue
            if inputs_done:
                done.add(origin)
                yield origin
            else:
                stack.append((origin, True))
                stack.extend((source, False) for source in self._steps[origin].inputs)

    def _reads(self, order: list[Origin]) -> list[Operation]:
        reads: dict[str, Operation] = {}
        for origin in order:
            dataset = self._steps[origin].dataset
            if dataset is None:
                continue
            if origin.operation not in reads:
                reads[origin.operation] = {
                    "name": origin.operation,
                    "description": f"read {dataset.name}",
                    "inputs": {"endPoint": _end_point(dataset)},
                    "outputs": {"fields": []},
                }
            reads[origin.operation]["outputs"]["fields"].append(origin.name)
        return list(reads.values())

    def _computations(self, order: list[Origin]) -> Iterator[Operation]:
        for origin in order:
            step = self._steps[origin]
            if step.dataset is None:
                texts = (expression_text(rows, origin.name) for rows in step.expressions)
                text = "; ".join(dict.fromkeys(texts)) or step.verb
                yield {
                    "name": origin.operation,
                    "description": text,
                    "inputs": {"fields": _as_inputs(step.inputs)},
                    "outputs": {"fields": [origin.name]},
                }


def _end_point(dataset: Dataset) -> DatasetName:
    return {"namespace": dataset.namespace, "name": dataset.name}


def _as_inputs(origins: Iterable[Origin]) -> list[OperationInput]:
    """Origins with the keys that an input has: `origin` is the operation."""
    return [{"origin": origin.operation, "name": origin.name} for origin in dict.fromkeys(origins)]
