"""What Spark puts around columns to fit them to a table, or to the other sides of a union. Pure.

On top of an insert a Project renames by position, casts, checks for nulls and pads chars; below a
set operation a Project casts to the type that all sides share. The user wrote none of it, so a
column behind it is the same value: IDENTITY.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from airflow_colgraph.collector.model import Place, PlanNotes
from airflow_colgraph.collector.plan import (
    Node,
    Row,
    Rows,
    as_rows,
    expr_id,
    flatten,
    kind,
    parse,
)

FITTINGS = {
    "Cast",
    "AnsiCast",
    "UpCast",
    "CheckOverflowInTableInsert",
    "AssertNotNull",
    "KnownNotNull",
    "StaticInvoke",  # char padding and varchar length checks
}


def without_insert_casts(plan: Rows, notes: PlanNotes) -> Rows:
    """The plan of an insert whose fitting Project no longer wraps the user's columns."""
    top = fitting_at(plan)
    if top is None:
        return plan
    items = [bare(rows, notes.fitted_columns) for rows in projected(plan[top])]
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
    """Whether an expression is a column as it is, or reads none: a static partition's value."""
    kinds = [kind(row) for row in rows]
    return kinds[0] == "AttributeReference" or "AttributeReference" not in kinds


def bare(rows: Rows, fitted_columns: Collection[int]) -> Rows:
    """`cast(total as bigint) AS total`, if Spark made it, as `total AS total`; else unchanged.

    From Spark 4.1 on Spark's own alias carries the metadata of the table's column, and one that a
    user wrote has none; before, `fitted_columns` are the ids of Spark's own.
    """
    alias = rows[0]
    if kind(alias) != "Alias":
        return rows
    if "explicitMetadata" not in alias and expr_id(alias) not in fitted_columns:
        return rows
    return [rows[0], *flatten(unwrapped(parse(rows[1:])))]


REBUILT = {"ArrayTransform", "CreateNamedStruct", "If", "MapFromArrays"}


def unwrapped(node: Node) -> Node:
    """A column without what Spark put around it, or around each member of a struct.

    A struct that was put together in another order has what it was before as one more child.
    """
    if node.kind in FITTINGS and node.children:
        return unwrapped(node.children[0])
    if node.kind == "If" and node.children[0].kind == "IsNull":  # a struct that may be absent
        return unwrapped(node.children[2])
    if node.kind == "CreateNamedStruct":
        return put_together(node)
    if node.kind == "ArrayTransform":  # each element of an array of structs
        array, function = node.children
        body, *variables = function.children
        return over(unwrapped(body), variables[0], unwrapped(array)) or node
    if node.kind == "MapFromArrays":  # each value of a map of structs
        keys, values = map(unwrapped, node.children)
        if keys.kind == "MapKeys":
            old = keys._replace(kind="MapValues", row={"class": "MapValues"})
            return over(values, old, unwrapped(keys.children[0])) or node
    return node


def put_together(node: Node) -> Node:
    """A struct of another's members: that struct itself where they are in its order."""
    names, values = node.children[0::2], [unwrapped(value) for value in node.children[1::2]]
    pairs = tuple(part for pair in zip(names, values) for part in pair)
    members = [value for value in values if value.kind != "Literal"]
    if not members or not all(is_of(value, members[0]) for value in members):
        return node._replace(children=pairs)
    whole = unwrapped(members[0].children[0])
    if [value.row.get("ordinal") for value in values] == [*range(len(values))]:
        return whole
    row = {**node.row, "num-children": len(pairs) + 1}
    return node._replace(row=row, children=(*pairs, whole))


def is_of(value: Node, first: Node) -> bool:
    """Whether a value is a member of the struct that `first` is a member of."""
    if value.kind != "GetStructField" or first.kind != "GetStructField":
        return False
    return flatten(value.children[0]) == flatten(first.children[0])


def over(body: Node, element: Node, whole: Node) -> Node | None:
    """What was done with each `element` of `whole`, where that was nothing but to fit it."""
    if is_same(body, element):
        return whole
    if body.kind == "CreateNamedStruct" and is_same(body.children[-1], element):
        return replaced(body, element, whole)
    return None


def is_same(left: Node, other: Node) -> bool:
    """Whether two expressions are the same; of a map's values only the map is compared."""
    if left.kind == other.kind == "MapValues":
        return flatten(left.children[0]) == flatten(other.children[0])
    return flatten(left) == flatten(other)


def replaced(node: Node, old: Node, new: Node) -> Node:
    """A tree with `new` where `old` was."""
    if is_same(node, old):
        return new
    return node._replace(children=tuple(replaced(child, old, new) for child in node.children))


def is_rebuilt(rows: Rows) -> bool:
    """Whether an expression is a column of structs put together again from its own members."""
    if kind(rows[0]) not in REBUILT:
        return False
    node = unwrapped(parse(rows))
    is_struct = node.kind == "CreateNamedStruct" and len(node.children) % 2 == 1
    return is_struct or node.kind == "AttributeReference"


def fitted(rows: Rows, is_by_user: bool = False) -> Rows:
    """A bare column without what Spark has put around it to fit a type; a user's cast stays."""
    *around, last = rows
    is_column = kind(last) == "AttributeReference" and not is_by_user
    if is_column and all(kind(row) in FITTINGS for row in around):
        return [last]
    is_guarded = kind(rows[0]) in REBUILT - {"CreateNamedStruct"}  # which people do not write
    return flatten(unwrapped(parse(rows))) if is_guarded and is_rebuilt(rows) else rows


def fitted_at(place: Place, rows: Rows, notes: PlanNotes) -> Rows:
    """What an UPDATE or MERGE puts into a column, as `fitted`; `place` is where it is in its node.

    A cast that the user wrote is right above the column.
    """
    cast = place.below(*[0] * (len(rows) - 2))
    return fitted(rows, cast in notes.user_casts)


# Set operations -------------------------------------------------------------------------------

SET_OPERATIONS = {"Except", "Intersect", "Union", "UnionLoop"}


def widenings(node: Node) -> Iterator[tuple[int, list[int]]]:
    """The sides of a set operation that Spark may have cast, and which of their columns.

    Its casts look like those of a user who kept the names: only the JVM knows.
    """
    if node.kind not in SET_OPERATIONS:
        return
    for side, child in enumerate(node.children):
        items = child.expressions("projectList") if child.kind == "Project" else []
        cast = [place for place, rows in enumerate(items) if is_cast_column(rows)]
        if cast:
            yield side, cast


def is_cast_column(rows: Rows) -> bool:
    """Whether an expression is `cast(a AS ..) AS a`."""
    kinds = [kind(row) for row in rows]
    return kinds == ["Alias", "Cast", "AttributeReference"] and rows[0]["name"] == rows[2]["name"]


def without_casts(part: Any, ids: Collection[int]) -> Any:
    """A plan with the casts taken out of the aliases with these ids, in subqueries too."""
    if isinstance(part, dict):
        return {name: without_casts(value, ids) for name, value in part.items()}
    if not isinstance(part, list):
        return part
    first = part[0] if part else None
    if isinstance(first, dict) and kind_of(first) == "Alias" and expr_id(first) in ids:
        return [first, *fitted(part[1:])]
    return [without_casts(value, ids) for value in part]


def kind_of(row: dict[str, Any]) -> str:
    """The kind of what may be a row."""
    return kind(row) if "class" in row else ""
