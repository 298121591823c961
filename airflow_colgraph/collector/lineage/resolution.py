"""Which fields each output column of a query is made of: the fold over a plan's nodes. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple

from airflow_colgraph.collector.lineage.descriptions import Descriptions
from airflow_colgraph.collector.lineage.frame import Frame, side_by_side
from airflow_colgraph.collector.lineage.transformations import (
    IDENTITY,
    NONE,
    TRANSFORMATION,
    Inputs,
    bits,
    union,
)
from airflow_colgraph.collector.lineage.values import NOTHING, Value, members_of
from airflow_colgraph.collector.model import (
    Dataset,
    Edges,
    Field,
    KnownFrame,
    KnownLineage,
    Path,
    Variable,
)
from airflow_colgraph.collector.plan import Node, Row, Rows, bottom_up, expr_id, parse
from airflow_colgraph.collector.registry import Registry

LAZY = frozenset(
    {"ReplaceData", "Sample", "UnionLoop", "WriteDelta"}
)  # their rules evaluate the children themselves


NodeRule = Callable[[Node, "list[Frame]", "Resolution"], Frame]
"""What a plan node makes of its children's frames."""

NODES: Registry[NodeRule] = Registry()


class OverBudget(Exception):
    """The time that one query may take is spent."""


@dataclass
class Resolution:
    """One resolving of one query: what was read, and what has been found so far.

    `reads` maps the attribute ids of a leaf to the datasets behind it; several for a read of
    several paths. `expansions` are the projections of `Expand` nodes, and the rows of inline
    tables that name variables, by their output's ids: JSON has none. `known` are the frames behind
    the `LogicalRDD` leaves that checkpoints and streams' batches have left, by the leaf's attribute
    ids, and `variables` what each was last set from. `origins` are the fields that an RDD was made
    of, nobody knows how.
    """

    reads: Mapping[tuple[int, ...], tuple[Dataset, ...]]
    expansions: Mapping[tuple[int, ...], list[list[Any]]] = field(default_factory=dict)
    origins: Mapping[tuple[int, ...], tuple[Field, ...]] = field(default_factory=dict)
    known: Mapping[tuple[int, ...], KnownFrame] = field(default_factory=dict)
    variables: Mapping[Variable, KnownLineage] = field(default_factory=dict)
    masking: frozenset[str] = frozenset()
    deadline: float = float("inf")
    fields: list[Field] = field(default_factory=list)
    unresolved: Counter[str] = field(default_factory=Counter)
    opaque: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    ctes: dict[int, Frame] = field(default_factory=dict)
    common: list[Value] = field(default_factory=list)
    outer: Scope | None = None
    truncated: str = ""
    recalled: dict[tuple[int, ...], KnownFrame] = field(default_factory=dict)
    variables_read: dict[Variable, KnownLineage] = field(default_factory=dict)
    descriptions: Descriptions | None = None
    _numbers: dict[Field, int] = field(default_factory=dict)

    def resolve(self, plan: Rows, outer: Scope | None = None) -> Frame:
        """The frame of a plan's root; `outer` is what its outer references see."""
        before, self.outer = self.outer, outer
        try:
            return self.evaluate(parse(plan))
        finally:
            self.outer = before

    def evaluate(self, root: Node) -> Frame:
        """The frame of a node: each node's rule called once with its children's frames."""
        answers: dict[int, Frame] = {}
        for node in bottom_up(root, LAZY):
            if monotonic() > self.deadline:
                raise OverBudget(node.kind)
            rule = NODES.rule(node.kind)
            frames = [] if node.kind in LAZY else [answers.pop(id(c)) for c in node.children]
            answers[id(node)] = rule(node, frames, self)
        return answers[id(root)]

    def masks(self, name: str, row: Row) -> bool:
        """Whether the user's list of masking functions names this one."""
        if not self.masking:
            return False
        names = (name, row.get("name"), row.get("udfName"))
        return any(isinstance(found, str) and found.lower() in self.masking for found in names)

    def number(self, found: Field) -> int:
        """The bit that stands for a field in this resolution."""
        number = self._numbers.get(found)
        if number is None:
            number = self._numbers[found] = len(self.fields)
            self.fields.append(found)
        return number

    def source(self, ids: tuple[int, ...], output: list[Row]) -> dict[int, Value] | None:
        """The values of a relation's attributes, or None where nobody knows the relation."""
        datasets = self.reads.get(ids)
        if datasets is None:
            return None
        return {
            expr_id(row): self.column(datasets, (row["name"],), row.get("dataType"))
            for row in output
        }

    def rdd(self, ids: tuple[int, ...]) -> Frame | None:
        """What a `LogicalRDD` holds, or None where nobody knows: a frame's columns by position."""
        known = self.known.get(ids)
        if known is None:
            if ids not in self.origins:
                return None
            self.opaque["LogicalRDD"] += 1
            everything = Value(self.encoded({TRANSFORMATION: self.origins[ids]}))
            return Frame(ids, dict.fromkeys(ids, everything))
        if ids not in self.recalled:
            self.recalled[ids] = known
            self.unresolved.update(dict(known.unresolved))
            self.opaque.update(dict(known.opaque))
        if len(known.columns) != len(ids):
            self.unresolved["LogicalRDD"] += 1
        columns = (Value(self.encoded(edges)) for edges in known.columns)
        values = {**dict.fromkeys(ids, NOTHING), **dict(zip(ids, columns))}
        return Frame(ids, values, self.encoded(known.rows))

    def variable(self, name: Variable) -> Value:
        """What a variable was last set from, and what decided on the row that it was taken of."""
        known = self.variables.get(name)
        if known is None:
            return Value(NONE)
        self.variables_read[name] = known
        return Value(union((self.encoded(known.value), self.encoded(known.rows))))

    def column(self, datasets: tuple[Dataset, ...], path: Path, data_type: Any) -> Value:
        """A column of a dataset that was read, with its members."""
        fields = 0
        for dataset in datasets:
            fields |= 1 << self.number(Field(dataset, path))
        members = {
            part["name"]: self.column(datasets, (*path, part["name"]), part["type"])
            for part in members_of(data_type)
        }
        return Value({IDENTITY: fields}, members or None)

    def encoded(self, edges: Edges) -> Inputs:
        """Fields of another resolution as bits of this one."""
        inputs: Inputs = {}
        for transformation, fields in edges.items():
            for found in fields:
                inputs[transformation] = inputs.get(transformation, 0) | 1 << self.number(found)
        return inputs

    def decoded(self, inputs: Inputs) -> Edges:
        """The inputs as fields rather than bits."""
        return {
            transformation: tuple(self.fields[bit] for bit in bits(fields))
            for transformation, fields in inputs.items()
        }


class Scope(NamedTuple):
    """The attributes that an expression can see."""

    values: Mapping[int, Value]
    query: Resolution
    node: Node
    outer: Scope | None = None

    def attribute(self, row: Row) -> Value:
        """The value of an attribute; one that nobody defined is counted, never silently nothing."""
        number = expr_id(row)
        scope: Scope | None = self
        while scope is not None:
            found = scope.values.get(number)
            if found is not None:
                return found
            scope = scope.outer
        self.query.unresolved[self.node.kind] += 1
        return NOTHING

    def with_variables(self, variables: Mapping[int, Value]) -> Scope:
        """The same scope with a lambda's variables in it."""
        return self._replace(values={**self.values, **variables})

    def subquery(self, plan: Rows) -> Frame:
        """The frame of a plan inside an expression, whose outer attributes are this scope's."""
        return self.query.resolve(plan, self)


def scope_of(node: Node, children: Iterable[Frame], query: Resolution) -> Scope:
    """What the expressions of `node` can see."""
    return Scope(side_by_side(children).values, query, node, query.outer)
