"""Which fields each output column of a query comes from: the fold over a plan's nodes. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from time import thread_time
from typing import Any, NamedTuple

from airflow_colgraph.collector.lineage.descriptions import Descriptions
from airflow_colgraph.collector.lineage.digests import Digests
from airflow_colgraph.collector.lineage.frame import EMPTY, Frame, side_by_side
from airflow_colgraph.collector.lineage.query_lineage import (
    Diagnostics,
    QueryLineage,
    fields_of,
)
from airflow_colgraph.collector.lineage.sources import DEFAULTS, Options, Sources
from airflow_colgraph.collector.lineage.transformations import (
    FILTER,
    IDENTITY,
    TRANSFORMATION,
    Inputs,
    bits,
    union,
)
from airflow_colgraph.collector.lineage.unknown import missing_fields
from airflow_colgraph.collector.lineage.values import NOTHING, SOURCELESS, Value, members_of
from airflow_colgraph.collector.model import (
    Dataset,
    Edges,
    Field,
    Ids,
    KnownFrame,
    KnownLineage,
    Path,
    Variable,
)
from airflow_colgraph.collector.plan import Node, Row, Rows, bottom_up, expr_id, parse
from airflow_colgraph.collector.registry import Registry
from airflow_colgraph.openlineage.redaction import exception_text

LAZY = frozenset(
    {"ReplaceData", "Sample", "UnionLoop", "WriteDelta"}
)  # their rules evaluate the children themselves


NodeRule = Callable[[Node, "list[Frame]", "Resolution"], Frame]
"""What a plan node makes of its children's frames."""

NODES: Registry[NodeRule] = Registry()


UNKNOWN_COLUMNS = "columns without inputs"  # that are not shown to come from no column


class OverBudget(Exception):
    """The time that one query may take is spent."""


def resolve(
    plan: Rows, sources: Sources, options: Options = DEFAULTS, failures: Iterable[str] = ()
) -> QueryLineage:
    """Resolve a query's plan.

    Args:
        plan: The JSON of the analyzed plan as Spark's `TreeNode.toJSON` writes it: a list of
            objects, one a node, in pre-order, each with `class` and `num-children`. Empty if
            there is no plan.
        sources: The datasets behind the plan's leaves, and the lineage of earlier queries that it
            starts from.
        options: The masking functions, the deadline (of `time.thread_time`, in seconds), and
            whether edges get descriptions.
        failures: Errors that occurred while the plan was read.

    Returns:
        The lineage: for each attribute of the root's output, the fields that it comes from, as bits
        into `fields` by transformation (type and subtype of `columnLineage` 1-2-0), the fields that
        affect which rows exist, and the diagnostics. It never raises: a rule that fails leaves an
        empty frame and its error in the diagnostics, an exceeded deadline an empty frame and
        `truncated` (see `conservative`).
    """
    resolution = Resolution(sources, options)
    truncated = ""
    failed = [*failures]
    frame = EMPTY
    try:
        frame = resolution.resolve(plan) if plan else EMPTY
    except OverBudget as error:
        truncated = f"the query budget was exceeded at {error}: columns come from all inputs"
    except Exception as error:  # noqa: BLE001 - the event reports it, with what is known
        failed.append(exception_text(error))
    unknown = sum(not value.inputs for value in frame.in_order())
    if unknown and not resolution.unresolved:
        resolution.unresolved[UNKNOWN_COLUMNS] += unknown
    return QueryLineage(
        frame,
        tuple(resolution.fields),
        sources,
        Diagnostics(dict(resolution.unresolved), dict(resolution.opaque), tuple(failed), truncated),
        resolution.checkpoints_read,
        resolution.variables_read,
        resolution.descriptions,
        resolution.digests,
    )


class Resolution:
    """A query that is being resolved: what its rules are handed, and what they have found so far.

    Rules read `sources` and `options`, which never change; they count classes that they cannot
    resolve in `unresolved` and `opaque`.
    """

    def __init__(self, sources: Sources, options: Options = DEFAULTS) -> None:
        """Nothing is resolved yet."""
        self.sources = sources
        self.options = options
        self.unresolved: Counter[str] = Counter()
        self.opaque: Counter[str] = Counter()
        self.descriptions = Descriptions() if options.descriptions else None
        self.digests = Digests() if options.digests else None
        self.described = [each for each in (self.descriptions, self.digests) if each is not None]
        self.ctes: dict[int, Frame] = {}
        self.common: list[Value] = []  # of `With` expressions, the innermost last
        self.outer: Scope | None = None
        self.fields: list[Field] = []
        self.checkpoints_read: dict[Ids, KnownFrame] = {}
        self.variables_read: dict[Variable, KnownLineage] = {}
        self.partitioned: dict[int, tuple[Node, Inputs]] = {}  # by a repartition's id, and the keys
        self._numbers: dict[Field, int] = {}

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
            if thread_time() > self.options.deadline:
                raise OverBudget(node.kind)
            self.unresolved.update(missing_fields(node.kind, node.row))
            rule = NODES.rule(node.kind)
            frames = [] if node.kind in LAZY else [answers.pop(id(c)) for c in node.children]
            answers[id(node)] = rule(node, frames, self)
            if self.digests is not None:
                self.digests.observe(node, frames, self._names_of)
        return answers[id(root)]

    def _names_of(self, frame: Frame) -> set[str]:
        """The last parts of the names of the datasets behind a frame."""
        members = union(value.inputs for value in frame.in_order()).values()
        datasets = {self.fields[bit].dataset for fields in members for bit in bits(fields)}
        return {re.split(r"[/.]", dataset.name)[-1] for dataset in datasets}

    def masks(self, name: str, row: Row) -> bool:
        """Whether the user's list of masking functions names this one."""
        if not self.options.masking:
            return False
        names = (name, row.get("name"), row.get("udfName"))
        return any(isinstance(text, str) and text.lower() in self.options.masking for text in names)

    def number(self, field: Field) -> int:
        """The bit that stands for a field in this resolution."""
        number = self._numbers.get(field)
        if number is None:
            number = self._numbers[field] = len(self.fields)
            self.fields.append(field)
        return number

    def source(self, ids: Ids, output: list[Row]) -> dict[int, Value] | None:
        """The values of a relation's attributes, or None for an unknown relation.

        Rows of no dataset are generated.
        """
        datasets = self.sources.reads.get(ids)
        if datasets is None:
            return None
        if not datasets:
            return dict.fromkeys(ids, SOURCELESS)
        return {
            expr_id(row): self.column(datasets, (row["name"],), row.get("dataType"))
            for row in output
        }

    def rdd(self, ids: Ids, kind: str) -> Frame | None:
        """What a leaf's RDD holds, or None if it is unknown: a frame's columns by position."""
        frame = self.sources.known.get(ids)
        if frame is None:
            if ids not in self.sources.origins:
                return None
            self.opaque[kind] += 1
            self.unresolved.update(self.sources.unknown_origins.get(ids, ()))
            return self.made_of_all(ids, self.sources.origins[ids])
        if ids not in self.checkpoints_read:
            self.checkpoints_read[ids] = frame
            self.unresolved.update(dict(frame.unresolved))
            self.opaque.update(dict(frame.opaque))
        if len(frame.columns) != len(ids):  # its query's budget was spent
            self.unresolved[kind] += 1
            return self.made_of_all(ids, fields_of(frame.reads))
        columns = (Value(self.encoded(edges)) for edges in frame.columns)
        return Frame(ids, dict(zip(ids, columns)), self.encoded(frame.rows))

    def made_of_all(self, ids: Ids, fields: tuple[Field, ...]) -> Frame:
        """A leaf with the lineage of its columns only: it may lack some rows."""
        everything = Value(self.encoded({TRANSFORMATION: fields}))
        return Frame(ids, dict.fromkeys(ids, everything), self.encoded({FILTER: fields}))

    def variable(self, name: Variable) -> Value:
        """What a variable was last set from, and what affected the row that it was taken of."""
        value = self.sources.variables.get(name)
        if value is None:
            self.unresolved["VariableReference"] += 1
            return NOTHING
        self.variables_read[name] = value
        return Value(union((self.encoded(value.value), self.encoded(value.rows))))

    def arguments(self) -> Value:
        """What any literal may come from, where an EXECUTE IMMEDIATE has put variables in."""
        names = self.sources.notes.arguments
        self.opaque["UnresolvedExecuteImmediate"] = 1
        variables = [name for name in self.sources.variables if name[1] in names]
        return Value(union(self.variable(name).inputs for name in variables))

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
            inputs[transformation] = 0
            for field in fields:
                inputs[transformation] |= 1 << self.number(field)
        return inputs


class Scope(NamedTuple):
    """The attributes that an expression can see."""

    values: Mapping[int, Value]
    query: Resolution
    node: Node
    outer: Scope | None = None

    def attribute(self, row: Row) -> Value:
        """The value of an attribute; one that is undefined is counted, never dropped silently."""
        number = expr_id(row)
        scope: Scope | None = self
        while scope is not None:
            value = scope.values.get(number)
            if value is not None:
                return value
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
