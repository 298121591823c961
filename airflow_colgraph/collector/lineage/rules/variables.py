"""Variables of a session and of a script: what each was last set from.

A plan names a variable where it is read, and the command that has set it is a query like others:
its columns are what the variable is made of from then on.
"""

from __future__ import annotations

from collections.abc import Iterator

from airflow_colgraph.collector.lineage.evaluation import (
    EXPRESSIONS,
    evaluate,
)
from airflow_colgraph.collector.lineage.frame import Frame
from airflow_colgraph.collector.lineage.resolution import NODES, Resolution, Scope, scope_of
from airflow_colgraph.collector.lineage.values import Value
from airflow_colgraph.collector.model import Variable
from airflow_colgraph.collector.plan import Node, Row, Rows, kind
from airflow_colgraph.collector.registry import register
from airflow_colgraph.collector.spark.jvm import Java, seq

MADE_BY = ("CreateVariable", "SetVariable")
LOCAL = "FakeLocalCatalog$"  # whose a script's variables are
NAME = "variable"  # added to a row: a new variable's name, which JSON lacks


def variable(row: Row, name: str) -> Variable:
    """The variable of a name in the catalog that a row names; names of any case are the same."""
    return str(row["catalog"]["object"]).rpartition(".")[2], name.casefold()


def variable_read(row: Row) -> Variable:
    """The variable that a reference names: the last of `[session, x]`."""
    parts = row["originalNameParts"]
    return variable(row, str(parts).strip("[]").rpartition(", ")[2])


def set_by(plan: Rows) -> Iterator[Variable]:
    """The variables that a command makes or sets, in the order of its columns."""
    command = Node("", plan[0])
    if "targetVariables" in plan[0]:
        yield from (variable_read(rows[0]) for rows in command.expressions("targetVariables"))
    else:
        yield from (variable(row, row[NAME]) for row in plan if NAME in row)


def has_variables(text: str) -> bool:
    """Whether a plan's JSON reads variables."""
    return '.VariableReference"' in text


def mark_names(plan: Rows, command: Java) -> None:
    """Add the names of the variables that a command makes."""
    rows = (row for row in plan if kind(row) == "ResolvedIdentifier")
    for row, found in zip(rows, seq(command.children())):
        row[NAME] = str(found.identifier().name())


def session_of(execution: Java) -> str:
    """The session that a query ran in."""
    return str(execution.sparkSession().sessionUUID())


@register(EXPRESSIONS, "VariableReference")
def _variable(row: Row, scope: Scope, children: list[Value]) -> Value:
    return scope.query.variable(variable_read(row))


@register(EXPRESSIONS, "DefaultValueExpression")
def _default(row: Row, scope: Scope, children: list[Value]) -> Value:
    return children[0]


@register(NODES, "CreateVariable")
def _created(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """All the names of one `DECLARE` begin as the same."""
    value = evaluate(node.expression("defaultExpr") or [], scope_of(node, children, query))
    names = range(len(children))
    return Frame(tuple(names), dict.fromkeys(names, value))
