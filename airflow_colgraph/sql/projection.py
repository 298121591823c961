"""The columns that a SELECT lists: expressions, `*`, and what a dialect has besides. Pure."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import replace

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.from_items import From
from airflow_colgraph.sql.names import column_name
from airflow_colgraph.sql.relation import Findings, Relation, either
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.table_functions import columns_of
from airflow_colgraph.sql.transformations import TRANSFORMATION, Inputs, through

TABLES_CASE = ("duckdb", "sqlite")  # a selected column is named as the table has it
MOST_ALIASES = 5  # of aliases that are made of each other
EACH = "\0"  # the name of the column that COLUMNS(*) is at


def projected(node: exp.Select, tables: From, scope: Scope) -> tuple[Relation, Scope]:
    """The selected columns, and the scope in which their aliases can be seen too."""
    columns: list[tuple[str, Inputs]] = []
    behind: list[Relation] = []
    everything: Inputs | None = None
    if scope.environment.dialect == "clickhouse":
        scope = _with_all_aliases(node, scope)
    for at, item in enumerate(node.expressions):
        if is_star(item):
            known, unknown = starred(item, tables, scope)
            columns += known
            behind += unknown
        elif isinstance(item, (exp.Aliases, exp.QueryTransform)):  # several columns of one function
            columns += _several(item, scope)
        elif item.find(exp.Columns):
            columns += _for_each(item, tables, scope)
        else:
            found = inputs_of(item, _without_own(item, scope))
            unnamed = sum(not (one.alias or one.output_name) for one in node.expressions[:at])
            name = column_name(item, at, unnamed, scope.environment.dialect)
            if scope.environment.dialect in TABLES_CASE and isinstance(item.unnest(), exp.Column):
                name = scope.spelled(item.unnest())
            columns.append((name, found))
            if item.alias:
                aliases = {**scope.aliases, item.alias.casefold(): found}
                scope = replace(scope, aliases=aliases)
    excluded = {one.name.casefold() for one in node.args.get("exclude") or ()}  # Redshift
    columns = [pair for pair in columns if pair[0].casefold() not in excluded]
    relation = Relation(tuple(columns), behind=tuple(behind), everything=everything)
    own = {name.casefold(): inputs for name, inputs in columns if name}
    return relation, replace(scope, aliases={**own, **scope.aliases})


def _with_all_aliases(node: exp.Select, scope: Scope) -> Scope:
    """ClickHouse sees an alias in the whole SELECT, before the tables' columns."""
    items = [item for item in node.expressions if isinstance(item, exp.Alias)]
    unheard = replace(scope.environment, findings=Findings())  # each is read again afterwards
    trial = replace(scope, aliases_first=True, environment=unheard)
    for _ in items[:MOST_ALIASES]:  # one may be made of others
        own = {
            item.alias.casefold(): inputs_of(item.this, _without_own(item, trial)) for item in items
        }
        own = {**scope.aliases, **own}
        if own == trial.aliases:
            break
        trial = replace(trial, aliases=own)
    return replace(trial, environment=scope.environment)


def _without_own(item: exp.Expr, scope: Scope) -> Scope:
    """The scope of an item: in `upper(a) AS a` the inner name is the column."""
    if not scope.aliases_first or item.alias.casefold() not in scope.aliases:
        return scope
    others = {name: of for name, of in scope.aliases.items() if name != item.alias.casefold()}
    return replace(scope, aliases=others)


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
    found = []
    marks = list(item.find_all(exp.Columns))
    if tables.is_open or not all(isinstance(mark.this, exp.Star) for mark in marks):
        scope.environment.findings.unknown("Columns")
        return [("", inputs_of(item, scope))]
    for name, inputs in starred(marks[0].this, tables, scope)[0]:
        inner = scope.with_parameters([EACH], inputs)
        copy = exp.paren(item.copy())
        for each in list(copy.find_all(exp.Columns)):
            each.replace(exp.column(EACH))
        found.append((name, inputs_of(copy, inner)))
    return found


def is_star(item: exp.Expr) -> bool:
    """Whether a selected item is `*` or `t.*`."""
    return isinstance(item, exp.Star) or (
        isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
    )


def starred(
    item: exp.Expr, tables: From, scope: Scope
) -> tuple[list[tuple[str, Inputs]], list[Relation]]:
    """The columns behind a star, and the tables behind it whose columns are unknown."""
    mark(item, scope.environment.findings)
    star = item.this if isinstance(item, exp.Column) else item
    if isinstance(item, exp.Column) and item.table:
        source = scope.source(*(part.name for part in item.parts[:-1]))
        if source is None:  # the members of a struct
            scope.environment.findings.unknown("Star", item.sql())
            inputs = scope.column(exp.column(item.table))
            return [], [Relation(everything=through(TRANSFORMATION, [inputs]))]
        relations = [source] if source else []
        pairs: list[tuple[str, Inputs]] = [pair for one in relations for pair in one.columns]
    else:
        relations, pairs = tables.starred(), tables.star_columns()
    unknown = list(either(relations))
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
    return known, unknown
