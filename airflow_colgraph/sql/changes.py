"""UPDATE and DELETE, and what RETURNING makes of a statement. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark
from airflow_colgraph.sql.assignments import assigned, whole_columns
from airflow_colgraph.sql.ctes import with_ctes
from airflow_colgraph.sql.database import Database, TableName
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.from_clause import FromClause
from airflow_colgraph.sql.from_items import from_items
from airflow_colgraph.sql.names import parts_of
from airflow_colgraph.sql.queries import conjuncts
from airflow_colgraph.sql.relation import Relation, base_table
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import FILTER, JOIN, NONE, SORT, Inputs, through, union
from airflow_colgraph.sql.views import shown_by
from airflow_colgraph.sql.writes import Write, kept


def update(node: exp.Update, scope: Scope, database: Database) -> list[Write]:
    """UPDATE, with FROM or with the joins of its own table."""
    scope = with_ctes(node, scope)
    clause = node.args.get("from_") or node.args.get("from")
    mark(node.this, scope.environment.findings)
    again = _named_again(node, database)
    first = [node.this] if again is None else []
    tables = from_items([*first, *([clause.this] if clause else [])], [], scope)
    own = again or node.this
    if not isinstance(own, exp.Table):  # MySQL: UPDATE (SELECT ..) q JOIN t
        own = next(iter(tables.tables.values()))
    inner = replace(scope, sources=tables.sources, using=tables.using)
    decided = _decided(node, tables, inner)
    changed: dict[TableName, dict[str, Inputs]] = {}
    for item in whole_columns(_of_columns(node.expressions, decided, inner), inner):
        for column, value in assigned([item], inner):
            table = own if clause else _set_table(column, own, tables, inner)
            if table is None:
                continue
            base, behind = shown_by(table, column.name, database)
            name = database.whole(parts_of(base))
            columns = changed.setdefault(name, dict(kept(name, database)))
            columns[database.spelled(name, behind)] = value
            if database.place.dialect == "mysql" and len(tables.sources) == 1:
                inner = _already_set(column.name, value, inner)
    if not changed and not _sets_variables(node):
        scope.environment.findings.unread("Update")
    for name in changed:
        database.findings.read(name, -1)
    return [
        Write(name, Relation(tuple(columns.items()), decided), sources=tables.sources)
        for name, columns in changed.items()
    ]


def _sets_variables(node: exp.Update) -> bool:
    return any(isinstance(item.this, exp.Parameter) for item in node.expressions)


def _of_columns(items: list[exp.Expr], rows: Inputs, scope: Scope) -> Iterator[exp.Expr]:
    """What SET does to columns; T-SQL sets variables as well: `SET @v = a = b + 1`."""
    for item in items:
        if isinstance(item, exp.EQ) and isinstance(item.this, exp.Parameter):
            value, name = item.expression, item.this.name.casefold()
            is_both = isinstance(value, exp.EQ) and isinstance(value.this, exp.Column)
            inputs = inputs_of(value.expression if is_both else value, scope)
            scope.environment.variables[name] = union(inputs, rows)
            yield from [value] if is_both else []
        else:
            yield item


def _already_set(column: str, value: Inputs, scope: Scope) -> Scope:
    """The scope of MySQL's next assignment: it sees what the ones before it have set."""
    ((alias, relation),) = scope.sources.items()
    return replace(scope, sources={alias: relation.with_column(column, value)})


def _decided(node: exp.Expr, tables: FromClause, scope: Scope) -> Inputs:
    """What affects the rows that are changed: joins, WHERE, and MySQL's ORDER BY with LIMIT."""
    rows = [tables.rows]
    for part in conjuncts(node.args.get("where")):
        step = JOIN if tables.is_join(part, scope) else FILTER
        rows.append(through(step, [inputs_of(part, scope)]))
    rows.append(through(SORT, [inputs_of(node.args.get("order"), scope)]))
    return union(*rows)


def _set_table(
    column: exp.Expr, own: exp.Table, tables: FromClause, scope: Scope
) -> exp.Table | None:
    """The table that a column in SET is of: MySQL updates several tables at once."""
    key = tables.owner(column) if isinstance(column, exp.Column) else ""
    if key not in tables.tables and len(tables.tables) > 1:
        scope.environment.findings.unknown("AmbiguousColumn", column.sql())
        return None
    return tables.tables.get(key, own)


def _tables(node: exp.Expr) -> list[exp.Table]:
    tables = [node] if isinstance(node, exp.Table) else []
    joins = [join.this for join in node.args.get("joins") or ()]
    return [*tables, *(join for join in joins if isinstance(join, exp.Table))]


def _named_again(node: exp.Update, database: Database) -> exp.Table | None:
    """The table in FROM that is updated: T-SQL names it there again, or only there."""
    clause = node.args.get("from_") or node.args.get("from")
    own = node.this
    if not isinstance(own, exp.Table):
        return None
    name = database.whole(parts_of(own))
    for table in _tables(clause.this) if clause else ():
        if table.alias and table.alias.casefold() == own.name.casefold() and not own.db:
            return table
        is_same = database.whole(parts_of(table)) == name and not own.alias
        if is_same and (not table.alias or database.place.dialect in ("tsql", "fabric")):
            return table
    return None


def delete(node: exp.Delete, scope: Scope, database: Database) -> list[Write]:
    """DELETE: rows are filtered out, columns stay as they are."""
    scope = with_ctes(node, scope)
    using = node.args.get("using")
    others = using if isinstance(using, list) else [using] if using else []
    named = node.args.get("tables") or []  # MySQL: DELETE t FROM t JOIN u ...
    first = [node.this] if node.this else []  # T-SQL: DELETE t WHERE ..
    if others and database.place.dialect == "mysql":  # DELETE FROM t USING u AS t JOIN ..
        named, first = _tables(node.this), []
        for table in named:
            mark(table, database.findings)
    tables = from_items([*first, *others], [], scope)
    if missing := [table for table in named if tables.key(parts_of(table)) not in tables.tables]:
        tables = from_items([*first, *others, *missing], [], scope)  # T-SQL: DELETE t FROM u
    inner = replace(scope, sources=tables.sources, using=tables.using)
    own = first
    if named:
        own = [tables.tables.get(tables.key(parts_of(table)), table) for table in named]
    names = [database.whole(parts_of(shown_by(table, "", database)[0])) for table in own]
    decided = _decided(node, tables, inner)
    for name in names:
        database.findings.read(name, -1)
    return [
        Write(name, Relation(kept(name, database), decided), sources=tables.sources)
        for name in names
    ]


def returned(node: exp.Expr, write: Write, scope: Scope, database: Database) -> Relation:
    """The rows of RETURNING, which a statement inside a query is read for."""
    returning = node.args.get("returning")
    if returning is None:
        return Relation(rows=write.relation.rows if write.relation else NONE)
    relation = write.relation or Relation()
    alias = node.this.this if isinstance(node.this, exp.Schema) else node.this
    known = database.columns_of(write.table)
    behind = () if known or isinstance(node, exp.Insert) else (base_table(write.table, known),)
    row = relation._replace(rows=NONE, behind=(*relation.behind, *behind))
    own = {alias.alias_or_name: row}
    before = base_table(write.table, known)._replace(path=())
    states = {"inserted": row, "deleted": before}  # T-SQL's OUTPUT
    if scope.environment.dialect == "postgres":
        states = {"new": row, "old": before}
    named = {column.table.casefold() for column in returning.find_all(exp.Column)}
    own |= {name: state for name, state in states.items() if name in named and name not in own}
    others = {name: of for name, of in write.sources.items() if name not in own}
    inner = replace(scope, sources={**own, **others})
    columns: list[tuple[str, Inputs]] = []
    for item in returning.expressions:
        if item.is_star:
            mark(item, scope.environment.findings)
            columns += _starred(item, row, others, known, inner)
        else:
            columns.append((item.alias_or_name, inputs_of(item, inner)))
    return Relation(tuple(columns), relation.rows)


def _starred(
    item: exp.Expr,
    row: Relation,
    others: Mapping[str, Relation],
    names: tuple[str, ...] | None,
    scope: Scope,
) -> list[tuple[str, Inputs]]:
    """The columns of `*`, which in PostgreSQL are those of FROM as well, and of `deleted.*`."""
    named = scope.source(item.table) if isinstance(item, exp.Column) else None
    is_all = named is None and scope.environment.dialect == "postgres"
    relations = [named or row, *(others.values() if is_all else ())]
    is_unknown = named is row and not names
    if is_unknown or any(relation.is_open for relation in relations):
        scope.environment.findings.unknown("Star", item.sql())
    own = [(name, row.listed(name) or NONE) for name in names or ()]
    parts = (own if own and relation is row else relation.columns for relation in relations)
    return [column for part in parts for column in part]
