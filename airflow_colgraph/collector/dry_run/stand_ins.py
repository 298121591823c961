"""Values in place of those of a row that a plan does not have."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

DAY = datetime.datetime(1970, 1, 1)
BY_TYPE: dict[str, Callable[[int], Any]] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), int),
    **dict.fromkeys(("float", "double"), float),
    **dict.fromkeys(("string", "char", "varchar"), str),
    **dict.fromkeys(
        ("timestamp", "timestamp_ntz"), lambda number: DAY + datetime.timedelta(number)
    ),
    "date": lambda number: DAY.date() + datetime.timedelta(number),
    "boolean": bool,
    "decimal": Decimal,
}


def value_of(data_type: Any, number: int) -> Any:
    """A number as a value of Spark's type; None for types that have none, such as intervals."""
    name = data_type.typeName()
    if name == "struct":
        return row_of(data_type, [None for _ in data_type.fields], number)
    if name == "array":
        return [value_of(data_type.elementType, number)]
    if name == "map":
        return {value_of(data_type.keyType, number): value_of(data_type.valueType, number)}
    return BY_TYPE[name](number) if name in BY_TYPE else None


def row_of(schema: Any, values: Iterable[Any], number: int) -> Any:
    """A row of the schema with these values, and the number where they are None."""
    from pyspark.sql import Row

    others = (value_of(field.dataType, number) for field in schema.fields)
    every = [other if value is None else value for value, other in zip(values, others)]
    return Row(*schema.fieldNames())(*every)
