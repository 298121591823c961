"""Names joined by dots to a call: a method of a column, or a function that has a schema. Pure."""

from __future__ import annotations

import re

from sqlglot import exp

from airflow_colgraph.sql.expressions import function_name, inputs_of
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import AGGREGATION, TRANSFORMATION, Inputs, through
from airflow_colgraph.sql.trees import CALLS, column_named

# Of T-SQL's and Oracle's types: what stands before is a column, even if no table lists it.
_OF_TYPES = re.compile(
    r"VALUE|QUERY|EXIST|NODES|ST[A-Z]\w+|TOSTRING|GET(STRING|CLOB|NUMBER)VAL|EXISTSNODE", re.I
)


def is_method(node: exp.Expr, scope: Scope) -> bool:
    """Whether `a.f(..)` is a method of what stands before it, and not the function of a schema."""
    if not (isinstance(node, exp.Dot) and isinstance(node.expression, CALLS)):
        return False
    column = column_named(node.this)
    if column is None:
        return True
    parts = tuple(part.name for part in column.parts)
    is_likely = scope.environment.dialect == "duckdb" or _OF_TYPES.fullmatch(
        function_name(node.expression)
    )
    return scope.has_column(parts) or (scope.is_open and bool(is_likely))


def of_method(node: exp.Dot, scope: Scope) -> Inputs:
    """What a method makes of its column and its arguments; DuckDB's `a.sum()` is an aggregate."""
    column = column_named(node.this)
    owner = inputs_of(node.this if column is None else column, scope)
    arguments = (inputs_of(part, scope) for part in node.expression.iter_expressions())
    kind = exp.FUNCTION_BY_NAME.get(function_name(node.expression), exp.Func)
    step = AGGREGATION if issubclass(kind, exp.AggFunc) else TRANSFORMATION
    return through(step, [owner, *arguments])


def without_schema(node: exp.Expr, scope: Scope) -> exp.Expr:
    """The call of a function that has a schema before it: `dbo.f(x)`."""
    is_call = isinstance(node, exp.Dot) and isinstance(node.expression, CALLS)
    return node.expression if is_call and not is_method(node, scope) else node
