"""The columns that a SELECT lists: expressions, `*`, and what a dialect has besides. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from airflow_colgraph.sql.aliases import (
    Aliases,
    is_bare,
    picked_rows,
    with_aliases,
    with_picked,
    without_own,
)
from airflow_colgraph.sql.each_column import is_of_each, of_each
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.from_clause import FromClause
from airflow_colgraph.sql.names import alias_of, column_name, kept_name
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.stars import is_star, qualified, starred
from airflow_colgraph.sql.structs import quietly
from airflow_colgraph.sql.table_functions import columns_of, usual_names
from airflow_colgraph.sql.transformations import TRANSFORMATION, Inputs, through, union

GENERATORS = ("databricks", "hive", "spark", "spark2")
TABLES_CASE = ("duckdb", "sqlite")  # a selected column is named as the table has it


# Where an expression does not see the aliases before it: a name is a column, known or not.
WITHOUT_LATERAL_ALIASES = {
    *("athena", "bigquery", "fabric", "hive", "mysql", "oracle", "postgres", "presto", "sqlite"),
    *("trino", "tsql"),
}
LENIENT = ("mysql", "sqlite")  # what is neither a key nor aggregated can be selected
ALIASES_IN_WHERE = ("duckdb", "snowflake", "sqlite", "teradata")  # unless a column hides them


@dataclass
class _Selected:
    """The columns that a SELECT lists, as far as it is read."""

    scope: Scope
    picked: Inputs  # what picks the row of a bare column
    keys: list[exp.Expr]
    columns: list[tuple[str, Inputs]] = field(default_factory=list)
    behind: list[Relation] = field(default_factory=list)
    structs: dict[str, Relation] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)  # names that are columns of the tables for sure
    hidden: set[str] = field(default_factory=set)  # aliases that an unknown column may hide

    def add_star(self, star: Relation) -> None:
        """The columns of a star."""
        self.columns += with_picked(star.columns, self.picked)
        self.behind += star.behind
        self.structs |= star.structs

    def replace(self, item: exp.Expr) -> None:
        """ClickHouse's `* REPLACE (x AS a)`: behind it, `a` is x."""
        star = item.this if isinstance(item, exp.Column) else item
        if self.scope.environment.dialect == "clickhouse":
            pairs = {
                part.alias.casefold(): inputs_of(part, self.scope)
                for part in star.args.get("replace") or ()
            }
            self.scope = replace(self.scope, parameters={**self.scope.parameters, **pairs})

    def add_value(self, item: exp.Expr, position: int, unnamed: int, tables: FromClause) -> None:
        """The column of an expression, whose alias the items behind it can name."""
        scope, alias = self.scope, alias_of(item)
        inputs = inputs_of(item, without_own(item, scope))
        if self.picked and is_bare(item, self.keys, scope):
            inputs = union(inputs, self.picked)
        name = column_name(item, position, unnamed, scope.environment.dialect)
        plain = item.unnest()
        if scope.environment.dialect in TABLES_CASE and isinstance(plain, exp.Column):
            name = scope.spelled(plain)
        if scope.environment.dialect == "clickhouse" and isinstance(plain, exp.Column):
            name = alias or qualified(name, tables.owner(plain), tables, scope)
        column = item.unalias()
        is_single = isinstance(column, exp.Column) and len(column.parts) == 1
        if alias and is_single and column.name.casefold() in scope.parameters:
            name = ""  # ClickHouse names it by what REPLACE has, in spite of its alias
        self.columns.append((name, inputs))
        members = quietly(item, scope)
        self.structs |= {name.casefold(): members} if members else {}
        if alias:
            self.scope = replace(scope, structs=self.structs)
        if not isinstance(scope.aliases, Aliases):
            self.read |= _columns_read(item) - scope.aliases.keys()
            self._show(alias.casefold(), inputs)

    def _show(self, alias: str, inputs: Inputs) -> None:
        """Let the items behind see an alias, unless a column of the tables hides it."""
        if not alias or alias in self.read:
            return
        self.hidden.add(alias)
        if self.scope.environment.dialect not in WITHOUT_LATERAL_ALIASES:
            aliases, hidden = {**self.scope.aliases, alias: inputs}, frozenset(self.hidden)
            self.scope = replace(self.scope, aliases=aliases, hidden=hidden)


def projected(node: exp.Select, tables: FromClause, scope: Scope) -> tuple[Relation, Scope]:
    """The selected columns, and the scope in which their aliases can be seen too."""
    if scope.environment.dialect == "clickhouse":
        scope = with_aliases(node, scope)
    group = node.args.get("group")
    selected = _Selected(scope, picked_rows(node, scope), group.expressions if group else [])
    unnamed = 0
    for at, item in enumerate(node.expressions):
        if is_star(item):
            selected.add_star(starred(item, tables, selected.scope))
            selected.replace(item)
        elif isinstance(item, exp.Aliases) and is_star(item.this):  # Trino: r.* AS (a, b)
            names = [name.name for name in item.expressions]
            selected.add_star(starred(item.this, tables, selected.scope).renamed(names))
        elif (names := _generated(item, selected.scope)) and not alias_of(item):
            every = inputs_of(item, selected.scope)
            parts = columns_of(item, len(names), every, selected.scope)
            selected.columns += zip(names, parts, strict=True)
        elif isinstance(item, (exp.Aliases, exp.QueryTransform)):  # several columns of one function
            selected.columns += _several(item, selected.scope)
        elif is_of_each(item):
            selected.columns += of_each(item, tables, selected.scope)
        else:
            selected.add_value(item, at, unnamed, tables)
        unnamed += not (alias_of(item) or kept_name(item, selected.scope.environment.dialect))
    excluded = {column.name.casefold() for column in node.args.get("exclude") or ()}  # Redshift
    columns = tuple(pair for pair in selected.columns if pair[0].casefold() not in excluded)
    own = {name.casefold(): inputs for name, inputs in columns if name}
    aliases = {**own, **selected.scope.aliases}
    relation = Relation(columns, behind=tuple(selected.behind), structs=selected.structs)
    is_seen = scope.environment.dialect in (*ALIASES_IN_WHERE, *LENIENT)
    hidden = frozenset(selected.hidden if is_seen else ())
    read, hidden = frozenset(selected.read), selected.scope.hidden | hidden
    return relation, replace(selected.scope, aliases=aliases, read=read, hidden=hidden)


def _columns_read(item: exp.Expr) -> set[str]:
    """The folded names of the columns that an item itself reads, not those of its subqueries."""
    select = item.parent_select
    columns = item.find_all(exp.Column)
    return {column.name.casefold() for column in columns if column.parent_select is select}


def _generated(item: exp.Expr, scope: Scope) -> list[str]:
    """The columns of Spark's function that returns rows, where it has no alias."""
    return usual_names(item) if scope.environment.dialect in GENERATORS else []


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
