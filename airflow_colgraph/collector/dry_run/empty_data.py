"""DataFrames of data that is empty in a plan only: Spark infers no types of no rows."""

from __future__ import annotations

from itertools import repeat
from typing import Any

from airflow_colgraph.collector.dry_run.python_api import replace

BY_KIND = {"b": "boolean", "i": "long", "u": "long", "f": "double", "M": "timestamp"}
BY_SIZE = {("i", 1): "byte", ("i", 2): "short", ("i", 4): "integer", ("f", 4): "float"}
OTHER = "string"  # of pandas' dtype `object`, and of lists


def attach() -> None:
    """Replace the method for this process."""
    from pyspark.sql import SparkSession

    replace(SparkSession, "createDataFrame", typed)


def typed(original: Any) -> Any:
    """`createDataFrame` with types for columns of which only the names are stated."""

    def create(session: Any, data: Any, schema: Any = None, *more: Any, **options: Any) -> Any:
        if schema is None or isinstance(schema, (list, tuple)):
            schema = schema_of(data, schema) or schema
        return original(session, data, schema, *more, **options)

    return create


def schema_of(data: Any, names: Any) -> Any:
    """The schema of an empty pandas DataFrame, or of an empty list with names; else None."""
    from pyspark.sql.types import StructType

    if hasattr(data, "dtypes") and hasattr(data, "iloc") and not len(data):
        columns = zip(names or map(str, data.columns), map(type_of, data.dtypes))
    elif isinstance(data, (list, tuple)) and not data:
        columns = zip(names or (), repeat(OTHER))
    else:
        return None
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
