"""Columns that a table computes from its others: generated columns, and defaults. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.relation import Relation, base_table
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import NONE

# INSERT without a list of columns has no values for generated ones there.
WITHOUT_GENERATED = ("clickhouse", "duckdb", "fabric", "sqlite", "tsql")

VALUES = {  # where sqlglot has a column's expression
    exp.ComputedColumnConstraint: "this",
    exp.DefaultColumnConstraint: "this",
    exp.GeneratedAsIdentityColumnConstraint: "expression",
}


class Computed(NamedTuple):
    """A column's expression; a default counts only where a statement does not set the column."""

    value: exp.Expr
    is_default: bool


def computed(definitions: list[exp.Expr]) -> dict[str, Computed]:
    """The columns that are computed from others, of those that a statement defines."""
    columns: dict[str, Computed] = {}
    for column in definitions:
        constraints = column.args.get("constraints") if isinstance(column, exp.ColumnDef) else None
        for kind in (constraint.args.get("kind") for constraint in constraints or ()):
            value = kind.args.get(VALUES[type(kind)]) if type(kind) in VALUES else None
            if isinstance(value, exp.Expression) and value.find(exp.Column):
                is_default = isinstance(kind, exp.DefaultColumnConstraint)
                columns[column.name] = Computed(_without_places(value), is_default)
    return columns


def _without_places(value: exp.Expr) -> exp.Expr:
    """A copy whose columns have no places: these are in the text of another statement."""
    copy = value.copy()
    for part in copy.walk():
        part.meta.pop("start", None)
    return copy


def with_computed(
    relation: Relation,
    columns: Mapping[str, Computed],
    table: tuple[str, ...],
    names: tuple[str, ...],
    scope: Scope,
) -> Relation:
    """What is written to a table, with the columns that the table computes from it."""
    own = base_table(table, names)
    written = {own.spelled(name): inputs for name, inputs in relation.columns}
    for name, (value, is_default) in columns.items():
        operands = [own.spelled(column.name) for column in value.find_all(exp.Column)]
        is_kept = all(written.get(o, NONE) == own.listed(o) for o in operands)
        if (is_default or is_kept) and name in written:
            continue
        row = Relation((*written.items(), *((o, NONE) for o in names if o not in written)))
        written[name] = inputs_of(value, replace(scope, sources={"": row}))
    return relation._replace(columns=tuple(written.items()))
