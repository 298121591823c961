"""MERGE: a condition between two tables, and what its clauses set and insert. Pure."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from airflow_colgraph.sql.database import Database, TableName
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.from_items import from_items
from airflow_colgraph.sql.queries import with_ctes
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import (
    CONDITIONAL,
    FILTER,
    JOIN,
    NONE,
    Inputs,
    through,
    union,
)
from airflow_colgraph.sql.writes import Write, assignments, kept, parts_of


def merge(node: exp.Merge, scope: Scope, database: Database) -> list[Write]:
    """MERGE: each column is made of what the clauses put there."""
    scope = with_ctes(node, scope)
    name = database.whole(parts_of(node.this))
    tables = from_items([node.this, node.args["using"]], [], scope)
    both = replace(scope, sources=tables.sources)
    aliases = list(tables.sources)
    source = replace(scope, sources={alias: tables.sources[alias] for alias in aliases[1:]})
    rows = [tables.rows, through(JOIN, [inputs_of(node.args.get("on"), both)])]
    made: dict[str, Inputs] = {}
    whens = node.args.get("whens")
    for when in whens.expressions if whens else node.expressions:
        condition, act = inputs_of(when.args.get("condition"), both), when.args.get("then")
        if isinstance(act, exp.Update):
            _update_clause(act, when, condition, made, both, name, database)
            continue
        rows.append(through(FILTER, [condition]))
        if isinstance(act, exp.Insert):
            _insert_clause(act, made, source, tables.sources[aliases[-1]], name, database)
    if not made:  # rows are only deleted
        made = dict(kept(name, database))
    return [Write(name, Relation(tuple(made.items()), union(*rows)), sources=tables.sources)]


def _is_star(node: exp.Expression | None) -> bool:
    return isinstance(node, exp.Star)


def _update_clause(
    act: exp.Update,
    when: exp.When,
    condition: Inputs,
    made: dict[str, Inputs],
    scope: Scope,
    name: TableName,
    database: Database,
) -> None:
    own = dict(kept(name, database))
    if _is_star(act.args.get("expressions")) or not act.expressions:  # UPDATE SET *
        source = list(scope.sources.values())[-1]
        pairs = list(source.columns)
    else:
        pairs = assignments(act.expressions, scope)
    for column, value in pairs:
        changed = union(value, through(CONDITIONAL, [condition]))
        made[column] = union(made.get(column, NONE), changed)
        own.pop(column, None)
    for column, value in own.items():
        made[column] = union(made.get(column, NONE), value)


def _insert_clause(
    act: exp.Insert,
    made: dict[str, Inputs],
    scope: Scope,
    source: Relation,
    name: TableName,
    database: Database,
) -> None:
    values, names = act.expression, []
    if isinstance(act.this, exp.Tuple) and not values:  # Redshift: INSERT VALUES (..)
        values = next(iter(act.this.expressions), None)
    elif isinstance(act.this, (exp.Tuple, exp.Schema)):
        names = [column.name for column in act.this.expressions]
    if _is_star(act.this) or not values:  # INSERT *, and BigQuery's INSERT ROW
        own = database.known(name) or () if isinstance(act.this, exp.Var) else ()
        for column, inputs in source.renamed(own).columns:
            made[column] = union(made.get(column, NONE), inputs)
        return
    if not names:
        names = list(database.known(name) or ())
        if not names:
            scope.environment.findings.unknown("TargetColumns")
    parts = values.expressions
    if isinstance(values, exp.Values) and parts and isinstance(parts[0], exp.Tuple):
        parts = parts[0].expressions
    for column, part in zip(names, parts, strict=False):
        made[column] = union(made.get(column, NONE), inputs_of(part, scope))
