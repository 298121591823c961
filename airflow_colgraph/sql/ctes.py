"""Common table expressions: which can be read where, and recursive ones. Pure."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Scope

WITHOUT_RECURSIVE = ("oracle", "snowflake", "sqlite", "teradata", "tsql", "fabric", "vertica")
MOST_ROUNDS = 20  # of a recursive query, whose lineage is whole after two or three


def with_ctes(node: exp.Expr, scope: Scope) -> Scope:
    """The scope in which the statement's common table expressions can be read.

    A name in an expression that is not recursive means what it means outside: a table.
    """
    clause = node.args.get("with_") or node.args.get("with")
    for cte in in_order(clause, scope.environment.dialect) if clause else ():
        if is_value(cte):
            continue
        name = cte.alias.casefold()
        is_recursive = _reads(cte.this, cte) and can_be_recursive(cte, scope.environment.dialect)
        relation = _recursive(cte, scope) if is_recursive else scope.query(cte.this, scope.inner())
        relation = relation.named(cte.args.get("alias"))
        scope = replace(scope, ctes={**scope.ctes, name: relation})
    return scope


def is_value(cte: exp.CTE) -> bool:
    """Whether it names a value, as in ClickHouse: `WITH sum(a) AS s SELECT s FROM t`."""
    return not isinstance(cte.this, (exp.Query, exp.DML, exp.Values, exp.Pivot, exp.Table)) or (
        isinstance(cte.this, exp.Subquery)
    )


def cte_of(table: exp.Table, dialect: str) -> exp.CTE | None:
    """The common table expression around a table that its name is of."""
    inside: exp.Expr = table
    around = table.parent
    while around is not None and not table.db:
        visible: list[exp.CTE] = []
        if isinstance(around, exp.With):
            ordered = in_order(around, dialect)
            at = next(at for at, cte in enumerate(ordered) if cte is inside)
            visible = ordered[: at + can_be_recursive(ordered[at], dialect)]
        elif (clause := around.args.get("with_") or around.args.get("with")) is not inside:
            visible = clause.expressions if clause else []
        for cte in visible:
            if cte.alias.casefold() == table.name.casefold():
                return cte
        inside, around = around, around.parent
    return None


def in_order(clause: exp.With, dialect: str) -> list[exp.CTE]:
    """The expressions, each behind those that it reads: with RECURSIVE it may read later ones."""
    left = list(clause.expressions)
    if not clause.recursive and dialect != "sqlite":
        return left
    ordered: list[exp.CTE] = []
    while left:
        ready = (cte for cte in left if not any(_reads(cte.this, o) for o in left if o is not cte))
        following = next(ready, left[0])
        ordered.append(following)
        left.remove(following)
    return ordered


def can_be_recursive(cte: exp.CTE, dialect: str) -> bool:
    """Whether it may read itself: RECURSIVE says so, or the dialect has no such word."""
    return isinstance(cte.this, exp.SetOperation) and (
        dialect in WITHOUT_RECURSIVE or bool(cte.parent and cte.parent.args.get("recursive"))
    )


def _reads(query: exp.Expr, cte: exp.CTE) -> bool:
    tables = (table for table in query.find_all(exp.Table) if not table.db)
    return any(table.name.casefold() == cte.alias.casefold() for table in tables)


def _recursive(cte: exp.CTE, scope: Scope) -> Relation:
    """A query that reads itself: the first part, then in rounds until nothing is added."""
    body = first = cte.this
    name, alias = cte.alias.casefold(), cte.args.get("alias")
    around = with_ctes(body, scope.inner())
    while isinstance(first, exp.SetOperation) and _reads(first, cte):
        first = first.this
    relation = scope.query(first, around).named(alias)
    for _ in range(MOST_ROUNDS):
        inner = replace(scope.inner(), ctes={**scope.ctes, name: relation})
        following = scope.query(body, inner).named(alias)
        if following == relation:
            break
        relation = following
    return relation
