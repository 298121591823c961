"""The types of a new table's columns: those of columns that are copied, and of casts. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from airflow_colgraph.sql.database import Database
from airflow_colgraph.sql.each_column import is_of_each
from airflow_colgraph.sql.names import parts_of
from airflow_colgraph.sql.partition_columns import definitions
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.stars import is_star
from airflow_colgraph.sql.transformations import IDENTITY, Inputs

# By which a column of one source may get another type.
WIDENING = (exp.SetOperation, exp.Values, exp.Pivot, exp.Parameter)


def output_types(statement: exp.Expr, relation: Relation, database: Database) -> dict[str, str]:
    """The types of the columns that a statement makes, as far as they are known."""
    query = statement.expression if isinstance(statement, exp.Create) else statement
    types = dict(_cast(query and query.unnest(), relation, database.place.dialect))
    if _copies(statement, database):
        for name, inputs in relation.columns:
            types.setdefault(name, _copied(inputs, database))
    if isinstance(statement, exp.Create):
        types |= declared(statement, database.place.dialect)
    return {name: kind for name, kind in types.items() if name and kind}


def declared(statement: exp.Create, dialect: str) -> dict[str, str]:
    """The types of the columns that the statement defines."""
    columns = statement.this.expressions if isinstance(statement.this, exp.Schema) else ()
    return {
        column.name: column.args["kind"].sql(dialect).lower()
        for column in [*columns, *definitions(statement)]
        if isinstance(column, exp.ColumnDef) and column.args.get("kind")
    }


def _cast(query: exp.Expr | None, relation: Relation, dialect: str) -> Iterator[tuple[str, str]]:
    """The types of selected casts, where each item is one column."""
    items = query.expressions if isinstance(query, exp.Select) else []
    is_simple = not any(is_star(item) or is_of_each(item) for item in items)
    if not is_simple or len(items) != len(relation.columns):
        return
    for item, (name, _) in zip(items, relation.columns, strict=True):
        value = item.unalias().unnest()
        if isinstance(value, exp.Cast):
            yield name, value.to.sql(dialect).lower()


def _copies(statement: exp.Expr, database: Database) -> bool:
    """Whether a column of only one source surely is that column."""
    temporary = (database.is_temporary(parts_of(table)) for table in _tables(statement))
    return statement.find(*WIDENING) is None and not any(temporary)


def _tables(statement: exp.Expr) -> Iterator[exp.Table]:
    tables = statement.find_all(exp.Table)
    return (table for table in tables if isinstance(table.this, exp.Identifier))


def _copied(inputs: Inputs, database: Database) -> str:
    """The type of the only column that it copies."""
    sources = [source for source, step in inputs if step == IDENTITY]
    is_copy = len(sources) == len(inputs) == 1
    return database.type_of(sources[0].table, sources[0].column) if is_copy else ""
