"""Up to 1,024 sets as bits: set i of a row is bit i % 64 of its column `w{i div 64}`. SQL text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_SETS = 1024


def words(sets: int) -> list[str]:
    """The columns for so many sets.

    >>> words(65)
    ['w0', 'w1']
    """
    return [f"w{number}" for number in range((sets + 63) // 64)]


def of_index(names: list[str]) -> list[str]:
    """Columns in which only the bit of the column `index` is set."""
    bit = "shiftleft(1L, CAST(index % 64 AS int))"
    return [f"if(index div 64 = {number}, {bit}, 0L) AS {w}" for number, w in enumerate(names)]


def united(frame: DataFrame, key: str, names: list[str]) -> DataFrame:
    """One row for each value of the key, in every set that one of its rows is in."""
    from pyspark.sql import functions as F

    return frame.groupBy(key).agg(*(F.expr(f"bit_or({w})").alias(w) for w in names))


def without(frame: DataFrame, seen: DataFrame, key: str, names: list[str]) -> DataFrame:
    """The rows of `frame` in the sets in which `seen` has them not; none without a set."""
    known_sets = seen.selectExpr(key, *(f"{w} AS seen_{w}" for w in names))
    left = [f"{w} & ~coalesce(seen_{w}, 0L) AS {w}" for w in names]
    some = " OR ".join(f"{w} <> 0" for w in names)
    return frame.join(known_sets, key, "left").selectExpr(key, *left).where(some)


def by_index(frame: DataFrame, columns: list[str], names: list[str]) -> DataFrame:
    """A row for each set that a row is in: the columns, and the set's number as `index`."""
    array = ", ".join(names)
    some = frame.selectExpr(*columns, f"posexplode(array({array})) AS (word, bits)")
    some = some.where("bits <> 0").selectExpr("*", "explode(sequence(0, 63)) AS bit")
    some = some.where("shiftright(bits, bit) & 1L = 1L")
    return some.selectExpr(*columns, "word * 64 + bit AS index")
