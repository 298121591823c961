"""UPDATE and DELETE, and what RETURNING makes of a statement. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from airflow_colgraph.sql.database import Database, TableName
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.from_items import from_items
from airflow_colgraph.sql.queries import conjuncts, with_ctes
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import FILTER, JOIN, NONE, Inputs, through, union
from airflow_colgraph.sql.writes import Write, assigned, kept, parts_of


def update(node: exp.Update, scope: Scope, database: Database) -> list[Write]:
    """UPDATE, with FROM or with the joins of its own table."""
    scope = with_ctes(node, scope)
    clause = node.args.get("from_") or node.args.get("from")
    first = [node.this, clause.this] if clause else [node.this]
    own = behind_cte(_updated(node, clause), node)
    if clause and any(t.alias_or_name == node.this.alias_or_name for t in _tables(clause.this)):
        first = [clause.this]  # T-SQL names the table again: UPDATE t SET .. FROM t JOIN ..
    tables = from_items(first, [], scope)
    inner = replace(scope, sources=tables.sources, using=tables.using)
    where = node.args.get("where")
    rows = [tables.rows]
    for part in conjuncts(where):
        step = JOIN if tables.is_join(part, inner) else FILTER
        rows.append(through(step, [inputs_of(part, inner)]))
    joined = () if clause else _tables(node.this)
    targets = {one.alias_or_name: behind_cte(one, node) for one in joined}
    made: dict[TableName, dict[str, Inputs]] = {}
    for column, value in assigned(node.expressions, inner):
        table = _target_of_column(column, own, targets, tables.sources)
        name = database.whole(parts_of(table))
        made.setdefault(name, dict(kept(name, database)))[column.name] = value
    decided = union(*rows)
    if not made:
        scope.environment.findings.unread("Update")
    return [
        Write(name, Relation(tuple(columns.items()), decided), sources=tables.sources)
        for name, columns in made.items()
    ]


def behind_cte(table: exp.Table, node: exp.Expression) -> exp.Table:
    """The table whose rows are changed by way of a common table expression, as T-SQL allows."""
    clause = node.args.get("with_") or node.args.get("with")
    for cte in clause.expressions if clause and not table.db else ():
        if cte.alias.casefold() == table.name.casefold() and isinstance(cte.this, exp.Select):
            start = cte.this.args.get("from_") or cte.this.args.get("from")
            if start and isinstance(start.this, exp.Table):
                return behind_cte(start.this, cte.this)
    return table


def _target_of_column(
    column: exp.Expression,
    own: exp.Table,
    targets: Mapping[str, exp.Table],
    sources: Mapping[str, Relation],
) -> exp.Table:
    """The table that a column in SET is of: MySQL updates several tables at once."""
    qualifier = column.text("table")
    if qualifier in targets:
        return targets[qualifier]
    owners = [name for name in targets if sources[name].listed(column.name) is not None]
    return targets[owners[0]] if owners and not qualifier else own


def _tables(node: exp.Expression) -> list[exp.Table]:
    found = [node] if isinstance(node, exp.Table) else []
    joins = [join.this for join in node.args.get("joins") or ()]
    return [*found, *(join for join in joins if isinstance(join, exp.Table))]


def _updated(node: exp.Update, clause: exp.From | None) -> exp.Table:
    """The table that is updated: T-SQL may name it by its alias in FROM."""
    own = node.this
    for table in _tables(clause.this) if clause else ():
        if table.alias and table.alias == own.name and not own.db:
            return table
    assert isinstance(own, exp.Table)
    return own


def delete(node: exp.Delete, scope: Scope, database: Database) -> list[Write]:
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
    own = [node.this]
    if node.args.get("tables"):  # MySQL: DELETE t FROM t JOIN u ...
        by_name = {one.alias_or_name: one for one in _tables(node.this)}
        own = [by_name.get(one.name, one) for one in node.args["tables"]]
    names = [database.whole(parts_of(behind_cte(table, node))) for table in own]
    return [
        Write(name, Relation(kept(name, database), union(*rows)), sources=tables.sources)
        for name in names
    ]


def returned(node: exp.Expression, write: Write, scope: Scope, database: Database) -> Relation:
    """The rows of RETURNING, which a statement inside a query is read for."""
    returning = node.args.get("returning")
    if returning is None:
        return Relation(rows=write.relation.rows if write.relation else NONE)
    relation = write.relation or Relation()
    alias = node.this.this if isinstance(node.this, exp.Schema) else node.this
    row = relation._replace(rows=NONE)
    own = {alias.alias_or_name: row}
    if returning.args.get("into"):  # T-SQL's OUTPUT
        own |= {"inserted": row, "deleted": row}
    others = {name: one for name, one in write.sources.items() if name not in own}
    inner = replace(scope, sources={**own, **others})
    columns: list[tuple[str, Inputs]] = []
    for item in returning.expressions:
        if isinstance(item, exp.Star):
            columns += relation.columns
        else:
            columns.append((item.alias_or_name, inputs_of(item, inner)))
    return Relation(tuple(columns), relation.rows)
