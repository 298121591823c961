"""Where each attribute of a plan comes from, as the steps of the query: one fold over it. Pure.

`operations` has the rules by node class, and turns the steps that an output needs into operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.collector.lineage.frame import attribute_ids, is_attribute
from airflow_colgraph.collector.lineage.operation_steps import Origin, Origins, Steps
from airflow_colgraph.collector.lineage.query_lineage import QueryLineage
from airflow_colgraph.collector.lineage.rules.variables import VARIABLES, variable_of
from airflow_colgraph.collector.model import Field
from airflow_colgraph.collector.plan import (
    HELD,
    OUTER,
    Node,
    Row,
    Rows,
    as_rows,
    bottom_up,
    expr_id,
    kind,
    name_of,
    parse,
)

VERBS = {"Project": "compute", "Aggregate": "aggregate", "Window": "rank", "Generate": "generate"}
REWRITTEN = frozenset({"ReplaceData", "WriteDelta"})  # folded without the rows that stay

Outer = Mapping[int, Origins]
"""The origins of the attributes of the queries around a subquery."""


class NodeOrigins(NamedTuple):
    """The output of a node in order, and the origins of each attribute."""

    output: tuple[int, ...]
    origins: Mapping[int, Origins]


class OriginFold:
    """One fold over the plan of a query; each computed column becomes one of its `steps`."""

    def __init__(
        self, lineage: QueryLineage, columns: Iterable[str], rules: Mapping[str, Rule]
    ) -> None:
        """For a resolved query that writes `columns`, with the rules by node class."""
        self.sources = lineage.sources
        self.expansions = lineage.sources.expansions
        self.notes = lineage.sources.notes
        self.columns = list(columns)
        self.steps = Steps()
        self.ctes: dict[int, NodeOrigins] = {}
        self._rules = rules
        self._known = lineage.checkpoints
        self._variables = lineage.variables

    def origins_of(self, root: Node, outer: Outer) -> NodeOrigins:
        """The origins of a plan's output; `outer` are those of the query around it."""
        answers: dict[int, NodeOrigins] = {}
        for node in bottom_up(root, REWRITTEN):
            closed = node.kind in REWRITTEN
            children = [] if closed else [answers.pop(id(child)) for child in node.children]
            answers[id(node)] = self._node(node, children, outer)
        return answers[id(root)]

    def _node(self, node: Node, children: list[NodeOrigins], outer: Outer) -> NodeOrigins:
        rule = self._rules.get(node.kind)
        if rule is not None:
            return rule(self, node, children, outer)
        if not children:
            return self.leaf(node, children, outer)
        return self._passed_on(node, children, outer)

    def _passed_on(self, node: Node, children: list[NodeOrigins], outer: Outer) -> NodeOrigins:
        """What the children have; an attribute that none of them has comes from all of theirs."""
        output = node.output() or node.output("outputObjAttr")
        seen = visible(children, outer)
        ids = tuple(number for child in children for number in child.output)
        if not output:
            return NodeOrigins(ids, seen)
        every = tuple(dict.fromkeys(o for number in ids for o in seen.get(number, ())))
        origins = {
            expr_id(row): seen.get(expr_id(row))
            or self.steps.computed(node.kind.lower(), row["name"], every)
            for row in output
        }
        return NodeOrigins(attribute_ids(output), origins)

    def leaf(self, node: Node, children: list[NodeOrigins], outer: Outer) -> NodeOrigins:
        """A node that reads: a field of a dataset for each attribute."""
        kind, output = node.kind, node.output()
        ids = attribute_ids(output)
        origins: dict[int, Origins] = {}
        if ids in self._known:
            for number, edges in zip(ids, self._known[ids].columns):
                fields = (field for each in edges.values() for field in each)
                origins[number] = self.earlier_fields(fields, "before a checkpoint")
            return NodeOrigins(ids, origins)
        names = [
            (dataset, self.steps.name(f"read {dataset.name}"))
            for dataset in self.sources.reads.get(ids, ())
        ]
        behind = kind in HELD and self.earlier_fields(
            self.sources.origins.get(ids, ()), "from an RDD"
        )
        for row in output:
            if behind:
                origins[expr_id(row)] = behind
                continue
            origins[expr_id(row)] = tuple(
                self.steps.read(name, dataset, row["name"]) for dataset, name in names
            )
        return NodeOrigins(ids, origins)

    def earlier_fields(self, fields: Iterable[Field], where: str) -> Origins:
        """Fields that were read by an earlier query, as they stand there."""
        origins = (
            self.steps.read(f"read {dataset.name} {where}", dataset, path[0])
            for dataset, path in fields
        )
        return tuple(dict.fromkeys(origins))

    def computed_columns(
        self,
        node: Node,
        items: list[Rows],
        kept: tuple[int, ...],
        seen: Mapping[int, Origins],
    ) -> NodeOrigins:
        """The `kept` attributes of the node below, and a step for each of `items`."""
        origins = {number: seen[number] for number in kept if number in seen}
        output = list(kept)
        for rows in items:
            number = expr_id(rows[0])
            output.append(number)
            bare = is_column(rows[-1]) and len(rows) <= 2
            name = name_of(rows[0])
            if bare and name == name_of(rows[-1]):
                origins[number] = seen.get(expr_id(rows[-1]), ())
            else:
                inputs = tuple(dict.fromkeys(self.inputs(rows, seen)))
                verb = "rename" if bare else VERBS.get(node.kind, node.kind.lower())
                origins[number] = self.steps.computed(verb, name, inputs, rows)
        return NodeOrigins(tuple(output), origins)

    def projected(
        self,
        verb: str,
        output: list[Row],
        projections: Iterable[list[Any]],
        seen: Mapping[int, Origins],
    ) -> NodeOrigins:
        """An output whose columns are, by position, those of several lists of expressions."""
        ids = attribute_ids(output)
        origins = {}
        for position, row in enumerate(output):
            column = [as_rows(projection[position]) for projection in projections]
            computed = [rows for rows in column if kind(rows[0]) != "Literal"]
            inputs = tuple(dict.fromkeys(o for rows in computed for o in self.inputs(rows, seen)))
            bare = computed and all(is_attribute(rows) for rows in computed)
            origins[ids[position]] = (
                inputs if bare else self.steps.computed(verb, row["name"], inputs, *computed)
            )
        return NodeOrigins(ids, origins)

    def inputs(self, rows: Any, seen: Mapping[int, Origins]) -> Iterator[Origin]:
        """The origins of all attributes in an expression, those of its subqueries too."""
        for row in rows:
            name = kind(row)
            if name == "AttributeReference":
                yield from seen.get(expr_id(row), ())
            elif name == "BoundReference":
                yield from (origin for origins in seen.values() for origin in origins)
            elif name in VARIABLES and (variable := variable_of(row, self._variables)):
                values = self._variables[variable].value.values()
                yield from self.earlier_fields(
                    (field for fields in values for field in fields), "in a variable"
                )
            elif name in OUTER and "e" in row:
                yield from self.inputs(as_rows(row["e"]), seen)
            elif isinstance(row.get("plan"), list):
                inner = self.origins_of(parse(row["plan"]), seen)
                for number in inner.output:
                    yield from inner.origins.get(number, ())


Rule = Callable[[OriginFold, Node, "list[NodeOrigins]", Outer], NodeOrigins]
"""From the fold, a node, its children's origins and those around the query to the node's."""


def is_column(row: Row) -> bool:
    """Whether an expression is a bare column, of the query or of one around it."""
    return kind(row) == "AttributeReference" or kind(row) in OUTER


def visible(children: Iterable[NodeOrigins], outer: Outer) -> dict[int, Origins]:
    """The attributes that expressions above some nodes can name: the nodes' and the outer ones."""
    seen = dict(outer)
    for child in children:
        seen.update(child.origins)
    return seen


def by_position(output: tuple[int, ...], children: list[NodeOrigins]) -> NodeOrigins:
    """Attributes with the origins of those at the same position in any of `found`."""
    origins = {}
    for position, number in enumerate(output):
        at = [child.output[position] for child in children if position < len(child.output)]
        every = [origin for child, n in zip(children, at) for origin in child.origins.get(n, ())]
        origins[number] = tuple(dict.fromkeys(every))
    return NodeOrigins(output, origins)
