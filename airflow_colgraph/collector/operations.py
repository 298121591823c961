"""The READ, TRANSFORM and WRITE operations that a query's output is made by. Pure.

As CDAP tells field lineage: an operation has a name, a description (here the expression), inputs as
(the operation a field comes from, its name) and outputs. Only what the output needs is told: an
operation is one computed column, and what is computed but not written is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.collector.frames import attribute_ids, is_attribute
from airflow_colgraph.collector.lineage import Known
from airflow_colgraph.collector.naming import Dataset
from airflow_colgraph.collector.plan import (
    Node,
    Row,
    Rows,
    as_rows,
    bottom_up,
    expr_id,
    kind,
    parse,
)
from airflow_colgraph.collector.wording import words

Json = dict[str, Any]

MOST_OPERATIONS = 2000

VERBS = {"Project": "compute", "Aggregate": "aggregate", "Window": "rank", "Generate": "generate"}
NAMED = {
    "Project": "projectList",
    "Aggregate": "aggregateExpressions",
    "Window": "windowExpressions",
    "SerializeFromObject": "serializer",
}
LEFT_ONLY = {"Intersect", "Except"}


class Origin(NamedTuple):
    """A field within a job: the operation that made it, and its name there."""

    operation: str
    name: str


class Step(NamedTuple):
    """One operation: a read dataset, or one computed column with its expression."""

    dataset: Dataset | None
    inputs: tuple[Origin, ...]
    expression: Rows | None
    verb: str


class Made(NamedTuple):
    """A node's answer: its output in order, and where each attribute comes from."""

    output: tuple[int, ...]
    origins: Mapping[int, tuple[Origin, ...]]


class TooMany(Exception):
    """There are more operations than anyone would read."""


class Operations:
    """The operations of one query, found by one fold over its plan."""

    def __init__(
        self,
        reads: Mapping[tuple[int, ...], tuple[Dataset, ...]],
        expansions: Mapping[tuple[int, ...], list[list[Any]]],
        known: Mapping[int, Known],
    ) -> None:
        """With what the query's leaves read and what checkpoints are known, as in a Resolution."""
        self._reads = reads
        self._expansions = expansions
        self._known = known
        self._steps: dict[Origin, Step] = {}
        self._names: dict[str, int] = {}
        self._ctes: dict[int, Made] = {}

    def of(self, plan: Rows, dataset: Dataset, columns: Iterable[str]) -> list[Json]:
        """The operations that write `columns` to `dataset`, each after those that it needs."""
        made = self._fold(parse(plan), {})
        written = [
            (name, origin)
            for name, number in zip(columns, made.output)
            for origin in made.origins.get(number, ())
        ]
        told = list(self._needed([origin for _, origin in written]))
        inputs = [origin._asdict() for origin in _as_inputs(origin for _, origin in written)]
        last = {
            "name": f"write {dataset.name}",
            "description": f"write {dataset.name}",
            "inputs": {"fields": inputs},
            "outputs": {"endPoint": dataset._asdict()},
        }
        return [*told, last]

    # The fold ---------------------------------------------------------------------------------

    def _fold(self, root: Node, outer: Mapping[int, tuple[Origin, ...]]) -> Made:
        answers: dict[int, Made] = {}
        for node in bottom_up(root):
            children = [answers.pop(id(child)) for child in node.children]
            answers[id(node)] = self._node(node, children, outer)
        return answers[id(root)]

    def _node(
        self, node: Node, children: list[Made], outer: Mapping[int, tuple[Origin, ...]]
    ) -> Made:
        output = node.output()
        if not children and node.kind not in ("CTERelationRef", "UnionLoopRef"):
            return self._leaf(output)
        seen = dict(outer)
        for child in children:
            seen.update(child.origins)
        if node.kind in ("CTERelationRef", "UnionLoopRef"):
            found = self._ctes.get(node.row["cteId"]) if "cteId" in node.row else None
            return _renumbered(attribute_ids(output), [found] if found else [])
        if node.kind == "CTERelationDef":
            self._ctes[node.row["id"]] = children[0]
            return children[0]
        if node.kind == "WithCTE" or node.kind in LEFT_ONLY:
            return children[-1 if node.kind == "WithCTE" else 0]
        if node.kind in ("Union", "UnionLoop"):
            loop = tuple(found["id"] for found in node.row.get("outputAttrIds") or ())
            return _renumbered(loop or children[0].output, children)
        if node.kind in NAMED:
            items = node.expressions(NAMED[node.kind])
            kept = children[0].output if node.kind == "Window" else ()
            return self._computed(node, items, kept, seen)
        if node.kind == "LateralJoin":
            right = self._fold(parse((node.expression("right") or [])[0]["plan"]), seen)
            return Made(children[0].output + right.output, {**seen, **right.origins})
        if node.kind == "Expand":
            return self._expanded(output, seen)
        if node.kind == "Generate":
            return self._generated(node, children[0], seen)
        ids = tuple(number for child in children for number in child.output)
        if not output:
            return Made(ids, seen)
        every = tuple(dict.fromkeys(o for number in ids for o in seen.get(number, ())))
        origins = {
            expr_id(row): seen.get(expr_id(row))
            or self._add(node.kind.lower(), row["name"], every, None)
            for row in output
        }
        return Made(attribute_ids(output), origins)

    def _leaf(self, output: list[Row]) -> Made:
        ids = attribute_ids(output)
        origins: dict[int, tuple[Origin, ...]] = {}
        steps = []
        for dataset in self._reads.get(ids, ()):
            steps.append((dataset, self._name(f"read {dataset.name}")))
        for row in output:
            if expr_id(row) in self._known:
                origins[expr_id(row)] = self._recalled(self._known[expr_id(row)])
                continue
            found = tuple(Origin(name, row["name"]) for _, name in steps)
            for (dataset, _), origin in zip(steps, found):
                self._steps[origin] = Step(dataset, (), None, "read")
            origins[expr_id(row)] = found
        return Made(ids, origins)

    def _recalled(self, known: Known) -> tuple[Origin, ...]:
        """An attribute of a checkpoint: what it was made of, read as it stands there."""
        origins = []
        for fields in known.value.values():
            for dataset, path in fields:
                origin = Origin(f"read {dataset.name} before a checkpoint", path[0])
                self._steps[origin] = Step(dataset, (), None, "read")
                origins.append(origin)
        return tuple(dict.fromkeys(origins))

    def _computed(
        self,
        node: Node,
        items: list[Rows],
        kept: tuple[int, ...],
        seen: Mapping[int, tuple[Origin, ...]],
    ) -> Made:
        origins = {number: seen[number] for number in kept if number in seen}
        output = list(kept)
        for rows in items:
            number = expr_id(rows[0])
            output.append(number)
            bare = is_attribute(rows[-1:]) and len(rows) <= 2
            if bare and rows[0]["name"] == rows[-1]["name"]:
                origins[number] = seen.get(expr_id(rows[-1]), ())
            else:
                inputs = tuple(dict.fromkeys(self._inputs(rows, seen)))
                verb = "rename" if bare else VERBS.get(node.kind, node.kind.lower())
                origins[number] = self._add(verb, rows[0]["name"], inputs, rows)
        return Made(tuple(output), origins)

    def _expanded(self, output: list[Row], seen: Mapping[int, tuple[Origin, ...]]) -> Made:
        ids = attribute_ids(output)
        projections = self._expansions.get(ids, [])
        origins = {}
        for position, row in enumerate(output):
            found = [as_rows(projection[position]) for projection in projections]
            inputs = tuple(dict.fromkeys(o for rows in found for o in self._inputs(rows, seen)))
            origins[ids[position]] = self._add("expand", row["name"], inputs, None)
        return Made(ids, origins)

    def _generated(self, node: Node, child: Made, seen: Mapping[int, tuple[Origin, ...]]) -> Made:
        rows = node.expression("generator") or []
        inputs = tuple(dict.fromkeys(self._inputs(rows, seen)))
        new = node.output("generatorOutput")
        made = {expr_id(row): self._add("generate", row["name"], inputs, rows) for row in new}
        return Made(child.output + attribute_ids(new), {**child.origins, **made})

    def _inputs(self, found: Any, seen: Mapping[int, tuple[Origin, ...]]) -> Iterator[Origin]:
        """The origins of all attributes in an expression, those of its subqueries too."""
        for row in found:
            name = kind(row)
            if name == "AttributeReference":
                yield from seen.get(expr_id(row), ())
            elif name == "OuterReference" and "e" in row:
                yield from self._inputs(as_rows(row["e"]), seen)
            elif isinstance(row.get("plan"), list):
                made = self._fold(parse(row["plan"]), seen)
                for number in made.output:
                    yield from made.origins.get(number, ())

    def _add(
        self, verb: str, column: str, inputs: tuple[Origin, ...], rows: Rows | None
    ) -> tuple[Origin, ...]:
        if len(self._steps) >= MOST_OPERATIONS:
            raise TooMany
        origin = Origin(self._name(f"{verb} {column}"), column)
        self._steps[origin] = Step(None, inputs, rows, verb)
        return (origin,)

    def _name(self, wanted: str) -> str:
        """`wanted`, with a number behind it where it is taken."""
        count = self._names[wanted] = self._names.get(wanted, 0) + 1
        return wanted if count == 1 else f"{wanted} {count}"

    # What is told -----------------------------------------------------------------------------

    def _needed(self, origins: list[Origin]) -> Iterator[Json]:
        order: dict[Origin, None] = {}
        stack = [(origin, False) for origin in reversed(origins)]
        while stack:
            origin, inputs_done = stack.pop()
            if inputs_done:
                order[origin] = None
            elif origin not in order:
                stack.append((origin, True))
                stack.extend((found, False) for found in self._steps[origin].inputs)
        reads: dict[str, Json] = {}
        for origin in order:
            step = self._steps[origin]
            if step.dataset is not None:
                if origin.operation in reads:
                    reads[origin.operation]["outputs"]["fields"].append(origin.name)
                    continue
                reads[origin.operation] = {
                    "name": origin.operation,
                    "description": f"read {step.dataset.name}",
                    "inputs": {"endPoint": step.dataset._asdict()},
                    "outputs": {"fields": [origin.name]},
                }
        yield from reads.values()
        for origin in order:
            step = self._steps[origin]
            if step.dataset is None:
                text = words(step.expression) if step.expression else step.verb
                yield {
                    "name": origin.operation,
                    "description": text,
                    "inputs": {"fields": [found._asdict() for found in _as_inputs(step.inputs)]},
                    "outputs": {"fields": [origin.name]},
                }


def _as_inputs(origins: Iterable[Any]) -> list[Any]:
    """Origins with the keys that an input has: `origin` is the operation."""
    return [_Input(found.operation, found.name) for found in dict.fromkeys(origins)]


class _Input(NamedTuple):
    origin: str
    name: str


def _renumbered(output: tuple[int, ...], found: list[Made]) -> Made:
    """Attributes by position: each is what stands there in any of `found`."""
    origins = {}
    for position, number in enumerate(output):
        at = [made.output[position] for made in found if position < len(made.output)]
        every = [origin for made, n in zip(found, at) for origin in made.origins.get(n, ())]
        origins[number] = tuple(dict.fromkeys(every))
    return Made(output, origins)
