"""Records, which routines put rows into: their members are variables. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.expressions import function_name
from airflow_colgraph.sql.relation import Columns, folded
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import NONE, Inputs


def record_name(value: exp.Expr) -> str:
    """The name of a record as a value, `r` or `x(1)`; "" of what can be none."""
    if isinstance(value, exp.Column):
        return ".".join(part.name for part in value.parts).casefold()
    return function_name(value).casefold()


def members_of_record(name: str, variables: dict[str, Inputs]) -> dict[str, Inputs]:
    """What the members of a record were set from, by folded name."""
    prefix = f"{name}."
    return {
        key.removeprefix(prefix): inputs
        for key, inputs in variables.items()
        if name and key.startswith(prefix)
    }


def row_of_record(value: exp.Expr, names: Iterable[str], scope: Scope) -> Columns:
    """The columns of a table that Oracle's record sets: by name, or by position if it has others.

    A record whose members are unknown is reported.
    """
    mark_all(value, scope.environment.findings)
    names = list(names)
    members = members_of_record(record_name(value), scope.environment.variables)
    if not members or not names:
        scope.environment.findings.unknown("TargetColumns")
    if members.keys() <= {*folded(names)}:
        return tuple((name, members.get(name.casefold(), NONE)) for name in names if members)
    return tuple(zip(names, members.values(), strict=False))
