"""SET of an UPDATE, a MERGE, an upsert or a variable: what is set, and from what. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.expressions import function_name, inputs_of
from airflow_colgraph.sql.names import SPARK
from airflow_colgraph.sql.records import row_of_record
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import NONE, Inputs, union

STRUCTS = ("bigquery", "clickhouse", "databricks", "duckdb", "postgres", "spark", "trino")
NO_DEFAULT = ("athena", "clickhouse", "trino")  # where SET a = DEFAULT is of a column
WITH_MEMBERS = "STRUCT_PACK"  # a function of a struct and its new members


def assignments(items: Iterable[exp.Expr], scope: Scope) -> list[tuple[str, Inputs]]:
    """The columns that SET sets, and what they come from."""
    return [(column.name, inputs) for column, inputs in assigned(items, scope)]


def assigned(items: Iterable[exp.Expr], scope: Scope) -> list[tuple[exp.Expr, Inputs]]:
    """What SET sets, and what it comes from."""
    pairs: list[tuple[exp.Expr, Inputs]] = []
    for item in whole_columns(items, scope):
        if not isinstance(item, exp.EQ):
            continue
        names = item.this.expressions if isinstance(item.this, exp.Tuple) else [item.this.unnest()]
        value = item.expression
        mark_all(item.this, scope.environment.findings)
        if scope.environment.dialect == "oracle" and item.this.name.upper() == "ROW":
            own = next(iter(scope.sources.values()), Relation())
            row = row_of_record(value, (name for name, _ in own.columns), scope)
            pairs += [(exp.to_identifier(name), inputs) for name, inputs in row]
            continue
        if is_default(value, scope):
            mark_all(value, scope.environment.findings)
            pairs += [(name, NONE) for name in names]
        elif len(names) == 1:
            pairs.append((names[0], inputs_of(value, scope)))
        elif isinstance(value, exp.Tuple) or function_name(value) == "ROW":
            parts = zip(names, value.expressions, strict=False)
            pairs += [(name, inputs_of(part, scope)) for name, part in parts]
        else:  # SET (a, b) = (SELECT ...)
            relation = scope.query(value, scope.inner())
            columns = zip(names, relation.columns, strict=False)
            pairs += [(name, union(inputs, relation.rows)) for name, (_, inputs) in columns]
    return pairs


def is_default(value: exp.Expr, scope: Scope) -> bool:
    """Whether SET has the word DEFAULT, for which sqlglot has a column.

    In Spark a column of that name comes first; ClickHouse and Trino have no such word.
    """
    is_bare = isinstance(value, exp.Column) and not (value.table or value.this.args.get("quoted"))
    dialect = scope.environment.dialect
    is_column = dialect in SPARK and scope.has_column((value.name,))
    return is_bare and value.name.upper() == "DEFAULT" and not (is_column or dialect in NO_DEFAULT)


def whole_columns(items: Iterable[exp.Expr], scope: Scope) -> list[exp.Expr]:
    """The assignments; those to members of a column as one, of its own value and all of theirs.

    The table that is changed is the first one that needs no name before its columns.
    """
    table = next((alias for alias in scope.sources if alias not in scope.unqualified), None)
    whole: list[exp.Expr] = []
    members: dict[str, exp.Anonymous] = {}
    for item in items:
        column = _of_member(item.this, scope) if isinstance(item, exp.EQ) else None
        if column is None:
            whole.append(item)
            continue
        mark_all(item.this, scope.environment.findings)
        key = column.name.casefold()
        if key not in members:
            own = exp.column(column.this.copy(), table=table)
            members[key] = exp.Anonymous(this=WITH_MEMBERS, expressions=[own])
            whole.append(exp.EQ(this=column, expression=members[key]))
        if not is_default(item.expression, scope):
            members[key].append("expressions", item.expression.copy())
    return whole


def _of_member(target: exp.Expr, scope: Scope) -> exp.Column | None:
    """The column whose member is set: `s.a`, `t.s.a`, `(s).a` or `items[1]`."""
    if isinstance(target, (exp.Bracket, exp.Dot)):
        while isinstance(target, (exp.Bracket, exp.Dot, exp.Paren)):
            target = target.this
        return target.copy() if isinstance(target, exp.Column) else None
    if not isinstance(target, exp.Column) or scope.environment.dialect not in STRUCTS:
        return None
    parts = target.parts
    names = tuple(part.name for part in parts)
    table = next((at for at in range(len(parts) - 1, 0, -1) if scope.called(names[:at])), 0)
    if table == len(parts) - 1:
        return None
    own = zip(("this", "table", "db", "catalog"), parts[table::-1], strict=False)
    return exp.Column(**{key: part.copy() for key, part in own})
