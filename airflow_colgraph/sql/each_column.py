"""Expressions that a SELECT has for each of several columns: `max(COLUMNS(*))`. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sqlglot import exp

from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.from_clause import FromClause
from airflow_colgraph.sql.names import alias_of
from airflow_colgraph.sql.relation import Columns, Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.stars import is_like, is_star, starred
from airflow_colgraph.sql.structs import members_of
from airflow_colgraph.sql.transformations import TRANSFORMATION, Inputs, through

EACH = "\0"  # the name of the column that an expression is at


def is_of_each(item: exp.Expr) -> bool:
    """Whether a selected item stands for several columns, and is no star."""
    inner = item.unalias()
    is_matched = isinstance(inner, (exp.Like, exp.ILike)) and isinstance(inner.this, exp.Star)
    return is_matched or _is_unnested(inner) or item.find(exp.Columns, exp.Apply) is not None


def _is_unnested(inner: exp.Expr) -> bool:
    """Whether it is DuckDB's `unnest({'a': 1})` or `unnest(items, max_depth := 2)`."""
    is_nested = isinstance(inner.this, exp.Struct) or bool(inner.expressions)
    return isinstance(inner, exp.Explode) and is_nested


def of_each(item: exp.Expr, tables: FromClause, scope: Scope) -> list[tuple[str, Inputs]]:
    """The expression for each column; as one value where only the database knows which."""
    inner = item.unalias()
    if _is_unnested(inner):
        return _unnested(inner, alias_of(item), scope)
    marks = list(inner.find_all(exp.Columns)) or [inner.this]
    columns = None if tables.is_open else _chosen(marks[0], tables, scope)
    if columns is None or any(each.args.get("unpack") for each in marks):
        scope.environment.findings.unknown("Columns", item.sql())
        return [("", scope.star("", frozenset()))]
    return list(_applied(item, columns, scope))


def _unnested(call: exp.Expr, alias: str, scope: Scope) -> list[tuple[str, Inputs]]:
    """The members of a struct, or of structs in an array, as far as the call goes into them."""
    every = inputs_of(call.this, scope)
    options = {option.name.casefold(): option.expression for option in call.expressions}
    depth = 1 - isinstance(call.this, exp.Array)
    if "max_depth" in options:
        depth += int(options["max_depth"].name) - 1
    members = members_of(call.this, scope)
    if members is None:
        scope.environment.findings.unknown("Columns", call.sql())
        return [(alias, through(TRANSFORMATION, [every]))]
    return list(_flat(members, len(call.sql()) if "recursive" in options else depth))


def _flat(members: Relation, depth: int) -> Columns:
    """The members of a struct, in place of those that are structs their members."""
    pairs: Columns = ()
    for name, inputs in members.columns:
        struct = members.structs.get(name.casefold()) if depth > 1 else None
        pairs += _flat(struct, depth - 1) if struct else ((name, inputs),)
    return pairs


def _applied(item: exp.Expr, columns: Columns, scope: Scope) -> Iterator[tuple[str, Inputs]]:
    """The columns of an expression; ClickHouse names what APPLY makes by its function."""
    inner = item.unalias()
    functions = [call.expression.name for call in inner.find_all(exp.Apply)]
    body: exp.Expr = inner
    if functions or isinstance(inner, (exp.Like, exp.ILike)):
        body = exp.column(EACH)
        for function in reversed(functions):  # the innermost one is the last
            body = exp.func(function, body, dialect=scope.environment.dialect)
    for name, inputs in columns:
        called = name
        for function in reversed(functions):
            called = f"{function}({called})"
        copy = exp.paren(body.copy())
        for each in list(copy.find_all(exp.Columns)):
            each.replace(exp.column(EACH))
        own = inputs_of(copy, scope.with_parameters([EACH], inputs))
        yield _own_name(item, name) or called, own


def _own_name(item: exp.Expr, name: str) -> str:
    """The alias, in which DuckDB's `\\1` is what a group of the pattern has found."""
    alias, pattern = alias_of(item), item.find(exp.Columns)
    text = pattern.this if pattern else None
    is_pattern = isinstance(text, exp.Literal) and text.is_string
    match = re.search(text.name, name) if isinstance(text, exp.Literal) and is_pattern else None
    groups = [name, *(match.groups("") if match else ())]
    return re.sub(r"\\(\d)", lambda digit: dict(enumerate(groups)).get(int(digit[1]), ""), alias)


def _chosen(what: exp.Expr, tables: FromClause, scope: Scope) -> Columns | None:
    """The columns that a pattern, a list or a star names; None if that is computed."""
    inner = what.this if isinstance(what, exp.Columns) else what
    if isinstance(inner, exp.Expression) and is_star(inner):
        around = what.parent
        whole = starred(inner, tables, scope).columns
        if isinstance(around, (exp.Like, exp.ILike)) and what is around.this:
            return tuple(pair for pair in whole if _is_named(around, pair[0]))
        return whole
    if isinstance(inner, exp.Array):
        listed = [name.name.casefold() for name in inner.expressions]
        own = {name.casefold(): (name, of) for name, of in tables.star_columns()}
        return tuple(own[name] for name in listed if name in own)
    test = _test(inner)
    return test and tuple(pair for pair in tables.star_columns() if test(pair[0]))


def _test(inner: exp.Expr) -> Callable[[str], bool] | None:
    """Whether a name is meant: by a regular expression, or by LIKE in a lambda."""
    if isinstance(inner, exp.Literal) and inner.is_string:
        pattern = re.compile(inner.name)
        return lambda name: pattern.search(name) is not None
    body = inner.this if isinstance(inner, exp.Lambda) else None
    if isinstance(body, (exp.Like, exp.ILike)) and isinstance(body.expression, exp.Literal):
        return lambda name: _is_named(body, name)
    return None


def _is_named(condition: exp.Like | exp.ILike, name: str) -> bool:
    """Whether a name is what `LIKE 'a%'` says."""
    return is_like(name, condition.expression) is not bool(condition.args.get("negate"))
