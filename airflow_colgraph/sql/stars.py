"""What `*` stands for in a SELECT, with the clauses that a dialect has for it. Pure."""

from __future__ import annotations

import fnmatch
import re

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.from_clause import FromClause
from airflow_colgraph.sql.relation import Relation, either
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.structs import members_of
from airflow_colgraph.sql.transformations import TRANSFORMATION, through

USING_APART = ("trino", "presto", "athena")  # `t.*` is without the columns of USING


def is_star(item: exp.Expr) -> bool:
    """Whether a selected item is `*` or `t.*`."""
    return (
        isinstance(item, exp.Star)
        or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))
        or (isinstance(item, exp.Dot) and isinstance(item.expression, exp.Star))
    )


def _behind(item: exp.Expr, tables: FromClause, scope: Scope) -> Relation:
    """What a star stands for: all tables, one of them, or the members of a struct."""
    if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and not item.table):
        return tables.as_relation()
    if isinstance(item, exp.Dot):  # (SELECT AS STRUCT a, b).*
        members = members_of(item.this, scope)
        if members is None:
            inputs = inputs_of(item.this, scope)
            return Relation(everything=through(TRANSFORMATION, [inputs]))
        return members
    assert isinstance(item, exp.Column)
    parts = tuple(part.name for part in item.parts[:-1])
    source = scope.source(*parts) or scope.struct(parts)
    if source is None:
        inputs = scope.column(exp.column(*reversed(parts)))
        return Relation(everything=through(TRANSFORMATION, [inputs]))
    return source


def starred(item: exp.Expr, tables: FromClause, scope: Scope) -> Relation:
    """The columns behind a star, and the tables behind it whose columns are unknown."""
    mark(item, scope.environment.findings)
    star = item.this if isinstance(item, exp.Column) else item
    star = star.expression if isinstance(star, exp.Dot) else star
    whole = _behind(item, tables, scope)
    columns = whole.columns
    is_all = isinstance(item, exp.Star)
    if not is_all and scope.environment.dialect in USING_APART:
        columns = tuple(pair for pair in columns if pair[0].casefold() not in tables.using)
    if scope.environment.dialect == "clickhouse":
        before = tuple(p.name for p in item.parts[:-1]) if isinstance(item, exp.Column) else ()
        owners = tables.star_owners() if is_all else [tables.key(before)] * len(columns)
        columns = tuple(
            (qualified(name, owner, tables, scope), inputs)
            for (name, inputs), owner in zip(columns, owners, strict=True)
        )
    unknown = whole.behind if is_all else either([whole])
    if unknown:
        scope.environment.findings.unknown("Star", item.sql())
    return _changed(star, whole._replace(columns=columns, behind=unknown), scope)


def qualified(name: str, owner: str, tables: FromClause, scope: Scope) -> str:
    """A column's name in ClickHouse's result: with its table's if it alone means another, or none.

    `owner` is the key of its table; of two tables with the column the name alone means the first.
    """
    if not owner or len(tables.sources) < 2:
        return name
    others = [key for key, of in tables.sources.items() if name in dict(of.columns)]
    is_first = len(tables.sources) == 2 and others[:1] == [owner]
    if len(others) < 2 or is_first:
        return name
    path = tuple(filter(None, tables.sources[owner].path))
    ways = (path[-1:], path[-2:])
    own = next((way for way in ways if scope.called(way)[:1] == [tables.sources[owner]]), path[-2:])
    return ".".join((*own, name))


def _changed(star: exp.Expr, whole: Relation, scope: Scope) -> Relation:
    """A star's columns as its EXCEPT, REPLACE, RENAME and ILIKE say."""
    left_out = {part.name.casefold() for part in _parts(star, "except_", "except")}
    replaced = {part.alias.casefold(): inputs_of(part, scope) for part in _parts(star, "replace")}
    renamed = {part.this.name.casefold(): part.alias for part in _parts(star, "rename")}
    columns = tuple(
        (renamed.get(folded, name), replaced.get(folded, inputs))
        for name, inputs in whole.columns
        for folded in [name.casefold()]
        if folded not in left_out and is_like(folded, star.args.get("ilike"))
    )
    structs = {renamed.get(name, name).casefold(): of for name, of in whole.structs.items()}
    return Relation(columns, behind=whole.behind, structs=structs)


def _parts(star: exp.Expr, *names: str) -> list[exp.Expr]:
    """The items of a star's clauses."""
    return [part for name in names for part in star.args.get(name) or ()]


def is_like(name: str, pattern: exp.Expr | None) -> bool:
    """Whether a name is like a pattern, if there is one: Snowflake's `* ILIKE '%id%'`."""
    if pattern is None:
        return True
    like = fnmatch.translate(pattern.name.replace("%", "*").replace("_", "?").casefold())
    return re.match(like, name) is not None
