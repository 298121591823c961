"""Variables of a session and of a script: what each was last set from.

A plan names a variable where it is read, and the command that has set it is a query like others:
its columns are what the variable comes from from then on.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from airflow_colgraph.collector.lineage.evaluation import (
    EXPRESSIONS,
    evaluate,
)
from airflow_colgraph.collector.lineage.frame import Frame
from airflow_colgraph.collector.lineage.resolution import NODES, Resolution, Scope, scope_of
from airflow_colgraph.collector.lineage.transformations import MASKING
from airflow_colgraph.collector.lineage.values import NOTHING, SOURCELESS, Value, made_of, stepped
from airflow_colgraph.collector.model import PlanNotes, Variable
from airflow_colgraph.collector.plan import Node, Row, Rows, kind
from airflow_colgraph.collector.registry import ANY, register

MADE_BY = ("CreateVariable", "SetVariable")
LOCAL = "FakeLocalCatalog$"  # whose a script's variables are


def variable(row: Row, name: str) -> Variable:
    """The variable of a name in the catalog that a row names; names of any case are the same."""
    return str(row["catalog"]["object"]).rpartition(".")[2], name.casefold()


def variable_read(row: Row) -> Variable:
    """The variable that a reference names: the last of `[session, x]`."""
    parts = row["originalNameParts"]
    return variable(row, str(parts).strip("[]").rpartition(", ")[2])


def set_by(plan: Rows, notes: PlanNotes) -> Iterator[Variable]:
    """The variables that a command makes or sets, in the order of its columns."""
    command = Node("", plan[0])
    if "targetVariables" in plan[0]:
        yield from (variable_read(rows[0]) for rows in command.expressions("targetVariables"))
    else:
        identifiers = [row for row in plan if kind(row) == "ResolvedIdentifier"]
        yield from map(variable, identifiers, notes.variable_names)


def has_variables(text: str) -> bool:
    """Whether a plan's JSON reads variables."""
    return '.VariableReference"' in text


VARIABLES = ("UnresolvedAttribute", "VariableReference")
DEFAULT = "[default]"  # the keyword among the values of an inline table
OWNERS = (LOCAL, "FakeSystemCatalog$")  # in the order in which Spark looks for a name


def variable_of(row: Row, variables: Container[Any]) -> Variable | None:
    """Which of the known variables one of VARIABLES is, if any.

    A name in the text of an inline table may be qualified, `[session, x]`, or be that of a struct.
    """
    if kind(row) == "VariableReference":
        candidates = [variable_read(row)]
    else:
        parts = str(row["nameParts"]).strip("[]").casefold().split(", ")
        candidates = [(owner, part) for part in parts for owner in OWNERS]
    return next((variable for variable in candidates if variable in variables), None)


@register(EXPRESSIONS, *VARIABLES)
def _variable(row: Row, scope: Scope, children: list[Value]) -> Value:
    if str(row.get("nameParts")).casefold() == DEFAULT:
        return SOURCELESS  # what the table has for the column: Spark takes only constants
    variable = variable_of(row, scope.query.sources.variables)
    if variable is None:
        scope.query.unresolved[kind(row)] += 1
        return NOTHING
    return scope.query.variable(variable)


@register(EXPRESSIONS, "UnresolvedInlineTable")
def _unknown_rows(row: Row, scope: Scope, children: list[Value]) -> Value:
    """A column of a table whose text could not be analyzed."""
    scope.query.opaque["UnresolvedInlineTable"] += 1
    return made_of(children)


CLASSES = {  # of functions in SQL whose classes do not simply depend on all their arguments
    "coalesce": "Coalesce",
    "crc32": "Crc32",
    "hash": "Murmur3Hash",
    "if": "If",
    "ifnull": "Coalesce",
    "mask": "Mask",
    "md5": "Md5",
    "nanvl": "NaNvl",
    "nvl": "Coalesce",
    "sha": "Sha1",
    "sha1": "Sha1",
    "sha2": "Sha2",
    "xxhash64": "XxHash64",
}


@register(EXPRESSIONS, "UnresolvedFunction")
def _function_by_name(row: Row, scope: Scope, children: list[Value]) -> Value:
    """A function in the text of an inline table: as the class that Spark makes of it."""
    name = str(row["nameParts"]).strip("[]").rpartition(", ")[2].casefold()
    value = EXPRESSIONS.rule(CLASSES.get(name, ANY))(row, scope, children)
    if scope.query.masks(name, row):
        return stepped(value, MASKING)
    return value


@register(EXPRESSIONS, "DefaultValueExpression")
def _default(row: Row, scope: Scope, children: list[Value]) -> Value:
    return children[0]


@register(NODES, "CreateVariable")
def _created(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """All the names of one `DECLARE` begin as the same."""
    value = evaluate(node.expression("defaultExpr") or [], scope_of(node, children, query))
    names = range(len(children))
    if len(names) != len(query.sources.notes.variable_names):
        query.unresolved[node.kind] += 1
    return Frame(tuple(names), dict.fromkeys(names, value))
