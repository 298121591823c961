"""What the columns of a query come from: SELECT, set operations, and what they read. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark, mark_all
from airflow_colgraph.sql.aggregates import is_aggregated
from airflow_colgraph.sql.ctes import is_value, with_ctes
from airflow_colgraph.sql.expressions import aggregates, function_name, inputs_of
from airflow_colgraph.sql.from_clause import FromClause
from airflow_colgraph.sql.from_items import from_items
from airflow_colgraph.sql.names import SPARK, alias_of
from airflow_colgraph.sql.pivots import matched, stated
from airflow_colgraph.sql.projection import ALIASES_IN_WHERE, LENIENT, projected
from airflow_colgraph.sql.relation import Columns, Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.set_operations import set_operation
from airflow_colgraph.sql.structs import quietly
from airflow_colgraph.sql.transformations import (
    FILTER,
    GROUP_BY,
    JOIN,
    NONE,
    SORT,
    TRANSFORMATION,
    Inputs,
    Step,
    through,
    union,
)

GROUPS_BY_ALIAS = ("bigquery",)  # before a column of that name
HAVING_BY_ALIAS = ("bigquery", "databricks", "spark", "spark2", "hive")  # before a key
HAVING_OF_COLUMNS = (
    "postgres", "sqlite", "tsql", "fabric", "oracle", "trino", "presto", "athena", "clickhouse",
)  # fmt: skip
ORDERS_BY_ALIAS = (  # in expressions, too
    "bigquery", "databricks", "spark", "spark2", "hive", "trino", "presto", "athena",
)  # fmt: skip
_COLUMNS_ONLY = ("athena", "fabric", "oracle", "presto", "trino", "tsql")
NO_ALIASES = {  # where a name is a column's, also if the columns are unknown
    "group": (*_COLUMNS_ONLY, "hive"),
    "having": (*_COLUMNS_ONLY, "postgres"),
    "order": ("fabric", "postgres", "tsql"),  # in expressions
}
ALIAS = "\0"  # before the name of an alias that is meant


def query(node: exp.Expr, scope: Scope) -> Relation:
    """The relation that a query is."""
    scope = with_ctes(node, scope)
    if isinstance(node, exp.Subquery):
        inner = query(node.this, scope)
        return ordered(node, inner, scope).named(node.args.get("alias"))
    if isinstance(node, exp.SetOperation):
        return ordered(node, set_operation(node, scope), scope)
    if isinstance(node, exp.Select):
        return select(node, scope)
    if isinstance(node, (exp.Table, exp.Values)):  # TABLE t; VALUES (1), (2)
        relation = from_items([node], [], scope).as_relation()
        if isinstance(node, exp.Table) and relation.is_open:
            scope.environment.findings.unknown("Star", f"{node.alias_or_name}.*")
        return relation
    if isinstance(node, exp.DML):
        return scope.environment.statement(node, scope)
    if isinstance(node, exp.Pivot):  # DuckDB's statement
        return stated(node, from_items([node.this], [], scope).as_relation(), scope)
    scope.environment.findings.unread(type(node).__name__)
    return Relation(everything=NONE)


# SELECT ---------------------------------------------------------------------------------------


def select(node: exp.Select, scope: Scope) -> Relation:
    """The relation that a SELECT is."""
    clause = node.args.get("from_") or node.args.get("from")
    first = [clause.this] if clause else []
    joins = [*(node.args.get("joins") or ()), *(node.args.get("laterals") or ())]
    tables = from_items(first, joins, scope)
    match = node.args.get("match")
    if match is not None:
        relation = matched(match, tables.as_relation(), scope)
        tables = FromClause(rows=relation.rows)
        tables.add(match.alias or "", relation)
    windows = {window.name.casefold(): window for window in node.args.get("windows") or ()}
    inner = replace(scope, sources=tables.sources, using=tables.using, windows=windows)
    columns, inner = projected(node, tables, _with_values(node, inner))
    if node.args.get("kind") == "VALUE":
        columns = _of_value(node, columns, inner)
    keys = [through(step, [inputs]) for step, inputs in deciding(node, tables, inner, columns)]
    if node.args.get("for_"):  # T-SQL's FOR JSON and FOR XML: all rows are one text
        columns = Relation((("", through(TRANSFORMATION, [columns.of_all()])),))
    return columns._replace(rows=union(tables.rows, *keys))


def _of_value(node: exp.Select, columns: Relation, scope: Scope) -> Relation:
    """BigQuery's `SELECT AS VALUE s`, whose columns are the members of the struct."""
    members = quietly(node.expressions[0], scope)
    if members is not None:
        return members._replace(rows=NONE, path=())
    around = node.parent
    while isinstance(around, exp.Subquery):
        around = around.parent
    if isinstance(around, exp.Func):  # ARRAY(SELECT AS VALUE a): no columns are needed
        return columns
    scope.environment.findings.unknown("Star", node.expressions[0].sql())
    return Relation(everything=_of_columns(columns))


def _with_values(node: exp.Select, scope: Scope) -> Scope:
    """The scope in which the values that WITH names can be read, as in ClickHouse.

    So can Spark's `window`, by whose time the rows are grouped.
    """
    group = node.args.get("group")
    for key in group_keys(group) if group and scope.environment.dialect in SPARK else ():
        if (name := function_name(key).casefold()) in ("window", "session_window"):
            windows = {**scope.parameters, name: inputs_of(key, scope)}
            scope = replace(scope, parameters=windows)
    clause = node.args.get("with_") or node.args.get("with")
    for cte in filter(is_value, clause.expressions if clause else ()):
        aliases = {**scope.aliases, cte.alias.casefold(): inputs_of(cte.this, scope)}
        scope = replace(scope, aliases=aliases)
    return scope


# What affects rows -------------------------------------------------------------------------

Deciding = Iterator[tuple[Step, Inputs]]


def deciding(node: exp.Select, tables: FromClause, scope: Scope, relation: Relation) -> Deciding:
    """The parts of a SELECT that only affect rows."""
    yield from _filters(node, tables, scope)
    yield from _groups(node, tables, scope, relation)
    for key in _sort_keys(node):
        yield SORT, _order_key(key, scope, relation)
    for name in ("limit", "offset"):
        yield FILTER, inputs_of(node.args.get(name), scope.inner())
    distinct = node.args.get("distinct")
    if distinct is not None:
        on = distinct.args.get("on")
        keys = on.expressions if isinstance(on, exp.Tuple) else [on] if on else []
        yield from ((GROUP_BY, _order_key(key, scope, relation)) for key in keys)
        if on is None:
            yield GROUP_BY, _of_columns(relation)


def _filters(node: exp.Select, tables: FromClause, scope: Scope) -> Deciding:
    """The conditions of WHERE, HAVING, QUALIFY and CONNECT BY."""
    where = [*conjuncts(node.args.get("prewhere")), *conjuncts(node.args.get("where"))]
    for part in where:
        step = JOIN if tables.is_join(part, scope) else FILTER
        yield step, inputs_of(part, _of_where(scope, tables))
    having, qualify = node.args.get("having"), node.args.get("qualify")
    if having is not None:
        yield FILTER, _having(having.this, node.args.get("group"), scope)
    if qualify:
        windows = {alias_of(item).casefold() for item in node.expressions if item.find(exp.Window)}
        yield FILTER, inputs_of(qualify.this, replace(scope, hidden=scope.hidden - windows))
    connect = node.args.get("connect")
    for name in ("start", "connect"):
        yield FILTER, inputs_of(connect.args.get(name) if connect else None, scope)


def _groups(node: exp.Select, tables: FromClause, scope: Scope, relation: Relation) -> Deciding:
    """The keys of GROUP BY; those of GROUP BY ALL are what is selected without an aggregate."""
    group = node.args.get("group")
    if group is None:
        return
    is_alias = scope.environment.dialect in GROUPS_BY_ALIAS
    scope = _seen(scope, "group")
    is_merged = scope.environment.dialect == "mysql"  # an alias hides a column of USING only
    for key in group_keys(group):
        name = key.name.casefold()
        is_unknown = tables.is_open and name not in scope.read
        is_first = is_alias or is_unknown or (is_merged and name in tables.using)
        is_doubtful = name in scope.hidden and scope.environment.dialect in LENIENT
        if is_doubtful and isinstance(key, exp.Column) and scope.may_have(name):
            scope.environment.findings.unknown("AmbiguousColumn", key.name)
        yield GROUP_BY, keyed(key, scope, relation.columns, aliases_first=is_first)
    if group.args.get("all"):
        dialect = scope.environment.dialect
        plain = [
            item
            for item in node.expressions
            if not any(aggregates(call, dialect) for call in item.walk())
        ]
        yield GROUP_BY, union(*(inputs_of(item, scope) for item in plain))


def _sort_keys(node: exp.Expr) -> list[exp.Expr]:
    """The keys of ORDER BY, and of Hive's SORT BY and CLUSTER BY."""
    orders = (node.args.get(name) for name in ("order", "sort", "cluster"))
    return [key for order in orders if order for key in order.expressions]


def _order_key(key: exp.Expr, scope: Scope, relation: Relation) -> Inputs:
    """What a key of a SELECT's ORDER BY, or of its DISTINCT ON, means."""
    if _is_all(key):
        mark_all(key, scope.environment.findings)
        if not scope.has_column(("all",)):
            return _of_columns(relation)
        scope.environment.findings.unknown("AmbiguousColumn", "all")
        return union(_of_columns(relation), scope.column(exp.column("all")))
    dialect = scope.environment.dialect
    is_aggregate = any(aggregates(call, dialect) for call in key.walk())
    is_alias = dialect in ORDERS_BY_ALIAS and not is_aggregate
    is_name = isinstance(key.this if isinstance(key, exp.Ordered) else key, exp.Column)
    inner = replace(scope, aliases_first=True) if is_alias else scope
    inner = inner if is_name else _seen(inner, "order")
    return keyed(key, inner, relation.columns, aliases_first=True)


def _seen(scope: Scope, clause: str) -> Scope:
    """The scope as a clause sees it."""
    return replace(scope, aliases={}) if scope.environment.dialect in NO_ALIASES[clause] else scope


def _of_columns(relation: Relation) -> Inputs:
    """What the listed columns come from, together."""
    return union(*(inputs for _, inputs in relation.columns))


def _having(condition: exp.Expr, group: exp.Group | None, scope: Scope) -> Inputs:
    """What HAVING comes from: a name outside of aggregates is a key's, or else an alias.

    Where both a key and an alias have it, each dialect has its own rule.
    """
    dialect = scope.environment.dialect
    if dialect in HAVING_OF_COLUMNS:
        return inputs_of(condition, _seen(scope, "having"))
    keys = {key.name.casefold() for key in (group_keys(group) if group else ())}
    first = () if dialect in HAVING_BY_ALIAS else keys
    names = {name: of for name, of in scope.aliases.items() if name not in first}
    marked = exp.paren(condition.copy())
    for column in list(marked.find_all(exp.Column)):
        is_plain = len(column.parts) == 1 and column.name.casefold() in names
        is_own = is_plain and column.find_ancestor(exp.Query) is None
        if is_own and not is_aggregated(column, dialect):
            mark(column, scope.environment.findings)
            column.replace(exp.column(f"{ALIAS}{column.name}"))
    aliases = {f"{ALIAS}{name}": of for name, of in names.items()}
    return inputs_of(marked, replace(scope, parameters={**scope.parameters, **aliases}))


def _is_all(key: exp.Expr) -> bool:
    """ORDER BY ALL: no column `t.all`, nor one whose name is quoted."""
    inner = key.this if isinstance(key, exp.Ordered) else key
    is_word = isinstance(inner, exp.Column) and inner.parts == [inner.this]
    is_word = is_word and not inner.this.args.get("quoted")
    return (is_word or isinstance(inner, exp.Var)) and inner.name.upper() == "ALL"


def conjuncts(where: exp.Expr | None) -> list[exp.Expr]:
    """The conditions of a WHERE that are joined by AND."""
    if where is None:
        return []
    return list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]


def _of_where(scope: Scope, tables: FromClause) -> Scope:
    """In WHERE a name is a column's; an alias only where the columns are known."""
    is_column = tables.is_open and not scope.aliases_first
    hidden = scope.hidden if scope.environment.dialect in ALIASES_IN_WHERE else frozenset()
    return replace(scope, aliases={} if is_column else scope.aliases, hidden=hidden)


def group_keys(group: exp.Group) -> Iterator[exp.Expr]:
    """All keys of GROUP BY, ROLLUP, CUBE and GROUPING SETS."""
    stack: list[exp.Expr] = list(reversed(group.expressions))
    for name in ("rollup", "cube", "grouping_sets"):
        parts = group.args.get(name)
        stack += [part for part in parts if part] if isinstance(parts, list) else []
    while stack:
        key = stack.pop()
        if isinstance(key, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)):
            stack += reversed(key.expressions)
        else:
            yield key.this if isinstance(key, exp.Paren) else key


def keyed(key: exp.Expr, scope: Scope, columns: Columns, *, aliases_first: bool) -> Inputs:
    """What a key of GROUP BY or ORDER BY means: a position, an alias, or an expression."""
    if isinstance(key, exp.Ordered):
        key = key.this
    if isinstance(key, exp.Literal) and not key.is_string:
        position = int(key.name) - 1 if key.name.isdigit() else -1
        return columns[position][1] if 0 <= position < len(columns) else NONE
    if isinstance(key, exp.Column) and len(key.parts) == 1:
        return scope.column(key, aliases_first=aliases_first)
    return inputs_of(key, scope)


def ordered(node: exp.Expr, relation: Relation, scope: Scope) -> Relation:
    """ORDER BY and LIMIT behind a set operation or a query in parentheses."""
    inner = replace(scope, sources={"": relation}, using={}, aliases={})
    keys = [
        _of_columns(relation)
        if _is_all(key)
        else keyed(key, inner, relation.columns, aliases_first=True)
        for key in _sort_keys(node)
    ]
    limits = [inputs_of(node.args.get(name), scope.inner()) for name in ("limit", "offset")]
    return relation._replace(
        rows=union(relation.rows, through(SORT, keys), through(FILTER, limits))
    )
