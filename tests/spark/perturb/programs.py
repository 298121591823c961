"""What is judged: a made query or program, as text, and how to run it over any tables.

A query may have statements before it, each ended by ` ;; `.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession, Window, functions

from tests.spark.perturb import shapes, steps

TABLE = re.compile(r"@(\w+)")
SHAPED = re.compile(r"explode|inline\(|stack\(|unpivot|struct|arrays_zip|withField|its", re.I)
PARAMETERS = {"p1": 1, "p2": "b"}
FRAMES = 0.3  # of what is made


class Program:
    """A query that can be asked over several sets of tables."""

    def __init__(self, text: str, spark: SparkSession) -> None:
        """`text` is SQL with `@` before each table, or an expression as `frames` makes them."""
        self.text = text
        self.spark = spark
        self.makes_rows = SHAPED.search(text) is not None

    def over(self, name: Callable[[str], str]) -> DataFrame:
        """The query over the tables as `name` calls them."""
        text = TABLE.sub(lambda found: name(found[1]), self.text)
        if not text.startswith(("T(", "(lambda")):
            *before, query = text.split(" ;; ")
            for statement in before:
                self.spark.sql(statement)
            named = {name: value for name, value in PARAMETERS.items() if f":{name}" in query}
            return self.spark.sql(query, args=named or None)
        known = {"T": lambda table: self.spark.table(name(table)), "F": functions, "W": Window}
        found: DataFrame = eval(text, known)
        return found


def text_of(seed: int) -> str:
    """What is made from a seed: SQL, or a program of DataFrames."""
    made = shapes.Shapes(f"which {seed}")
    return steps.program(seed) if made.chance(FRAMES) else shapes.sql(seed)
