"""Which casts the user wrote: in a plan's JSON they look like those that Spark adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from airflow_colgraph.collector.lineage.insert_casts import (
    FITTINGS,
    fitting_at,
    is_rebuilt,
    projected,
)
from airflow_colgraph.collector.lineage.rules.row_level import CLAUSES, INSTRUCTIONS
from airflow_colgraph.collector.model import Ids, Place
from airflow_colgraph.collector.plan import Node, Row, Rows, expr_id, kind, parse, ways
from airflow_colgraph.collector.spark.jvm import Java, descend, option, scala_object

CAST = "org.apache.spark.sql.catalyst.expressions.Cast"
MOST_OF_A_CALL = 300  # letters
TYPES = {  # that Spark has a function of the same name for
    *("bigint", "binary", "boolean", "date", "decimal", "double", "float", "int"),
    *("smallint", "string", "time", "timestamp", "tinyint"),
}


def is_cast_by_the_user(rows: Rows, java: Java) -> bool:
    """Whether the user wrote a cast between an alias and what is below."""
    for row in rows[1:]:
        java = java.children().apply(0)
        if kind(row) not in FITTINGS:
            break
        if is_asked_for(java):
            return True
    return False


def is_asked_for(java: Java) -> bool:
    """Whether a cast, or what else fits a column, was written by the user."""
    asked = scala_object(java, CAST).USER_SPECIFIED_CAST()
    return java.getTagValue(asked).isDefined() or is_called(java)


def is_called(java: Java) -> bool:
    """Whether a cast of a column was written as `bigint(a)`, which Spark does not mark as asked.

    Its text is that call, or the name of the function of a frame's column that made it; the text of
    a cast of Spark's own is all of the union or of the insert, or nothing.
    """
    origin = java.origin()
    first, last = option(origin.startIndex()), option(origin.stopIndex())
    if first is not None and last is not None and last - first > MOST_OF_A_CALL:
        return False
    name, is_call, _ = str(origin.context().fragment()).partition("(")
    if not is_call:
        return name == "call_function"
    return name.strip().rpartition(".")[2].strip("`").lower() in TYPES


# INSERT --------------------------------------------------------------------------------------


def fitted_columns(plan: Rows, java: Java) -> Iterator[int]:
    """The columns that Spark cast to the table's types, where its alias does not show it.

    From 4.1 on the alias does. Before, such a cast looks like one of the user's; the JVM knows
    which the user asked for.
    """
    depth = fitting_at(plan)
    if depth is None or any("explicitMetadata" in rows[0] for rows in projected(plan[depth])):
        return
    items = descend(java, (0,) * depth).projectList()
    for index, rows in enumerate(projected(plan[depth])):
        if kind(rows[0]) != "Alias":
            continue
        is_wrapped = kind(rows[1]) in FITTINGS
        if is_wrapped and is_cast_by_the_user(rows, items.apply(index)):
            continue
        if is_wrapped or is_rebuilt_by_spark(rows, plan[depth + 1]):
            yield expr_id(rows[0])


def is_rebuilt_by_spark(rows: Rows, below: Row) -> bool:
    """Whether Spark put a struct together: with a guard, or above what the user selected."""
    is_guarded = kind(rows[1]) != "CreateNamedStruct"
    is_own = kind(below) != "SubqueryAlias" and not rows[0].get("nonInheritableMetadataKeys")
    return (is_guarded or is_own) and is_rebuilt(rows[1:])


# UPDATE and MERGE -----------------------------------------------------------------------------

CHANGES = {"MergeIntoCommand", "ReplaceData", "UpdateCommand", "WriteDelta"}
PUT = {  # where the nodes of such a plan have what is put into the table's columns
    "MergeIntoCommand": CLAUSES,
    "MergeRows": INSTRUCTIONS,
    "Project": ("projectList",),
    "UpdateCommand": ("updateExpressions",),
}


def user_casts(plan: Rows, java: Java) -> Iterator[Place]:
    """The casts of columns that the user wrote in an UPDATE or MERGE."""
    for path, node in putting(parse(plan)):
        part = descend(java, path)
        for name in PUT[node.kind]:
            for index, rows in enumerate(node.expressions(name)):
                item = expr_id(rows[0]) if node.kind == "Project" else index
                expression = partial(item_of, part, name, index)
                yield from (Place(name, item, way) for way in casts_by_user(rows, expression))


def item_of(node: Java, name: str, index: int) -> Java:
    """One of the expressions in a field of a node."""
    return getattr(node, name)().apply(index)


def casts_by_user(rows: Rows, expression: Callable[[], Java]) -> Iterator[Ids]:
    """The ways to the casts of columns that the user wrote in an expression."""
    for way, node in ways(parse(rows), ("Cast",)):
        is_of_column = node.children[0].kind == "AttributeReference"
        if is_of_column and is_asked_for(descend(expression(), way)):
            yield way


def putting(root: Node) -> Iterator[tuple[tuple[int, ...], Node]]:
    """The nodes in PUT that belong to the command itself, with the way to each."""
    path: tuple[int, ...] = ()
    node = root
    while node.kind in PUT or node.kind in CHANGES or node.kind == "Union":
        if node.kind in PUT:
            yield path, node
        if not node.children or node.kind == "MergeRows":
            return
        path, node = (*path, 0), node.children[0]
