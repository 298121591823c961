"""Which casts the user wrote: in a plan's JSON they look like those that Spark adds."""

from __future__ import annotations

from airflow_colgraph.collector.fitting import FITTINGS
from airflow_colgraph.collector.jvm import Java, option, scala_object
from airflow_colgraph.collector.plan import Rows, kind

CAST = "org.apache.spark.sql.catalyst.expressions.Cast"
MOST_OF_A_CALL = 300  # letters
TYPES = {  # that Spark has a function of the same name for
    *("bigint", "binary", "boolean", "date", "decimal", "double", "float", "int"),
    *("smallint", "string", "time", "timestamp", "tinyint"),
}


def is_cast_by_the_user(rows: Rows, java: Java) -> bool:
    """Whether the user wrote a cast between an alias and what is below."""
    asked = scala_object(java, CAST).USER_SPECIFIED_CAST()
    for row in rows[1:]:
        java = java.children().apply(0)
        if kind(row) not in FITTINGS:
            break
        if java.getTagValue(asked).isDefined() or is_called(java):
            return True
    return False


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
