"""What a statement writes: the table INSERT, MERGE, UPDATE, .. by sqlglot's class. Pure.

The rules are those for Spark's commands: a column that an update leaves alone is made of itself; ON
is JOIN; a clause's condition is CONDITIONAL for what the clause sets, and FILTER where it decides
whether there is a row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from airflow_colgraph.sql.database import Database, TableName
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.from_items import from_items
from airflow_colgraph.sql.queries import conjuncts, query, with_ctes
from airflow_colgraph.sql.relation import Columns, Relation, base_table
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


class Write(NamedTuple):
    """What a statement does to a table, or to files at a `location`."""

    table: TableName
    relation: Relation | None = None  # None: nothing is known of its columns
    lifecycle: str = ""
    location: str = ""
    previous: TableName = ()


def target_of(node: exp.Expression) -> tuple[exp.Table, list[str]]:
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


def parts_of(table: exp.Table) -> TableName:
    """The parts of a table's name."""
    return tuple(part.name for part in table.parts)


# INSERT ---------------------------------------------------------------------------------------


def insert(node: exp.Insert, scope: Scope, database: Database) -> Write:
    """INSERT, with its list of columns or in the table's order."""
    scope = with_ctes(node, scope)
    lifecycle = "OVERWRITE" if node.args.get("overwrite") else ""
    if isinstance(node.this, exp.Directory):
        return Write((), query(node.expression, scope.inner()), "OVERWRITE", node.this.name)
    table, listed = target_of(node.this)
    name = database.whole(parts_of(table))
    source = query(node.expression, scope.inner()) if node.expression else Relation()
    names = listed or list(database.known(name) or _known_temporary(parts_of(table), database))
    static = _static_partitions(node.this)
    if not listed:
        names = [column for column in names if column.casefold() not in static]
    found = fitted(source, names, scope)
    conflict = node.args.get("conflict")
    if conflict is not None:
        found = _with_conflict(conflict, found, table, name, scope, database)
    return Write(name, found, lifecycle)


def _known_temporary(parts: TableName, database: Database) -> Iterable[str]:
    temporary = database.is_temporary(parts)
    return (name for name, _ in database.temporary[temporary].columns) if temporary else ()


def _static_partitions(node: exp.Expression) -> set[str]:
    partition = node.args.get("partition")
    keys = partition.expressions if isinstance(partition, exp.Partition) else []
    return {key.this.name.casefold() for key in keys if isinstance(key, exp.EQ)}


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
    node: exp.OnConflict,
    found: Relation,
    table: exp.Table,
    name: TableName,
    scope: Scope,
    database: Database,
) -> Relation:
    """ON CONFLICT DO UPDATE: `excluded` is the row that was to be inserted."""
    own = base_table(name, database.known(name))
    sources = {table.alias_or_name: own, "excluded": found}
    inner = replace(scope, sources=sources)
    condition = inputs_of(node.args.get("where"), inner)
    made = dict(found.columns)
    for column, value in assignments(node.expressions, inner):
        changed = union(value, through(CONDITIONAL, [condition]))
        made[column] = union(made.get(column, NONE), changed)
    return found._replace(columns=tuple(made.items()))


def assignments(items: Iterable[exp.Expression], scope: Scope) -> list[tuple[str, Inputs]]:
    """The columns that SET sets, and what they are made of."""
    found = []
    for item in items:
        if not isinstance(item, exp.EQ):
            continue
        names = item.this.expressions if isinstance(item.this, exp.Tuple) else [item.this]
        value = item.expression
        if len(names) == 1:
            found.append((names[0].name, inputs_of(value, scope)))
        elif isinstance(value, exp.Tuple):
            pairs = zip(names, value.expressions, strict=False)
            found += [(one.name, inputs_of(part, scope)) for one, part in pairs]
        else:  # SET (a, b) = (SELECT ...)
            relation = scope.query(value, scope.inner())
            columns = zip(names, relation.columns, strict=False)
            found += [(one.name, union(made, relation.rows)) for one, (_, made) in columns]
    return found


# UPDATE and DELETE ----------------------------------------------------------------------------


def kept(name: TableName, database: Database) -> Columns:
    """The table's own columns, each made of itself."""
    return base_table(name, database.known(name) or ()).columns


def update(node: exp.Update, scope: Scope, database: Database) -> Write:
    """UPDATE, with FROM or with the joins of its own table."""
    scope = with_ctes(node, scope)
    clause = node.args.get("from_") or node.args.get("from")
    first = [node.this, clause.this] if clause else [node.this]
    name = database.whole(_updated(node, clause))
    if clause and any(t.alias_or_name == node.this.alias_or_name for t in _tables(clause.this)):
        first = [clause.this]  # T-SQL names the table again: UPDATE t SET .. FROM t JOIN ..
    tables = from_items(first, [], scope)
    inner = replace(scope, sources=tables.sources, using=tables.using)
    where = node.args.get("where")
    rows = [tables.rows]
    for part in conjuncts(where):
        step = JOIN if tables.is_join(part, inner) else FILTER
        rows.append(through(step, [inputs_of(part, inner)]))
    made = {**dict(kept(name, database)), **dict(assignments(node.expressions, inner))}
    return Write(name, Relation(tuple(made.items()), union(*rows)))


def _tables(node: exp.Expression) -> list[exp.Table]:
    found = [node] if isinstance(node, exp.Table) else []
    joins = [join.this for join in node.args.get("joins") or ()]
    return [*found, *(join for join in joins if isinstance(join, exp.Table))]


def _updated(node: exp.Update, clause: exp.From | None) -> TableName:
    """The table that is updated: T-SQL may name it by its alias in FROM."""
    own = node.this
    for table in _tables(clause.this) if clause else ():
        if table.alias and table.alias == own.name and not own.db:
            return parts_of(table)
    return parts_of(own)


def delete(node: exp.Delete, scope: Scope, database: Database) -> Write:
    """DELETE: rows are filtered out, columns stay as they are."""
    scope = with_ctes(node, scope)
    using = node.args.get("using")
    others = using if isinstance(using, list) else [using] if using else []
    tables = from_items([node.this, *others], [], scope)
    inner = replace(scope, sources=tables.sources, using=tables.using)
    rows = [tables.rows]
    for part in conjuncts(node.args.get("where")):
        step = JOIN if tables.is_join(part, inner) else FILTER
        rows.append(through(step, [inputs_of(part, inner)]))
    table = node.this
    if node.args.get("tables"):  # MySQL: DELETE t FROM t JOIN u ...
        alias = node.args["tables"][0]
        table = next((t for t in _tables(node.this) if t.alias_or_name == alias.name), alias)
    name = database.whole(parts_of(table))
    return Write(name, Relation(kept(name, database), union(*rows)))


def returned(node: exp.Expression, write: Write, scope: Scope, database: Database) -> Relation:
    """The rows of RETURNING, which a statement inside a query is read for."""
    returning = node.args.get("returning")
    if returning is None:
        return Relation(rows=write.relation.rows if write.relation else NONE)
    relation = write.relation or Relation()
    alias = node.this.this if isinstance(node.this, exp.Schema) else node.this
    inner = replace(scope, sources={alias.alias_or_name: relation._replace(rows=NONE)})
    columns: list[tuple[str, Inputs]] = []
    for item in returning.expressions:
        if isinstance(item, exp.Star):
            columns += relation.columns
        else:
            columns.append((item.alias_or_name, inputs_of(item, inner)))
    return Relation(tuple(columns), relation.rows)
