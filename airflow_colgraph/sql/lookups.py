"""ClickHouse's functions that look a row up in a dictionary or a table that they name. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import (
    CONDITIONAL,
    TRANSFORMATION,
    Inputs,
    through,
    union,
)

_LOOKUP = re.compile(r"(?:DICTGET|JOINGET)\w*?(ORDEFAULT|ORNULL)?$")


def looked_up(
    node: exp.Expr, name: str, scope: Scope, inputs_of: Callable[[exp.Expr, Scope], Inputs]
) -> Inputs | None:
    """What `dictGet('d', 'a', key)` is computed from: the column `d.a`, by the key.

    None if it is another function, or if no literal names its columns.
    """
    match = _LOOKUP.match(name)
    if match is None:
        return None
    parts = [part for part in node.iter_expressions() if isinstance(part, exp.Expression)]
    if len(parts) < 3:
        return None
    table, columns = _name(parts[0]), [*_texts(parts[1])]
    if not table or not columns:
        return None
    mark_all(parts[0], scope.environment.findings)
    names = dict(zip(("this", "db", "catalog"), map(exp.to_identifier, table[::-1]), strict=False))
    query = exp.select(*map(exp.column, columns)).from_(exp.Table(**names))
    relation = scope.query(query, Scope(scope.environment, scope.query))
    values = [inputs for _, inputs in relation.columns]
    arguments = [inputs_of(part, scope) for part in parts[2:]]
    defaults = arguments[-1:] if match[1] == "ORDEFAULT" else []
    keys = arguments[: len(arguments) - len(defaults)]
    if match[1]:
        values = [through(TRANSFORMATION, [*values, *defaults])]
    return union(*values, through(CONDITIONAL, keys))


def _name(node: exp.Expr) -> list[str]:
    """The parts of the name that the first argument is: a text, or written as a column."""
    if isinstance(node, exp.Literal):
        return str(node.this).split(".")
    return [part.name for part in node.parts] if isinstance(node, exp.Column) else []


def _texts(node: exp.Expr) -> list[str]:
    """The columns that the second argument names: a text, or several in brackets."""
    items = node.expressions if isinstance(node, exp.Tuple) else [node]
    is_literal = all(isinstance(item, exp.Literal) for item in items)
    return [str(item.this) for item in items] if is_literal else []
