"""Which casts the user wrote: in a plan's JSON they look like those that Spark adds."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_colgraph.collector.lineage.insert_casts import BY_THE_USER, FITTINGS
from airflow_colgraph.collector.lineage.rules.row_level import CLAUSES, INSTRUCTIONS
from airflow_colgraph.collector.plan import Node, Row, Rows, kind, parse, ways
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


# UPDATE and MERGE -----------------------------------------------------------------------------

CHANGES = {"MergeIntoCommand", "ReplaceData", "UpdateCommand", "WriteDelta"}
PUT = {  # where the nodes of such a plan have what is put into the table's columns
    "MergeIntoCommand": CLAUSES,
    "MergeRows": INSTRUCTIONS,
    "Project": ("projectList",),
    "UpdateCommand": ("updateExpressions",),
}


def mark_puts(plan: Rows, java: Java) -> None:
    """Mark the casts of columns that the user wrote in an UPDATE or MERGE."""
    for path, node in putting(parse(plan)):
        found = descend(java, path)
        for name in PUT[node.kind]:
            for index, rows in enumerate(node.expressions(name)):
                for way, row in casts_of_columns(rows):
                    mark_cast(row, descend(getattr(found, name)().apply(index), way))


def casts_of_columns(rows: Rows) -> list[tuple[tuple[int, ...], Row]]:
    """The casts of columns in an expression, with the way to each."""
    return [
        (way, node.row)
        for way, node in ways(parse(rows), ("Cast",))
        if node.children[0].kind == "AttributeReference"
    ]


def mark_cast(row: Row, java: Java) -> None:
    """Mark a cast if the user wrote it."""
    if is_asked_for(java):
        row[BY_THE_USER] = True


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
