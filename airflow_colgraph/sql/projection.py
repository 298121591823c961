"""The columns that a SELECT lists: expressions, `*`, and what a dialect has besides. Pure."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass, field, replace

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


@dataclass
class _Selected:
    """The columns that a SELECT lists, as far as it is read."""

    scope: Scope
    picked: Inputs  # what picks the row of a bare column
    keys: list[exp.Expr]
    columns: list[tuple[str, Inputs]] = field(default_factory=list)
    behind: list[Relation] = field(default_factory=list)
    structs: dict[str, Relation] = field(default_factory=dict)

    def add_star(self, star: Relation) -> None:
        """The columns of a star."""
        self.columns += with_picked(star.columns, self.picked)
        self.behind += star.behind
        self.structs |= star.structs

    def add_value(self, item: exp.Expr, position: int, unnamed: int, tables: From) -> None:
        """The column of an expression, whose alias the items behind it can name."""
        scope = self.scope
        inputs = inputs_of(item, without_own(item, scope))
        if self.picked and is_bare(item, self.keys, scope):
            inputs = union(inputs, self.picked)
        name = column_name(item, position, unnamed, scope.environment.dialect)
        plain = item.unnest()
        if scope.environment.dialect in TABLES_CASE and isinstance(plain, exp.Column):
            name = scope.spelled(plain)
        if scope.environment.dialect == "clickhouse" and isinstance(plain, exp.Column):
            name = item.alias or qualified(name, tables.owner(plain), tables, scope)
        self.columns.append((name, inputs))
        members = quietly(item, scope)
        self.structs |= {name.casefold(): members} if members else {}
        if item.alias:
            self.scope = replace(scope, structs=self.structs)
        if item.alias and not isinstance(scope.aliases, Aliases):
            aliases = {**scope.aliases, item.alias.casefold(): inputs}
            self.scope = replace(self.scope, aliases=aliases)


def projected(node: exp.Select, tables: From, scope: Scope) -> tuple[Relation, Scope]:
    """The selected columns, and the scope in which their aliases can be seen too."""
    if scope.environment.dialect == "clickhouse":
        scope = with_aliases(node, scope)
    group = node.args.get("group")
    selected = _Selected(scope, picked_rows(node, scope), group.expressions if group else [])
    unnamed = 0
    for at, item in enumerate(node.expressions):
        if is_star(item):
            selected.add_star(starred(item, tables, selected.scope))
        elif isinstance(item, exp.Aliases) and is_star(item.this):  # Trino: r.* AS (a, b)
            names = [name.name for name in item.expressions]
            selected.add_star(starred(item.this, tables, selected.scope).renamed(names))
        elif isinstance(item, (exp.Aliases, exp.QueryTransform)):  # several columns of one function
            selected.columns += _several(item, selected.scope)
        elif item.find(exp.Columns):
            selected.columns += _for_each(item, tables, selected.scope)
        else:
            selected.add_value(item, at, unnamed, tables)
        unnamed += not (item.alias or item.output_name)
    excluded = {column.name.casefold() for column in node.args.get("exclude") or ()}  # Redshift
    columns = tuple(pair for pair in selected.columns if pair[0].casefold() not in excluded)
    own = {name.casefold(): inputs for name, inputs in columns if name}
    aliases = {**own, **selected.scope.aliases}
    relation = Relation(columns, behind=tuple(selected.behind), structs=selected.structs)
    return relation, replace(selected.scope, aliases=aliases)


def _several(item: exp.Expr, scope: Scope) -> list[tuple[str, Inputs]]:
    """`explode(m) AS (k, v)`, and Hive's `TRANSFORM (a, b) USING '..' AS (c, d)`."""
    if isinstance(item, exp.Aliases):
        every = inputs_of(item.this, scope)
        columns = columns_of(item.this, len(item.expressions), every, scope)
        return [(name.name, of) for name, of in zip(item.expressions, columns, strict=True)]
    inputs = through(TRANSFORMATION, [inputs_of(part, scope) for part in item.expressions])
    schema = item.args.get("schema")
    names = schema.expressions if schema else []
    scope.environment.findings.unread("Transform")
    return [(name.name, inputs) for name in names]


def _for_each(item: exp.Expr, tables: From, scope: Scope) -> list[tuple[str, Inputs]]:
    """DuckDB's `max(COLUMNS(*))`: the expression for each column."""
    columns = []
    marks = list(item.find_all(exp.Columns))
    is_pattern = any(not isinstance(mark.this, exp.Star) for mark in marks)  # is reported
    if tables.is_open or is_pattern:
        if not is_pattern:
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
    columns = whole.columns
    is_all = isinstance(item, exp.Star)
    if not is_all and scope.environment.dialect in USING_APART:
        columns = tuple(pair for pair in columns if pair[0].casefold() not in tables.using)
    if scope.environment.dialect == "clickhouse":
        before = tuple(p.name for p in item.parts[:-1]) if isinstance(item, exp.Column) else ()
        owners = tables.star_owners() if is_all else [tables.key(before)] * len(columns)
        columns = tuple(
            (qualified(name, owner, tables, scope), inputs)
            for (name, inputs), owner in zip(columns, owners, strict=True)
        )
    unknown = whole.behind if is_all else either([whole])
    if unknown:
        scope.environment.findings.unknown("Star", item.sql())
    return _changed(star, whole._replace(columns=columns, behind=unknown), scope)


def qualified(name: str, owner: str, tables: From, scope: Scope) -> str:
    """A column's name in ClickHouse's result: with its table's if it alone means another, or none.

    `owner` is the key of its table; of two tables with the column the name alone means the first.
    """
    if not owner or len(tables.sources) < 2:
        return name
    others = [key for key, of in tables.sources.items() if name in dict(of.columns)]
    is_first = len(tables.sources) == 2 and others[:1] == [owner]
    if len(others) < 2 or is_first:
        return name
    path = tuple(filter(None, tables.sources[owner].path))
    ways = (path[-1:], path[-2:])
    own = next((way for way in ways if scope.called(way)[:1] == [tables.sources[owner]]), path[-2:])
    return ".".join((*own, name))


def _changed(star: exp.Expr, whole: Relation, scope: Scope) -> Relation:
    """A star's columns as its EXCEPT, REPLACE, RENAME and ILIKE say."""
    left_out = {part.name.casefold() for part in _parts(star, "except_", "except")}
    replaced = {part.alias.casefold(): inputs_of(part, scope) for part in _parts(star, "replace")}
    renamed = {part.this.name.casefold(): part.alias for part in _parts(star, "rename")}
    columns = tuple(
        (renamed.get(folded, name), replaced.get(folded, inputs))
        for name, inputs in whole.columns
        for folded in [name.casefold()]
        if folded not in left_out and _is_like(folded, star.args.get("ilike"))
    )
    structs = {renamed.get(name, name).casefold(): of for name, of in whole.structs.items()}
    return Relation(columns, behind=whole.behind, structs=structs)


def _parts(star: exp.Expr, *names: str) -> list[exp.Expr]:
    """The items of a star's clauses."""
    return [part for name in names for part in star.args.get(name) or ()]


def _is_like(name: str, pattern: exp.Expr | None) -> bool:
    """Whether a column is one of Snowflake's `* ILIKE '%id%'`."""
    if pattern is None:
        return True
    like = fnmatch.translate(pattern.name.replace("%", "*").replace("_", "?").casefold())
    return re.match(like, name) is not None
