"""Values in place of those of a row that a plan does not have."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

DAY = datetime.datetime(1970, 1, 2)
BY_TYPE = {
    **dict.fromkeys(("byte", "short", "integer", "long"), 1),
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), 1),
    **dict.fromkeys(("float", "double"), 1.0),
    **dict.fromkeys(("string", "char", "varchar"), "1"),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), DAY),
    "date": DAY.date(),
    "boolean": True,
    "decimal": Decimal(1),
}


def value_of(data_type: Any) -> Any:
    """A value of Spark's type with which a program can compute: 1, or what stands for it.

    None for other types, such as intervals.
    """
    name = data_type.typeName()
    if name == "struct":
        return row_of(data_type)
    if name == "array":
        return [value_of(data_type.elementType)]
    if name == "map":
        return {value_of(data_type.keyType): value_of(data_type.valueType)}
    return BY_TYPE.get(name)


def row_of(schema: Any, values: Any = None) -> Any:
    """A row of the schema: the given values, and others where these are None."""
    from pyspark.sql import Row

    own = [None for _ in schema.fields] if values is None else values
    others = (value_of(field.dataType) for field in schema.fields)
    every = [other if value is None else value for value, other in zip(own, others)]
    return Row(*schema.fieldNames())(*every)
