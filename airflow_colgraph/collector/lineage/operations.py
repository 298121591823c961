"""The READ, TRANSFORM and WRITE operations that a query's output is made by. Pure.

As in CDAP's field lineage: an operation has a name, a description (here the expression), inputs as
(the operation a field comes from, its name) and outputs. Only what the output needs is kept: an
operation is one computed column, and what is computed but not written is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.collector.lineage.frame import attribute_ids, is_attribute
from airflow_colgraph.collector.lineage.operation_steps import Origin, Origins, Steps
from airflow_colgraph.collector.lineage.query_lineage import QueryLineage
from airflow_colgraph.collector.lineage.rules.row_level import (
    Clause,
    column_names,
    delta_clauses,
    delta_update,
    instructions,
    without_choice,
)
from airflow_colgraph.collector.lineage.rules.variables import VARIABLES, variable_of
from airflow_colgraph.collector.model import Dataset, Field
from airflow_colgraph.collector.openlineage import Operation
from airflow_colgraph.collector.plan import (
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
NAMED = {
    "Project": "projectList",
    "Aggregate": "aggregateExpressions",
    "Window": "windowExpressions",
    "SerializeFromObject": "serializer",
}
REWRITTEN = frozenset({"ReplaceData", "WriteDelta"})  # folded without the rows that stay


class NodeOrigins(NamedTuple):
    """A node's answer: its output in order, and where each attribute comes from."""

    output: tuple[int, ...]
    origins: Mapping[int, Origins]


class Operations:
    """The operations of one query, found by one fold over its plan."""

    def __init__(self, lineage: QueryLineage) -> None:
        """With the lineage of the query: its sources, and the checkpoints that it starts from."""
        self._reads = lineage.sources.reads
        self._expansions = lineage.sources.expansions
        self._origins = lineage.sources.origins
        self._known = lineage.checkpoints
        self._variables = lineage.variables
        self._notes = lineage.sources.notes
        self._steps = Steps()
        self._ctes: dict[int, NodeOrigins] = {}
        self._columns: list[str] = []

    def of(self, plan: Rows, dataset: Dataset, columns: Iterable[str]) -> list[Operation]:
        """The operations that write `columns` to `dataset`, each after those that it needs."""
        self._columns = list(columns)
        made = self._fold(parse(plan), {})
        found = zip(self._columns, made.output)
        written = [origin for _, number in found for origin in made.origins.get(number, ())]
        return self._steps.emitted(written, dataset)

    # The fold ---------------------------------------------------------------------------------

    def _fold(self, root: Node, outer: Mapping[int, Origins]) -> NodeOrigins:
        answers: dict[int, NodeOrigins] = {}
        for node in bottom_up(root, REWRITTEN):
            closed = node.kind in REWRITTEN
            children = [] if closed else [answers.pop(id(child)) for child in node.children]
            answers[id(node)] = self._node(node, children, outer)
        return answers[id(root)]

    def _node(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        rule = OPERATIONS.get(node.kind)
        if rule is not None:
            return rule(self, node, children, outer)
        if not children:
            return self._leaf(node, children, outer)
        return self._passed_on(node, children, outer)

    def _passed_on(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        """What the children have; an attribute that none of them has is made of all of theirs."""
        output = node.output() or node.output("outputObjAttr")
        seen = _seen(children, outer)
        ids = tuple(number for child in children for number in child.output)
        if not output:
            return NodeOrigins(ids, seen)
        every = tuple(dict.fromkeys(o for number in ids for o in seen.get(number, ())))
        origins = {
            expr_id(row): seen.get(expr_id(row))
            or self._steps.computed(node.kind.lower(), row["name"], every)
            for row in output
        }
        return NodeOrigins(attribute_ids(output), origins)

    def _inline(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        output = node.output()
        rows = node.row.get("rows") or self._expansions.get(attribute_ids(output))
        if rows:
            return self._projected("compute", output, rows, {})
        return self._leaf(node, children, outer)

    def _cte_definition(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        self._ctes[node.row["id"]] = children[0]
        return children[0]

    def _cte_reference(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        found = self._ctes.get(node.row["cteId"]) if "cteId" in node.row else None
        return _renumbered(attribute_ids(node.output()), [found] if found else [])

    def _first(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        return children[0]

    def _last(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        return children[-1]

    def _union(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        loop = tuple(found["id"] for found in node.row.get("outputAttrIds") or ())
        return _renumbered(loop or children[0].output, children)

    def _named(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        items = node.expressions(NAMED[node.kind])
        kept = children[0].output if node.kind == "Window" else ()
        return self._computed(node, items, kept, _seen(children, outer))

    def _lateral(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        seen = _seen(children, outer)
        right = self._fold(parse((node.expression("right") or [])[0]["plan"]), seen)
        return NodeOrigins(children[0].output + right.output, {**seen, **right.origins})

    def _expanded(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        rows = self._expansions.get(attribute_ids(node.output()), [])
        return self._projected("expand", node.output(), rows, _seen(children, outer))

    def _leaf(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        kind, output = node.kind, node.output()
        ids = attribute_ids(output)
        origins: dict[int, Origins] = {}
        if kind == "LogicalRDD" and ids in self._known:
            for number, edges in zip(ids, self._known[ids].columns):
                fields = (found for each in edges.values() for found in each)
                origins[number] = self._far(fields, "before a checkpoint")
            return NodeOrigins(ids, origins)
        names = [
            (dataset, self._steps.name(f"read {dataset.name}"))
            for dataset in self._reads.get(ids, ())
        ]
        behind = kind == "LogicalRDD" and self._far(self._origins.get(ids, ()), "from an RDD")
        for row in output:
            if behind:
                origins[expr_id(row)] = behind
                continue
            origins[expr_id(row)] = tuple(
                self._steps.read(name, dataset, row["name"]) for dataset, name in names
            )
        return NodeOrigins(ids, origins)

    def _far(self, fields: Iterable[Field], where: str) -> Origins:
        """Fields that were read by an earlier query, as they stand there."""
        origins = (
            self._steps.read(f"read {dataset.name} {where}", dataset, path[0])
            for dataset, path in fields
        )
        return tuple(dict.fromkeys(origins))

    def _computed(
        self,
        node: Node,
        items: list[Rows],
        kept: tuple[int, ...],
        seen: Mapping[int, Origins],
    ) -> NodeOrigins:
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
                inputs = tuple(dict.fromkeys(self._inputs(rows, seen)))
                verb = "rename" if bare else VERBS.get(node.kind, node.kind.lower())
                origins[number] = self._steps.computed(verb, name, inputs, rows)
        return NodeOrigins(tuple(output), origins)

    def _projected(
        self,
        verb: str,
        output: list[Row],
        projections: Iterable[list[Any]],
        seen: Mapping[int, Origins],
    ) -> NodeOrigins:
        ids = attribute_ids(output)
        origins = {}
        for position, row in enumerate(output):
            found = [as_rows(projection[position]) for projection in projections]
            made = [rows for rows in found if kind(rows[0]) != "Literal"]
            inputs = tuple(dict.fromkeys(o for rows in made for o in self._inputs(rows, seen)))
            bare = made and all(is_attribute(rows) for rows in made)
            origins[ids[position]] = (
                inputs if bare else self._steps.computed(verb, row["name"], inputs, *made)
            )
        return NodeOrigins(ids, origins)

    def _generated(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        (child,) = children
        seen = _seen(children, outer)
        rows = node.expression("generator") or []
        inputs = tuple(dict.fromkeys(self._inputs(rows, seen)))
        new = node.output("generatorOutput")
        made = {
            expr_id(row): self._steps.computed("generate", row["name"], inputs, rows) for row in new
        }
        return NodeOrigins(child.output + attribute_ids(new), {**child.origins, **made})

    def _inputs(self, found: Any, seen: Mapping[int, Origins]) -> Iterator[Origin]:
        """The origins of all attributes in an expression, those of its subqueries too."""
        for row in found:
            name = kind(row)
            if name == "AttributeReference":
                yield from seen.get(expr_id(row), ())
            elif name == "BoundReference":
                yield from (origin for origins in seen.values() for origin in origins)
            elif name in VARIABLES and (variable := variable_of(row, self._variables)):
                known = self._variables[variable].value.values()
                yield from self._far(
                    (field for fields in known for field in fields), "in a variable"
                )
            elif name in OUTER and "e" in row:
                yield from self._inputs(as_rows(row["e"]), seen)
            elif isinstance(row.get("plan"), list):
                made = self._fold(parse(row["plan"]), seen)
                for number in made.output:
                    yield from made.origins.get(number, ())

    # MERGE, UPDATE and DELETE -----------------------------------------------------------------

    def _merged(
        self, names: Iterable[str], clauses: Iterable[Clause], seen: Mapping[int, Origins]
    ) -> NodeOrigins:
        """Columns that clauses put something into, by position."""
        found = list(names)
        columns: list[list[Rows]] = [[] for _ in found]
        for clause in clauses:
            for column, rows in zip(columns, clause.values):
                column.append(rows)
        origins = {}
        for position, (name, column) in enumerate(zip(found, columns)):
            inputs = tuple(dict.fromkeys(o for rows in column for o in self._inputs(rows, seen)))
            bare = all(is_attribute(rows) for rows in column)
            origins[~position] = (
                inputs if bare else self._steps.computed("change", name, inputs, *column)
            )
        return NodeOrigins(tuple(origins), origins)

    def _delta_merge(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        source, target = (self._fold(parse(node.row[name]), outer) for name in ("source", "target"))
        clauses = list(delta_clauses(node.row, self._notes))
        if not any(clause.values for clause in clauses):  # rows are only deleted
            return target
        return self._merged(self._columns, clauses, {**source.origins, **target.origins})

    def _delta_update(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        target = self._fold(parse(node.row["target"]), outer)
        return self._merged(self._columns, [delta_update(node, self._notes)], target.origins)

    def _delete(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        return children[0] if children else self._fold(parse(node.row["target"]), outer)

    def _merge_rows(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        names = [str(row["name"]) for row in node.output()]
        made = self._merged(
            names, instructions(node, self._notes), {**outer, **children[0].origins}
        )
        return _renumbered(attribute_ids(node.output()), [made])

    def _rewritten(
        self, node: Node, children: list[NodeOrigins], outer: Mapping[int, Origins]
    ) -> NodeOrigins:
        """The table's columns, by name, among those of the query that writes its rows again."""
        child, _ = without_choice(node.children[0], self._notes)
        made = self._fold(child, outer)
        found = dict(zip(column_names(child), made.output))
        (table, *_) = as_rows(node.row["table"])
        columns = [items[0] for items in map(as_rows, table["output"])]
        origins = {
            expr_id(row): made.origins.get(found[row["name"]], ())
            if row["name"] in found
            else self._far(self._own(row), "as it is")
            for row in columns
        }
        return NodeOrigins(tuple(origins), origins)

    def _own(self, row: Row) -> Iterator[Field]:
        """A column of the table that is written, where it is read too."""
        for ids, datasets in self._reads.items():
            if expr_id(row) in ids:
                yield from (Field(dataset, (row["name"],)) for dataset in datasets)


Rule = Callable[[Operations, Node, "list[NodeOrigins]", Mapping[int, Origins]], NodeOrigins]

OPERATIONS: dict[str, Rule] = {
    **dict.fromkeys(NAMED, Operations._named),
    **dict.fromkeys(("CTERelationRef", "UnionLoopRef"), Operations._cte_reference),
    **dict.fromkeys(("Intersect", "Except"), Operations._first),
    **dict.fromkeys(("LocalRelation", "ResolvedInlineTable"), Operations._inline),
    **dict.fromkeys(("Union", "UnionLoop"), Operations._union),
    "CTERelationDef": Operations._cte_definition,
    "Expand": Operations._expanded,
    "Generate": Operations._generated,
    "LateralJoin": Operations._lateral,
    "WithCTE": Operations._last,
    "MergeIntoCommand": Operations._delta_merge,
    "UpdateCommand": Operations._delta_update,
    "DeleteCommand": Operations._delete,
    "DeleteFromTable": Operations._delete,
    "MergeRows": Operations._merge_rows,
    "ReplaceData": Operations._rewritten,
    "WriteDelta": Operations._rewritten,
}


def is_column(row: Row) -> bool:
    """Whether an expression is a bare column, of the query or of one around it."""
    return kind(row) == "AttributeReference" or kind(row) in OUTER


LEAVES = {"DataSourceV2Relation", "HiveTableRelation", "LogicalRDD", "LogicalRelation"}

# Nodes with a rule in NODES that pass on what their children have, or make all of all.
PASSED_ON = {
    *("AsOfJoin", "Deduplicate", "DeduplicateWithinWatermark", "Distinct", "Filter", "Join"),
    *("Sample", "Sort", "TypedFilter"),
    *("AppendColumns", "AttachDistributedSequence", "CoGroup", "CreateVariable"),
    *("DeserializeToObject", "FlatMapGroupsWithState", "MapElements", "MapGroups"),
    *("FlatMapCoGroupsInArrow", "FlatMapCoGroupsInPandas", "FlatMapGroupsInArrow"),
    *("FlatMapGroupsInPandas", "FlatMapGroupsInPandasWithState", "MapInArrow", "MapInPandas"),
    *("MapPartitions", "ScriptTransformation", "TransformWithState"),
    *("TransformWithStateInPandas", "TransformWithStateInPySpark"),
}


def _seen(children: Iterable[NodeOrigins], outer: Mapping[int, Origins]) -> dict[int, Origins]:
    """What the expressions above some nodes can name: their attributes, and outer ones."""
    seen = dict(outer)
    for child in children:
        seen.update(child.origins)
    return seen


def _renumbered(output: tuple[int, ...], found: list[NodeOrigins]) -> NodeOrigins:
    """Attributes by position: each is what stands there in any of `found`."""
    origins = {}
    for position, number in enumerate(output):
        at = [made.output[position] for made in found if position < len(made.output)]
        every = [origin for made, n in zip(found, at) for origin in made.origins.get(n, ())]
        origins[number] = tuple(dict.fromkeys(every))
    return NodeOrigins(output, origins)
