"""The table and the column that a write to a view, or to a common table expression, changes."""

from __future__ import annotations

from sqlglot import exp

from airflow_colgraph.sql.ctes import cte_of
from airflow_colgraph.sql.database import Database
from airflow_colgraph.sql.names import parts_of
from airflow_colgraph.sql.relation import folded

CHANGE_VIEWS = ("mysql", "oracle", "postgres", "teradata", "tsql", "fabric")
CHANGE_EXPRESSIONS = ("oracle", "tsql", "fabric")  # Oracle's stand for `UPDATE (SELECT ..)`


def shown_by(table: exp.Expr, column: str, database: Database) -> tuple[exp.Table, str]:
    """The table that a view shows, and the column that has this name there.

    Of a table it is the table itself. Without a column it is the table of the first one.
    """
    view = _view(table, database)
    clause = view[0].args.get("from_") if view else None
    if view is None or clause is None:
        assert isinstance(table, exp.Table)
        return table, column
    select, names = view
    item = _item(select.expressions, names, column)
    plain = item.unalias() if item is not None else exp.column(column)
    name = plain.name if isinstance(plain, exp.Column) and plain.name != "*" else column
    sources = [clause.this, *(join.this for join in select.args.get("joins") or ())]
    qualifier = plain.table if isinstance(plain, exp.Column) else ""
    return shown_by(_owner(sources, qualifier, name, database), name, database)


def names_shown(table: exp.Expr, database: Database) -> list[str]:
    """The columns of a view, as far as its query lists them; none of a table."""
    select, names = _view(table, database) or (exp.Select(), [])
    own = [item.alias_or_name for item in select.expressions]
    return names or (own if "*" not in own else [])


def _item(items: list[exp.Expr], names: list[str], column: str) -> exp.Expr | None:
    """What is selected under a name, which the view or the item itself gives it."""
    wanted = column.casefold()
    pairs = zip(items, names or [item.alias_or_name for item in items], strict=False)
    return next((item for item, name in pairs if wanted in ("", name.casefold())), None)


def _owner(sources: list[exp.Expr], qualifier: str, name: str, database: Database) -> exp.Expr:
    """The source that has a column: the one before it, or one that lists it."""
    for source in sources:
        if qualifier and source.alias_or_name.casefold() == qualifier.casefold():
            return source
    for source in sources if not qualifier else ():
        parts = parts_of(source) if isinstance(source, exp.Table) else ()
        columns = database.columns_of(database.whole(parts)) if parts else ()
        if name.casefold() in folded(columns or ()):
            return source
    return sources[0]


def _view(table: exp.Expr, database: Database) -> tuple[exp.Select, list[str]] | None:
    """The SELECT behind a name, and the columns that its name lists."""
    query: exp.Expr | None = None
    names: list[str] = []
    dialect = database.place.dialect
    if isinstance(table, exp.Subquery):
        query, names = table.this, table.alias_column_names
    elif isinstance(table, exp.Table):
        cte = cte_of(table, dialect) if dialect in CHANGE_EXPRESSIONS else None
        name = database.whole(parts_of(table))
        view = None if database.triggers.get(name) else database.views.get(name)
        if cte is not None:
            query, names = cte.this, cte.alias_column_names
        elif view is not None:
            query, names = view
    query = query.unnest() if query is not None else None
    return (query, names) if isinstance(query, exp.Select) else None
