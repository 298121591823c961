"""The operations of MERGE, UPDATE and DELETE: rules for `operations`. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from airflow_colgraph.collector.lineage.frame import attribute_ids, is_attribute
from airflow_colgraph.collector.lineage.operation_origins import (
    NodeOrigins,
    OriginFold,
    Outer,
    Rule,
    by_position,
)
from airflow_colgraph.collector.lineage.operation_steps import Origins
from airflow_colgraph.collector.lineage.rules.row_level import (
    Clause,
    column_names,
    delta_clauses,
    delta_update,
    instructions,
    without_choice,
)
from airflow_colgraph.collector.model import Field
from airflow_colgraph.collector.plan import Node, Row, Rows, as_rows, expr_id, parse


def _merged(
    fold: OriginFold, names: Iterable[str], clauses: Iterable[Clause], seen: Mapping[int, Origins]
) -> NodeOrigins:
    """Columns that clauses put something into, by position."""
    columns_by_place = list(names)
    columns: list[list[Rows]] = [[] for _ in columns_by_place]
    for clause in clauses:
        for column, rows in zip(columns, clause.values):
            column.append(rows)
    origins = {}
    for position, (name, column) in enumerate(zip(columns_by_place, columns)):
        inputs = tuple(dict.fromkeys(o for rows in column for o in fold.inputs(rows, seen)))
        bare = all(is_attribute(rows) for rows in column)
        origins[~position] = (
            inputs if bare else fold.steps.computed("change", name, inputs, *column)
        )
    return NodeOrigins(tuple(origins), origins)


def _delta_merge(
    fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer
) -> NodeOrigins:
    source, target = (
        fold.origins_of(parse(node.row[name]), outer) for name in ("source", "target")
    )
    clauses = list(delta_clauses(node.row, fold.notes))
    if not any(clause.values for clause in clauses):  # rows are only deleted
        return target
    return _merged(fold, fold.columns, clauses, {**source.origins, **target.origins})


def _delta_update(
    fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer
) -> NodeOrigins:
    target = fold.origins_of(parse(node.row["target"]), outer)
    return _merged(fold, fold.columns, [delta_update(node, fold.notes)], target.origins)


def _delete(fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer) -> NodeOrigins:
    return children[0] if children else fold.origins_of(parse(node.row["target"]), outer)


def _merge_rows(
    fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer
) -> NodeOrigins:
    names = [str(row["name"]) for row in node.output()]
    merged = _merged(fold, names, instructions(node, fold.notes), {**outer, **children[0].origins})
    return by_position(attribute_ids(node.output()), [merged])


def _rewritten(
    fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer
) -> NodeOrigins:
    """The table's columns, by name, among those of the query that writes its rows again."""
    child, _ = without_choice(node.children[0], fold.notes)
    query = fold.origins_of(child, outer)
    number_of = dict(zip(column_names(child), query.output))
    (table, *_) = as_rows(node.row["table"])
    columns = [items[0] for items in map(as_rows, table["output"])]
    origins = {
        expr_id(row): query.origins.get(number_of[row["name"]], ())
        if row["name"] in number_of
        else fold.earlier_fields(_own(fold, row), "as it is")
        for row in columns
    }
    return NodeOrigins(tuple(origins), origins)


def _own(fold: OriginFold, row: Row) -> Iterator[Field]:
    """A column of the table that is written, where it is read too."""
    for ids, datasets in fold.sources.reads.items():
        if expr_id(row) in ids:
            yield from (Field(dataset, (row["name"],)) for dataset in datasets)


ROW_LEVEL: dict[str, Rule] = {
    **dict.fromkeys(("DeleteCommand", "DeleteFromTable"), _delete),
    **dict.fromkeys(("ReplaceData", "WriteDelta"), _rewritten),
    "MergeIntoCommand": _delta_merge,
    "MergeRows": _merge_rows,
    "UpdateCommand": _delta_update,
}
