"""The Project that Spark puts on top of an insert to fit the query to the table's columns. Pure.

It renames by position, casts, checks for nulls and pads chars. The user wrote none of it, so a
column behind it is the same value: IDENTITY.
"""

from __future__ import annotations

from airflow_colgraph.collector.plan import Row, Rows, as_rows, kind

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
    attribute = next((row for row in rows[1:] if kind(row) == "AttributeReference"), None)
    wrappers = [row for row in rows[1:] if kind(row) not in ("AttributeReference", "Literal")]
    attributes = sum(kind(row) == "AttributeReference" for row in rows)
    if attribute is None or attributes > 1 or any(kind(row) not in FITTINGS for row in wrappers):
        return rows
    return [rows[0], attribute]
