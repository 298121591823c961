"""The columns that a SELECT lists: expressions, `*`, and what a dialect has besides. Pure."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import replace

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark
from airflow_colgraph.sql.aliases import (
    Aliases,
    is_bare,
    picked_rows,
    with_aliases,
    with_picked,
    without_own,
)
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.from_items import From
from airflow_colgraph.sql.names import column_name
from airflow_colgraph.sql.relation import Relation, either
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.structs import members_of, quietly
from airflow_colgraph.sql.table_functions import columns_of
from airflow_colgraph.sql.transformations import TRANSFORMATION, Inputs, through, union

TABLES_CASE = ("duckdb", "sqlite")  # a selected column is named as the table has it
USING_APART = ("trino", "presto", "athena")  # `t.*` is without the columns of USING
EACH = "\0"  # the name of the column that COLUMNS(*) is at


def projected(node: exp.Select, tables: From, scope: Scope) -> tuple[Relation, Scope]:
    """The selected columns, and the scope in which their aliases can be seen too."""
    columns: list[tuple[str, Inputs]] = []
    behind: list[Relation] = []
    structs: dict[str, Relation] = {}
    if scope.environment.dialect == "clickhouse":
        scope = with_aliases(node, scope)
    picked, group = picked_rows(node, scope), node.args.get("group")
    keys = group.expressions if group else []
    for at, item in enumerate(node.expressions):
        if is_star(item):
            star = starred(item, tables, scope)
            columns += with_picked(star.columns, picked)
            behind += star.behind
            structs |= star.structs
        elif isinstance(item, (exp.Aliases, exp.QueryTransform)):  # several columns of one function
            columns += _several(item, scope)
        elif item.find(exp.Columns):
            columns += _for_each(item, tables, scope)
        else:
            inputs = inputs_of(item, without_own(item, scope))
            if picked and is_bare(item, keys, scope):
                inputs = union(inputs, picked)
            unnamed = sum(not (one.alias or one.output_name) for one in node.expressions[:at])
            name = column_name(item, at, unnamed, scope.environment.dialect)
            if scope.environment.dialect in TABLES_CASE and isinstance(item.unnest(), exp.Column):
                name = scope.spelled(item.unnest())
            columns.append((name, inputs))
            members = quietly(item, scope)
            structs |= {name.casefold(): members} if members else {}
            if item.alias and not isinstance(scope.aliases, Aliases):
                aliases = {**scope.aliases, item.alias.casefold(): inputs}
                scope = replace(scope, aliases=aliases)
    excluded = {one.name.casefold() for one in node.args.get("exclude") or ()}  # Redshift
    columns = [pair for pair in columns if pair[0].casefold() not in excluded]
    relation = Relation(tuple(columns), behind=tuple(behind), structs=structs)
    own = {name.casefold(): inputs for name, inputs in columns if name}
    return relation, replace(scope, aliases={**own, **scope.aliases})


def _several(item: exp.Expr, scope: Scope) -> list[tuple[str, Inputs]]:
    """`explode(m) AS (k, v)`, and Hive's `TRANSFORM (a, b) USING '..' AS (c, d)`."""
    if isinstance(item, exp.Aliases):
        every = inputs_of(item.this, scope)
        columns = columns_of(item.this, len(item.expressions), every, scope)
        return [(name.name, of) for name, of in zip(item.expressions, columns, strict=True)]
    made = through(TRANSFORMATION, [inputs_of(part, scope) for part in item.expressions])
    schema = item.args.get("schema")
    names = schema.expressions if schema else []
    scope.environment.findings.unread("Transform")
    return [(name.name, made) for name in names]


def _for_each(item: exp.Expr, tables: From, scope: Scope) -> list[tuple[str, Inputs]]:
    """DuckDB's `max(COLUMNS(*))`: the expression for each column."""
    columns = []
    marks = list(item.find_all(exp.Columns))
    if tables.is_open or not all(isinstance(mark.this, exp.Star) for mark in marks):
        scope.environment.findings.unknown("Columns")
        return [("", inputs_of(item, scope))]
    for name, inputs in starred(marks[0].this, tables, scope).columns:
        inner = scope.with_parameters([EACH], inputs)
        copy = exp.paren(item.copy())
        for each in list(copy.find_all(exp.Columns)):
            each.replace(exp.column(EACH))
        columns.append((name, inputs_of(copy, inner)))
    return columns


def is_star(item: exp.Expr) -> bool:
    """Whether a selected item is `*` or `t.*`."""
    return (
        isinstance(item, exp.Star)
        or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))
        or (isinstance(item, exp.Dot) and isinstance(item.expression, exp.Star))
    )


def _behind(item: exp.Expr, tables: From, scope: Scope) -> Relation:
    """What a star stands for: all tables, one of them, or the members of a struct."""
    if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and not item.table):
        return tables.as_relation()
    if isinstance(item, exp.Dot):  # (SELECT AS STRUCT a, b).*
        members = members_of(item.this, scope)
        if members is None:
            inputs = inputs_of(item.this, scope)
            return Relation(everything=through(TRANSFORMATION, [inputs]))
        return members
    assert isinstance(item, exp.Column)
    parts = tuple(part.name for part in item.parts[:-1])
    source = scope.source(*parts) or scope.struct(parts)
    if source is None:
        inputs = scope.column(exp.column(*reversed(parts)))
        return Relation(everything=through(TRANSFORMATION, [inputs]))
    return source


def starred(item: exp.Expr, tables: From, scope: Scope) -> Relation:
    """The columns behind a star, and the tables behind it whose columns are unknown."""
    mark(item, scope.environment.findings)
    star = item.this if isinstance(item, exp.Column) else item
    star = star.expression if isinstance(star, exp.Dot) else star
    whole = _behind(item, tables, scope)
    pairs = list(whole.columns)
    is_all = isinstance(item, exp.Star)
    if not is_all and scope.environment.dialect in USING_APART:
        pairs = [pair for pair in pairs if pair[0].casefold() not in tables.using]
    unknown = whole.behind if is_all else either([whole])
    if unknown:
        scope.environment.findings.unknown("Star", item.sql())
    left_out = {
        part.name.casefold() for name in ("except_", "except") for part in star.args.get(name) or ()
    }
    replaced = {
        part.alias.casefold(): inputs_of(part, scope) for part in star.args.get("replace") or ()
    }
    renamed = {part.this.name.casefold(): part.alias for part in star.args.get("rename") or ()}
    pattern = star.args.get("ilike")
    if pattern is not None:  # Snowflake: the columns whose names are like that
        like = fnmatch.translate(pattern.name.replace("%", "*").replace("_", "?").casefold())
        pairs = [pair for pair in pairs if re.match(like, pair[0].casefold())]
    known = [
        (renamed.get(name.casefold(), name), replaced.get(name.casefold(), inputs))
        for name, inputs in pairs
        if name.casefold() not in left_out
    ]
    structs = {renamed.get(name, name).casefold(): of for name, of in whole.structs.items()}
    return Relation(tuple(known), behind=tuple(unknown), structs=structs)
