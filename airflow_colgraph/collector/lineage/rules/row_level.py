"""MERGE, UPDATE and DELETE as plan nodes: what the rows that they write come from. Pure.

What the lineage of such a command is, whichever table format runs it:

* Each column comes from what the clauses put there; one that an update leaves alone comes from
  itself. Rows that the command leaves alone are no lineage, as those that an append leaves alone.
* The ON condition is JOIN. Of the clauses of a kind, such as WHEN MATCHED, the first whose
  condition holds takes a row: what a clause does depends on its condition and on those before it.
  They are CONDITIONAL for the columns that an UPDATE sets, and FILTER for INSERT and DELETE, which
  decide whether there is a row.
* The WHERE of UPDATE and DELETE is FILTER.
* A bare column that Spark itself casts to the table's type is still the same value: IDENTITY.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from airflow_colgraph.collector.lineage.evaluation import evaluate, inputs_of
from airflow_colgraph.collector.lineage.frame import Frame, attribute_ids, side_by_side
from airflow_colgraph.collector.lineage.insert_casts import fitted_at
from airflow_colgraph.collector.lineage.resolution import NODES, Resolution, Scope, scope_of
from airflow_colgraph.collector.lineage.rules.relational import indirect_inputs
from airflow_colgraph.collector.lineage.transformations import (
    CONDITIONAL,
    FILTER,
    JOIN,
    through,
)
from airflow_colgraph.collector.lineage.values import NOTHING, Value, joined, with_indirect
from airflow_colgraph.collector.model import Place, PlanNotes
from airflow_colgraph.collector.plan import (
    Node,
    Row,
    Rows,
    as_rows,
    expr_id,
    flatten,
    kind,
    name_of,
    parse,
)
from airflow_colgraph.collector.registry import register


class Clause(NamedTuple):
    """One clause: what it does, when, and what it puts into the columns, in the table's order."""

    act: str  # update, insert, delete
    conditions: list[Rows]  # its own after those of earlier clauses of its kind
    values: list[Rows]


def merged(
    clauses: Iterable[Clause], width: int, kept: tuple[int, ...], scope: Scope
) -> tuple[list[Value], list[Rows]]:
    """The columns that the clauses make, and the conditions that affect rows.

    `kept` are the ids of the target's own columns: what an update leaves alone.
    """
    columns: list[list[Value]] = [[] for _ in range(width)]
    deciding_on_rows = []
    for clause in clauses:
        choice = through(CONDITIONAL, (inputs_of(rows, scope) for rows in clause.conditions))
        if clause.act != "update":
            deciding_on_rows += clause.conditions
        for position, rows in enumerate(clause.values[:width]):
            value = evaluate(rows, scope)
            is_chosen = clause.act == "update" and not is_kept(rows, position, kept)
            columns[position].append(with_indirect(value, choice) if is_chosen else value)
    return [joined(column) for column in columns], deciding_on_rows


def is_kept(rows: Rows, position: int, kept: tuple[int, ...]) -> bool:
    """Whether an update puts the column's own value there."""
    own = position < len(kept) and len(rows) == 1 and kind(rows[0]) == "AttributeReference"
    return own and expr_id(rows[0]) == kept[position]


# Delta ----------------------------------------------------------------------------------------

CLAUSES = ("matchedClauses", "notMatchedClauses", "notMatchedBySourceClauses")


def delta_clauses(row: Row, notes: PlanNotes) -> Iterator[Clause]:
    """The clauses of Delta's MergeIntoCommand."""
    for name in CLAUSES:
        conditions: list[Rows] = []
        for item, rows in enumerate(map(as_rows, row.get(name) or [])):
            act = next(act for act in ("Insert", "Delete", "Update") if act in kind(rows[0]))
            values = [
                fitted_at(Place(name, item, (index, 0)), flatten(child.children[0]), notes)
                for index, child in enumerate(parse(rows).children)
                if child.kind == "DeltaMergeAction"
            ]
            conditions = [*conditions, rows[0].get("condition") or []]
            yield Clause(act.lower(), conditions, values)


@register(NODES, "MergeIntoCommand")
def _delta_merge(node: Node, children: list[Frame], query: Resolution) -> Frame:
    source, target = query.resolve(node.row["source"]), query.resolve(node.row["target"])
    both = side_by_side([source, target])
    scope = scope_of(node, [both], query)
    clauses = list(delta_clauses(node.row, query.sources.notes))
    width = max([len(clause.values) for clause in clauses] + [len(target.output)])
    values, conditions = merged(clauses, width, target.output, scope)
    if not any(clause.values for clause in clauses):  # rows are only deleted
        values = list(target.in_order())
    output = tuple(range(-width, 0))
    return Frame(output, dict(zip(output, values)), both.rows).with_row_filters(
        indirect_inputs(JOIN, [node.expression("condition")], scope),
        indirect_inputs(FILTER, conditions, scope),
    )


def delta_update(node: Node, notes: PlanNotes) -> Clause:
    """Delta's UpdateCommand as a clause; its WHERE is that of the whole command."""
    name = "updateExpressions"
    columns = enumerate(node.expressions(name))
    return Clause("update", [], [fitted_at(Place(name, at), rows, notes) for at, rows in columns])


@register(NODES, "UpdateCommand")
def _delta_update(node: Node, children: list[Frame], query: Resolution) -> Frame:
    target = query.resolve(node.row["target"])
    scope = scope_of(node, [target], query)
    values = [evaluate(rows, scope) for rows in delta_update(node, query.sources.notes).values]
    frame = Frame(target.output, dict(zip(target.output, values)), target.rows)
    return frame.with_row_filters(indirect_inputs(FILTER, [node.expression("condition")], scope))


@register(NODES, "DeleteCommand", "DeleteFromTable")
def _delete(node: Node, children: list[Frame], query: Resolution) -> Frame:
    target = children[0] if children else query.resolve(node.row["target"])
    scope = scope_of(node, [target], query)
    return target.with_row_filters(indirect_inputs(FILTER, [node.expression("condition")], scope))


# Spark's own rewriting ------------------------------------------------------------------------

INSTRUCTIONS = ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions")


def instructions(node: Node, notes: PlanNotes) -> Iterator[Clause]:
    """The clauses of a MergeRows: Keep(condition, output), Split for two rows, Discard."""
    for name in INSTRUCTIONS:
        conditions: list[Rows] = []
        for item, rows in enumerate(node.expressions(name)):
            instruction = parse(rows)
            condition = flatten(instruction.children[0])
            values = [
                fitted_at(Place(name, item, (index,)), flatten(child), notes)
                for index, child in enumerate(instruction.children[1:], 1)
            ]
            act = "insert" if name.startswith("notMatchedInst") else "update"
            if instruction.kind.endswith("Discard"):
                act, values = "delete", []
            elif instruction.kind.endswith("Split"):  # the old row goes, this one comes
                values = values[-len(instruction.row["otherOutput"]) :]
            else:
                context = str((instruction.row.get("context") or {}).get("object", ""))
                if context.endswith("Delete$"):
                    act, values = "delete", []
                elif context.endswith("Copy$"):
                    continue
            conditions = [*conditions, condition]
            yield Clause(act, conditions, values)


def target_ids(node: Node) -> dict[str, int]:
    """The ids of the target's columns by name: the side that is marked as the target's."""
    stack = [node]
    while stack:
        below = stack.pop()
        items = below.expressions("projectList") if below.kind == "Project" else []
        names = {name_of(rows[0]): expr_id(rows[0]) for rows in items}
        if "__row_from_target" in names:
            return names
        stack.extend(below.children)
    return {}


@register(NODES, "MergeRows")
def _merge_rows(node: Node, children: list[Frame], query: Resolution) -> Frame:
    (child,) = children
    scope = scope_of(node, children, query)
    own = target_ids(node.children[0])
    rows = node.output()
    kept = tuple(own.get(str(row["name"]), -1) for row in rows)
    values, conditions = merged(instructions(node, query.sources.notes), len(rows), kept, scope)
    output = attribute_ids(rows)
    frame = Frame(output, dict(zip(output, values)), child.rows)
    return frame.with_row_filters(indirect_inputs(FILTER, conditions, scope))


def without_choice(node: Node, notes: PlanNotes) -> tuple[Node, list[Rows]]:
    """The query of an UPDATE, each column as the rows that it changes have it, and its WHERE.

    Spark writes whole files again: `if (where) new else old` for each column, or the union of the
    rows that change with those that do not.
    """
    if node.kind != "Project":
        return node, []
    (child,) = node.children
    items, conditions = [], []
    for rows in node.expressions("projectList"):
        if len(rows) > 1 and kind(rows[1]) == "If":
            condition, new, _ = parse(rows[1:]).children
            conditions.append(flatten(condition))
            place = Place("projectList", expr_id(rows[0]), (0, 1))
            rows = [rows[0], *fitted_at(place, flatten(new), notes)]
        items.append(rows)
    if child.kind == "Union":
        child = child.children[0]
    child, below = without_choice(child, notes) if child.kind == "Project" else (child, [])
    changed = node._replace(row={**node.row, "projectList": items}, children=(child,))
    return changed, [*conditions, *below]


def column_names(node: Node) -> list[str]:
    """The names of a node's output columns."""
    rows = [items[0] for items in node.expressions("projectList")] or node.output()
    return [name_of(row) for row in rows]


@register(NODES, "ReplaceData", "WriteDelta")
def _rewritten(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """The table's columns, by name, among what the rewriting query has: rows' places too."""
    child, conditions = without_choice(node.children[0], query.sources.notes)
    frame = query.evaluate(child)
    new_values = dict(zip(column_names(child), frame.in_order()))
    (table, *_) = as_rows(node.row["table"])
    columns = [items[0] for items in map(as_rows, table["output"])]
    ids = attribute_ids(columns)
    values = {
        number: new_values.get(str(row["name"])) or own_value(number, row, query)
        for number, row in zip(ids, columns)
    }
    scope = Scope({**own_values(columns, query), **frame.values}, query, node, query.outer)
    return Frame(ids, values, frame.rows).with_row_filters(
        indirect_inputs(FILTER, conditions, scope)
    )


def own_value(number: int, row: Row, query: Resolution) -> Value:
    """A column of the table itself: a DELETE that writes only places leaves all as they are."""
    for ids, datasets in query.sources.reads.items():
        if number in ids:
            return query.column(datasets, (row["name"],), row.get("dataType"))
    return NOTHING


def own_values(columns: list[Row], query: Resolution) -> dict[int, Value]:
    """All columns of the table itself, by id."""
    return {expr_id(row): own_value(expr_id(row), row, query) for row in columns}
