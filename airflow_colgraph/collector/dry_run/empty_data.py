"""DataFrames of data that is empty in a plan only: Spark infers no types of no rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.dry_run.python_api import replace
from airflow_colgraph.collector.python_functions.driver_frames import DRIVER_FRAMES
from airflow_colgraph.collector.python_functions.rdd_chains import names_of_elements
from airflow_colgraph.collector.python_functions.rdd_frames import RDD_CALLS

BY_KIND = {"b": "boolean", "i": "long", "u": "long", "f": "double", "M": "timestamp"}
BY_SIZE = {("i", 1): "byte", ("i", 2): "short", ("i", 4): "integer", ("f", 4): "float"}
# What Spark infers of Python's values, by the type of the column that they come from.
BY_ROWS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "long"),
    **dict.fromkeys(("float", "double"), "double"),
    **{name: name for name in ("boolean", "date", "timestamp", "binary")},
}
OTHER = "string"  # of pandas' dtype `object`, and of lists


def attach(notes: Notes) -> None:
    """Replace the method for this process."""
    from pyspark.sql import SparkSession

    replace(SparkSession, "createDataFrame", partial(typed, notes))


def typed(notes: Notes, original: Any) -> Any:
    """`createDataFrame` with types for columns that only have names."""

    # Its name is how `place_of_call` knows it.
    def createDataFrame(
        session: Any, data: Any, schema: Any = None, *more: Any, **options: Any
    ) -> Any:
        if schema is None or isinstance(schema, (list, tuple)):
            columns = columns_of(data, schema, notes)
            schema = schema_of(columns) if columns else schema
        return original(session, data, schema, *more, **options)

    return createDataFrame


def columns_of(data: Any, names: Sequence[str] | None, notes: Notes) -> list[tuple[str, str]]:
    """The columns of data without rows, with their types; none of data with rows."""
    if hasattr(data, "iloc"):  # of pandas
        names = names or [str(name) for name in data.columns]
        return [] if len(data) else list(zip(names, map(type_of, data.dtypes)))
    if hasattr(data, "mapPartitions"):
        is_empty = notes.inside(data.isEmpty)
        names = (names or names_of_rdd(data)) if is_empty else None
        if names:
            notes.assume("SparkSession.createDataFrame", "as if its columns were strings")
    elif not isinstance(data, (list, tuple)) or data:
        return []
    else:
        columns = DRIVER_FRAMES.columns_of_list(names or ())
        return [(name, BY_ROWS.get(type_, OTHER)) for name, type_ in columns]
    return [(name, OTHER) for name in names or ()]


def names_of_rdd(rdd: Any) -> list[str]:
    """The names of the columns that an RDD of rows or dicts has, by the functions that made it."""
    chain = RDD_CALLS.chain(rdd)
    return names_of_elements(chain) if chain is not None else []


def schema_of(columns: Iterable[tuple[str, str]]) -> Any:
    """The schema of columns with Spark's names of their types."""
    from pyspark.sql.types import StructType

    schema = StructType()
    for name, type_ in columns:
        schema = schema.add(name, type_)
    return schema


def type_of(dtype: Any) -> str:
    """Spark's name of a type of numpy's.

    >>> import numpy
    >>> [type_of(numpy.dtype(name)) for name in ("int64", "int16", "float32", "O", "M8[ns]")]
    ['long', 'short', 'float', 'string', 'timestamp']
    """
    kind = getattr(dtype, "kind", "O")
    return BY_SIZE.get((kind, getattr(dtype, "itemsize", 0))) or BY_KIND.get(kind, OTHER)
