"""Methods whose columns or branches depend on values that the JVM looks up: named as actions are.

Most depend on them in one form only, such as `pivot` without its values.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.dry_run.python_api import frame_class, noted, replace
from airflow_colgraph.collector.dry_run.schemas import has_schema

FRAME_METHODS = ("approxQuantile", "corr", "cov", "crosstab", "transpose")
READERS_OF_RDDS = ("csv", "json", "xml")
QUOTED = re.compile(  # texts, names in quotes, and comments
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|--[^\n]*|/\*.*?\*/""", re.DOTALL
)
SCRIPT = re.compile(r"\s*(?:\w+\s*:\s*)?BEGIN\b", re.IGNORECASE)
BRANCH = re.compile(  # a statement, and not an expression
    r"(?:[;:]|\b(?:BEGIN|THEN|ELSE|DO|LOOP|REPEAT))\s*(?:IF|WHILE|REPEAT|FOR|CASE)\b", re.IGNORECASE
)


def attach(notes: Notes) -> None:
    """Replace the methods for this process."""
    from pyspark.sql import DataFrameReader, GroupedData, Observation, SparkSession

    for name in FRAME_METHODS:
        replace(frame_class(), name, partial(noted, notes, f"DataFrame.{name}"))
    replace(frame_class(), "approxQuantile", with_quantiles)
    conditional: list[tuple[Any, str, Callable[..., bool]]] = [
        (GroupedData, "pivot", has_no_values),
        (SparkSession, "sql", is_script_with_branches),
        *((DataFrameReader, name, partial(is_inferred_of_rdd, name)) for name in READERS_OF_RDDS),
    ]
    for owner, name, depends_on_values in conditional:
        shown = f"{owner.__name__}.{name}"
        replace(owner, name, partial(noted, notes, shown, when=depends_on_values))
    observation: Any = Observation
    observation.get = property(noted(notes, "Observation.get", observation.get.fget))


def with_quantiles(original: Any) -> Any:
    """The method with a number for each quantile that a column without rows has none of."""

    def act(self: Any, columns: Any, probabilities: Any, *error: Any, **options: Any) -> Any:
        quantiles = original(self, columns, probabilities, *error, **options)
        ones = [1.0 for _ in probabilities]
        if isinstance(columns, (list, tuple)):
            return [each or ones for each in quantiles]
        return quantiles or ones

    return act


def has_no_values(grouped: Any, column: Any, values: Any = None) -> bool:
    """Whether `pivot` takes its values from the rows."""
    return values is None


def is_inferred_of_rdd(name: str, reader: Any, path: Any, *arguments: Any, **options: Any) -> bool:
    """Whether a reader infers its columns from the rows of an RDD."""
    from pyspark import RDD

    return isinstance(path, RDD) and not has_schema(name, reader, arguments, options)


def is_script_with_branches(session: Any, query: str, *arguments: Any, **options: Any) -> bool:
    """Whether a text is a SQL script with branches.

    >>> is_script_with_branches(None, "BEGIN IF (SELECT true FROM t) THEN SELECT 1; END IF; END")
    True
    >>> is_script_with_branches(None, "BEGIN DROP TABLE IF EXISTS t; SELECT '; if a'; END")
    False
    >>> is_script_with_branches(None, "SELECT CASE WHEN a THEN b END")
    False
    """
    text = QUOTED.sub(" ", query)
    return bool(SCRIPT.match(text) and BRANCH.search(text))
