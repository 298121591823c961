"""What a statement writes: the table INSERT, MERGE, UPDATE, .. by sqlglot's class. Pure.

The rules are those for Spark's commands: a column that an update leaves alone comes from itself; ON
is JOIN; a clause's condition is CONDITIONAL for what the clause sets, and FILTER where it decides
whether there is a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.assignments import assignments
from airflow_colgraph.sql.computed import WITHOUT_GENERATED
from airflow_colgraph.sql.ctes import with_ctes
from airflow_colgraph.sql.database import Database, TableName
from airflow_colgraph.sql.digests import Digests
from airflow_colgraph.sql.expressions import function_name, inputs_of
from airflow_colgraph.sql.from_items import from_items
from airflow_colgraph.sql.names import parts_of
from airflow_colgraph.sql.queries import query
from airflow_colgraph.sql.records import row_of_record
from airflow_colgraph.sql.relation import Columns, Relation, base_table, file_name, spelled
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.table_functions import files_of
from airflow_colgraph.sql.transformations import (
    CONDITIONAL,
    FILTER,
    JOIN,
    NONE,
    Inputs,
    through,
    union,
)
from airflow_colgraph.sql.views import names_shown, shown_by


class Write(NamedTuple):
    """What a statement does to a table, or to files, which have a name of `file_name`."""

    table: TableName
    relation: Relation | None = None  # None: nothing is known of its columns
    lifecycle: str = ""
    previous: TableName = ()
    sources: Mapping[str, Relation] = {}  # what RETURNING can name besides the table
    digests: Digests | None = None


def target_of(node: exp.Expr) -> tuple[exp.Table, list[str]]:
    """The table that a statement writes, and the columns that it lists."""
    listed: list[str] = []
    if isinstance(node, exp.Schema):
        listed = [
            (part.this if isinstance(part, exp.ColumnDef) else part).name
            for part in node.expressions
            if isinstance(part, (exp.ColumnDef, exp.Identifier, exp.Column))
        ]
        node = node.this
    assert isinstance(node, exp.Table)
    return node, listed


# INSERT ---------------------------------------------------------------------------------------


def insert(node: exp.Insert, scope: Scope, database: Database) -> list[Write]:
    """INSERT, with its list of columns or in the table's order."""
    scope = with_ctes(node, scope)
    lifecycle = "OVERWRITE" if replaces_all(node) else ""
    if isinstance(node.this, exp.Directory):
        relation = query(node.expression, scope.inner())
        return [Write(file_name(node.this.name), relation, "OVERWRITE")]
    if node.args.get("is_function"):  # ClickHouse: INSERT INTO FUNCTION s3('..')
        relation = query(node.expression, scope.inner())
        files = list(files_of(node.this, database.place.dialect))
        if not files:
            scope.environment.findings.unread(function_name(node.this))
        return [Write(file_name(file), relation) for file in files]
    table, listed = target_of(node.this)
    if any(isinstance(part, exp.Literal) for part in node.this.expressions):
        mark_all(node.this, database.findings)
        query(node.expression, scope.inner())
        database.findings.unread(table.name.upper())  # T-SQL: INSERT INTO OPENQUERY(s, '..')
        return []
    base = shown_by(table, "", database)[0]
    name = database.whole(parts_of(base))
    if base is not table:
        database.findings.read(name, -1)
    rows = node.expression or node.args.get("source")  # Hive: INSERT INTO t TABLE u
    if rows is None and not node.args.get("default"):  # of DEFAULT VALUES
        scope.environment.findings.unread("INSERT")
    names = listed or _listed_by_star(node.this, _columns_of(table, database))
    record = _record(rows, names) if database.place.dialect == "oracle" else None
    if record is not None:
        source = Relation(row_of_record(record, names, scope))
    else:
        source = query(rows, scope.inner()) if rows else Relation()
    names = [shown_by(table, column, database)[1] for column in names]
    static = _static_partitions(node.this)
    if not listed:
        fixed = {column.casefold() for column in static}
        names = [column for column in names if column.casefold() not in fixed]
    relation = source if node.args.get("by_name") else fitted(source, names, scope)
    constant = tuple((column, NONE) for column in static)
    relation = relation._replace(columns=(*relation.columns, *constant))
    relation = _with_removed(node, relation, base_table(name, database.columns_of(name)), scope)
    if node.args.get("conflict") is not None:
        relation = _with_conflict(node, relation, table, name, scope, database)
    return [Write(name, relation, lifecycle)]


def _record(rows: exp.Expr | None, names: list[str]) -> exp.Expr | None:
    """The record of Oracle's `VALUES r`, for which sqlglot has a row of one value."""
    if not isinstance(rows, exp.Values) or len(rows.expressions) != 1 or len(names) < 2:
        return None
    values = rows.expressions[0].expressions
    is_name = len(values) == 1 and isinstance(values[0], (exp.Column, exp.Anonymous))
    return values[0] if is_name else None


def _with_removed(node: exp.Insert, relation: Relation, own: Relation, scope: Scope) -> Relation:
    """What affects the rows that Databricks removes first: REPLACE WHERE, REPLACE USING."""
    where = inputs_of(node.args.get("where"), replace(scope, sources={"": own}))
    names = [name.name for name in node.args.get("using") or ()]
    keys = (side.column(name) or NONE for side in (own, relation) for name in names)
    return relation._replace(
        rows=union(relation.rows, through(FILTER, [where]), through(JOIN, keys))
    )


def inserts(node: exp.MultitableInserts, scope: Scope, database: Database) -> list[Write]:
    """INSERT ALL and FIRST, and Hive's FROM t INSERT .. INSERT ..: a write for each table."""
    scope = with_ctes(node, scope)
    tables = from_items([node.args["source"]], [], scope)
    inner = replace(scope, sources=tables.sources)
    writes: list[Write] = []
    earlier: list[Inputs] = []  # conditions that have to fail first, or affect ELSE
    decided: list[Inputs] = []  # those of the last WHEN or ELSE, which may have several INTO
    for item in node.expressions:
        if isinstance(item, exp.Insert):  # its SELECT reads the common table
            select = item.expression.copy()
            select.set("from_", exp.From(this=node.args["source"].copy()))
            copy = item.copy()
            copy.set("expression", select)
            writes += insert(copy, scope, database)
            continue
        if item.args.get("expression") or item.args.get("else_"):
            condition = inputs_of(item.args.get("expression"), inner)
            is_first = str(node.args.get("kind")).upper() == "FIRST" or item.args.get("else_")
            decided = [condition, *(earlier if is_first else ())]
            earlier.append(condition)
        table, listed = target_of(item.this.this)
        name = database.whole(parts_of(table))
        values = item.this.expression
        source = tables.as_relation()
        if values is not None:
            source = from_items(
                [values], [], Scope(scope.environment, scope.query, outer=inner)
            ).as_relation()
        rows = union(tables.rows, through(FILTER, decided))
        relation = fitted(source, listed or list(database.columns_of(name) or ()), scope)
        lifecycle = "OVERWRITE" if node.meta.get("overwrite") else ""
        writes.append(Write(name, relation._replace(rows=rows), lifecycle))
    return writes


def _columns_of(table: exp.Table, database: Database) -> Iterable[str]:
    """The columns of a table that is written; a temporary one hides another of its name."""
    if shown := names_shown(table, database):
        return shown
    parts = parts_of(table)
    temporary = database.is_temporary(parts)
    if temporary is not None:
        columns = tuple(name for name, _ in database.temporary[temporary].columns)
    else:
        columns = database.columns_of(database.whole(parts)) or ()
    own = database.computed.get(database.whole(parts), {})
    generated = [name for name, (_, is_default) in own.items() if not is_default]
    left_out = generated if database.place.dialect in WITHOUT_GENERATED else []
    return [name for name in columns if name not in left_out]


def _listed_by_star(target: exp.Expr, columns: Iterable[str]) -> list[str]:
    """The columns without those of ClickHouse's `(* EXCEPT (a))`."""
    items = target.expressions if isinstance(target, exp.Schema) else []
    excluded = [column for item in items for column in item.args.get("except_") or ()]
    left_out = {column.name.casefold() for column in excluded}
    return [name for name in columns if name.casefold() not in left_out]


def replaces_all(node: exp.Expr) -> bool:
    """Whether an INSERT or LOAD DATA overwrites all rows, and not only those of partitions."""
    partition = node.args.get("partition") or _partition(node.this)
    return bool(node.args.get("overwrite")) and not partition


def _partition(target: exp.Expr) -> exp.Expr | None:
    inner = target.this if isinstance(target, exp.Schema) else target
    return target.args.get("partition") or inner.args.get("partition")


def _static_partitions(node: exp.Expr) -> list[str]:
    partition = _partition(node)
    keys = partition.expressions if isinstance(partition, exp.Partition) else []
    return [key.this.name for key in keys if isinstance(key, exp.EQ)]


def fitted(source: Relation, names: list[str], scope: Scope) -> Relation:
    """A query's columns under the names of the table that they are written to, by position."""
    findings = scope.environment.findings
    if source.is_open:  # `SELECT *` of a table whose columns are unknown
        findings.unknown("TargetColumns")
        return source
    if not names:
        findings.unknown("TargetColumns")
        return source
    if len(source.columns) > len(names):
        findings.unknown("TargetColumns")
        return source._replace(columns=())
    return source.renamed(names)


def _with_conflict(
    node: exp.Insert,
    relation: Relation,
    table: exp.Table,
    name: TableName,
    scope: Scope,
    database: Database,
) -> Relation:
    """ON CONFLICT DO UPDATE: `excluded` is the row that was to be inserted.

    MySQL gives that row an alias, or names the tables that the SELECT reads.
    """
    conflict = node.args["conflict"].copy()
    own = base_table(name, database.columns_of(name))
    if table.alias:
        own = own._replace(path=("", table.alias))
    alias = getattr(node.expression, "alias", "") or node.alias or "excluded"
    names = _alias_columns(node.expression) if database.place.dialect == "mysql" else []
    own_names = database.columns_of(name) or ()
    unset = ((own, NONE) for own in own_names if relation.listed(own) is None and not names)
    row = relation._replace(columns=(*relation.columns, *unset)).renamed(names)
    if not (row.is_open or names or own_names):  # what the statement does not list is a default
        row = row._replace(everything=NONE)
    sources = {**_read_by(node.expression, scope), table.alias_or_name: own, alias: row}
    others = frozenset(sources.keys() - {table.alias_or_name, *([alias] if names else ())})
    for call in list(conflict.find_all(exp.Anonymous)):  # MySQL's VALUES(a) is that row's `a`
        if call.name.upper() == "VALUE" and len(call.expressions) == 1:
            mark_all(call, scope.environment.findings)
            call.replace(exp.column(call.expressions[0].name, table=alias))
    inner = replace(scope, sources=sources, unqualified=others)
    condition = inputs_of(conflict.args.get("where"), inner)
    columns = dict(relation.columns)
    items = [[item] for item in conflict.expressions]  # MySQL's see what those before have set
    for some in items if database.place.dialect == "mysql" else [conflict.expressions]:
        for column, value in assignments(some, inner):
            changed = union(value, through(CONDITIONAL, [condition]))
            column = spelled(column, columns)
            columns[column] = union(columns.get(column, NONE), changed)
            own = own.with_column(column, value)
        if database.place.dialect == "mysql":
            inner = replace(inner, sources={**inner.sources, table.alias_or_name: own})
    return relation._replace(columns=tuple(columns.items()))


def _alias_columns(node: exp.Expr | None) -> list[str]:
    """The names of MySQL's `VALUES (1, 2) AS new (a, b)`."""
    alias = node.args.get("alias") if node is not None else None
    return [column.name for column in alias.args.get("columns") or ()] if alias else []


def _read_by(node: exp.Expr | None, scope: Scope) -> dict[str, Relation]:
    clause = node.args.get("from_") or node.args.get("from") if node is not None else None
    if clause is None or node is None:
        return {}
    return from_items([clause.this], node.args.get("joins") or (), scope).sources


def kept(name: TableName, database: Database) -> Columns:
    """The table's own columns, each with itself as its source."""
    return base_table(name, database.columns_of(name) or ()).columns
