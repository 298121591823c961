"""The Project that Spark puts on top of an insert to fit the query to the table's columns. Pure.

It renames by position, casts, checks for nulls and pads chars. The user wrote none of it, so a
column behind it is the same value: IDENTITY.
"""

from __future__ import annotations

from airflow_colgraph.collector.plan import Node, Row, Rows, as_rows, flatten, kind, parse

FITTINGS = {
    "Cast",
    "AnsiCast",
    "UpCast",
    "CheckOverflowInTableInsert",
    "AssertNotNull",
    "KnownNotNull",
    "StaticInvoke",  # char padding and varchar length checks
}


def unfitted(plan: Rows) -> Rows:
    """The plan of an insert whose fitting Project no longer wraps the user's columns."""
    top = fitting_at(plan)
    if top is None:
        return plan
    items = [bare(rows) for rows in projected(plan[top])]
    return [*plan[:top], {**plan[top], "projectList": items}, *plan[top + 1 :]]


def fitting_at(plan: Rows) -> int | None:
    """Where the Project is that may fit columns: below those that only put columns in order."""
    for index, row in enumerate(plan):
        if kind(row) != "Project":
            return None
        if not all(is_placed(rows) for rows in projected(row)):
            return index
    return None


def projected(project: Row) -> list[Rows]:
    """The expressions of a Project."""
    return [as_rows(item) for item in project["projectList"]]


def is_placed(rows: Rows) -> bool:
    """Whether an expression is a column as it is, or made of none: a static partition's value."""
    kinds = [kind(row) for row in rows]
    return kinds[0] == "AttributeReference" or "AttributeReference" not in kinds


def bare(rows: Rows) -> Rows:
    """`cast(total as bigint) AS total`, if Spark made it, as `total AS total`; else unchanged.

    Spark's own alias carries the metadata of the table's column; one that a user wrote has none.
    """
    if kind(rows[0]) != "Alias" or "explicitMetadata" not in rows[0]:
        return rows
    return [rows[0], *flatten(unwrapped(parse(rows[1:])))]


def unwrapped(node: Node) -> Node:
    """A column without what Spark put around it, or around each member of a struct."""
    if node.kind in FITTINGS and node.children:
        return unwrapped(node.children[0])
    if node.kind == "If" and node.children[0].kind == "IsNull":  # a struct that may be absent
        return unwrapped(node.children[2])
    if node.kind == "CreateNamedStruct":
        names, values = node.children[0::2], [unwrapped(value) for value in node.children[1::2]]
        if all(is_member(value, values[0], place) for place, value in enumerate(values)):
            return unwrapped(values[0].children[0])
        pairs = (part for pair in zip(names, values) for part in pair)
        return node._replace(children=tuple(pairs))
    if node.kind == "ArrayTransform":  # each element of an array of structs
        array, function = node.children
        body, *variables = function.children
        if flatten(unwrapped(body)) == flatten(variables[0]):
            return unwrapped(array)
    return node


def is_member(value: Node, first: Node, place: int) -> bool:
    """Whether a value is the member at `place` of the struct that `first` is a member of."""
    if value.kind != "GetStructField" or value.row.get("ordinal") != place:
        return False
    return first.kind == "GetStructField" and value.children[0].row == first.children[0].row
