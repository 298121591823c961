"""Functions that a script makes: what calls them reads what their text reads. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from airflow_colgraph.sql.parse import statements
from airflow_colgraph.sql.scope import Function
from airflow_colgraph.sql.session import Session


def define(node: exp.Create, session: Session) -> None:
    """CREATE FUNCTION and MACRO; one whose text can't be read is reported where it is called."""
    target, body = node.this, node.expression
    table = target.this if isinstance(target, exp.UserDefinedFunction) else target
    if not isinstance(table, exp.Table):
        return
    parameters = list(target.expressions) if isinstance(target, exp.UserDefinedFunction) else []
    if isinstance(body, exp.Lambda):  # ClickHouse
        parameters, body = body.expressions, body.this
    names = tuple(parameter.name.casefold() for parameter in parameters)
    function = _function(names, body, _language(node), session.database.place.dialect)
    session.functions[table.name.upper()] = function


def _language(node: exp.Create) -> str:
    language = node.find(exp.LanguageProperty)
    return language.name.casefold() if language else "sql"


def _function(
    names: tuple[str, ...], body: exp.Expr | None, language: str, dialect: str
) -> Function:
    if isinstance(body, exp.Return):
        body = body.this
    if isinstance(body, (exp.Heredoc, exp.Literal)):  # its last query, if it is in SQL
        nodes = statements(str(body.this), dialect) if language == "sql" else []
        queries = [node for node in nodes if isinstance(node, exp.Query)]
        return Function(names, queries[-1] if queries and len(nodes) == 1 else None, True)
    if body is None or isinstance(body, exp.Command):
        return Function(names, None)
    return Function(names, _with_columns(body, names))


def _with_columns(body: exp.Expr, names: Sequence[str]) -> exp.Expr:
    """The body in which each parameter is a column: in a lambda it is a bare name."""

    def column(node: exp.Expr) -> exp.Expr:
        is_bare = isinstance(node, exp.Identifier) and not isinstance(
            node.parent, (exp.Column, exp.Table, exp.TableAlias, exp.Alias)
        )
        return exp.column(node.name) if is_bare and node.name.casefold() in names else node

    return body.transform(column)
