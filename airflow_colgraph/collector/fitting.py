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
    """The plan of an insert whose top Project no longer wraps the user's columns."""
    if not plan or kind(plan[0]) != "Project":
        return plan
    items = [as_rows(item) for item in plan[0]["projectList"]]
    top: Row = {**plan[0], "projectList": [bare(rows) for rows in items]}
    return [top, *plan[1:]]


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
