"""What stands in FROM: a table, a subquery, or a function that returns rows. Pure."""

from __future__ import annotations

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.from_clause import FromClause
from airflow_colgraph.sql.names import parts_of
from airflow_colgraph.sql.pivots import pivoted
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.table_functions import (
    file_of,
    of_files,
    of_function,
    of_rows_from,
    usual_names,
)
from airflow_colgraph.sql.transformations import NONE, TRANSFORMATION, through, union


def relation_of(item: exp.Expr, tables: FromClause, scope: Scope) -> Relation:
    """What stands in FROM: a table, a subquery, VALUES, or a function that returns rows."""
    inner = Scope(scope.environment, scope.query, ctes=scope.ctes, outer=scope.outer)
    if isinstance(item, (exp.Stream, exp.Final)):  # Databricks: STREAM t; ClickHouse: t FINAL
        relation = relation_of(item.this, tables, scope)
    elif isinstance(item, exp.Table):
        relation = _table(item, tables, scope)
    elif isinstance(item, (exp.Subquery, exp.Query)):
        relation = scope.query(item, inner)
    elif isinstance(item, exp.Lateral):
        relation = _lateral(item, tables, scope)
    elif isinstance(item, exp.Values):
        relation = _values(item, inner)
    else:
        relation = of_function(item, tables.seen(scope))
    for pivot in item.args.get("pivots") or ():
        relation = pivoted(pivot, relation, scope)
    alias = item.args.get("alias")
    is_named = isinstance(item, exp.Subquery) or (isinstance(item, exp.Unnest) and relation.path)
    return relation if is_named else relation.named(alias)


def _table(item: exp.Table, tables: FromClause, scope: Scope) -> Relation:
    mark(item, scope.environment.findings)
    if isinstance(item.this, exp.Func) and not isinstance(item.this, exp.DynamicIdentifier):
        read = _counted if item.args.get("ordinality") else of_function
        return read(item.this, tables.seen(scope), item.args.get("alias"))
    file = file_of(item, scope.environment.dialect)
    if file:
        return of_files([file], scope)
    if item.args.get("rows_from"):
        return of_rows_from(item, tables.seen(scope))
    if not isinstance(item.this, exp.Identifier):  # a name that is computed
        scope.environment.findings.unread(type(item.this or item).__name__)
        return Relation(everything=NONE)
    parts = parts_of(item)
    if len(parts) == 1 and parts[0].casefold() in scope.ctes:
        return scope.ctes[parts[0].casefold()]._replace(path=("", parts[0]))
    if len(parts) > 1 and (column := tables.seen(scope).source(parts[0])) is not None:
        inner = column.column(parts[1])  # BigQuery's `FROM t, t.items`
        if inner is not None and scope.environment.findings is not None:
            return Relation(everything=through(TRANSFORMATION, [inner]))
    return scope.environment.lookup(parts)


def _counted(item: exp.Expr, scope: Scope, alias: exp.Expr | None) -> Relation:
    """`f(..) WITH ORDINALITY AS t (a, n)`: the last column is the number of the row."""
    names = (alias.args.get("columns") if alias else None) or [exp.to_identifier("ordinality")]
    own = exp.TableAlias(this=alias and alias.this, columns=names[:-1])
    relation = of_function(item, scope, own if names[:-1] else alias)
    return relation._replace(columns=(*relation.columns, (names[-1].name, NONE)))


def _values(item: exp.Values, scope: Scope) -> Relation:
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in item.expressions]
    width = max(map(len, rows), default=0)
    is_mysql = scope.environment.dialect == "mysql"
    names = (f"column_{at}" if is_mysql else f"column{at + 1}" for at in range(width))
    columns = [
        (name, union(*(inputs_of(row[at], scope) for row in rows if at < len(row))))
        for at, name in enumerate(names)
    ]
    return Relation(tuple(columns))


def _lateral(item: exp.Lateral, tables: FromClause, scope: Scope) -> Relation:
    """A subquery that sees the tables before it, or LATERAL VIEW explode(..)."""
    seen = tables.seen(scope)
    if isinstance(item.this, (exp.Subquery, exp.Query)):
        return scope.query(item.this, seen.inner())
    alias = item.args.get("alias")
    if item.args.get("ordinality"):
        return _counted(item.this, seen, alias)
    if item.args.get("view") and alias is not None and not alias.args.get("columns"):
        alias = exp.TableAlias(columns=[exp.to_identifier(name) for name in usual_names(item.this)])
    return of_function(item.this, seen, alias)
