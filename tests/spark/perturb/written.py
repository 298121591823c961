"""The cases' own queries, TPC-H's and TPC-DS's among them, as programs over any tables. Pure."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from tests.collector.cases.loader import SQL_FILES, sql_cases
from tests.spark.perturb.data import Type

CREATED = re.compile(r"^CREATE TABLE \S+\s+(?:USING \w+\s+)?AS\s+", re.I)
DATABASES = ("raw", "tpch", "tpcds")


class Written(NamedTuple):
    """A query that a case has, its tables written as `@t1`."""

    name: str
    database: str
    text: str


def written() -> Iterator[Written]:
    """The queries over tables of one database, each once.

    Not those with odd names, nor those where a value says how many rows come from it: no facet
    has a word for that.
    """
    seen = set()
    for file in SQL_FILES:
        for case in sql_cases(file):
            found = CREATED.match(case.statement)
            used = [name for name in DATABASES if f"{name}." in case.statement]
            odd = "`" in case.statement or "explode(sequence" in case.statement
            if not found or odd or len(used) != 1 or case.statement in seen:
                continue
            seen.add(case.statement)
            text = case.statement[found.end() :]
            yield Written(case.name, used[0], re.sub(rf"\b{used[0]}\.", "@", text))


def type_of(found: Any) -> Type:
    """A Spark type as JSON, as the oracle writes it."""
    if isinstance(found, str):
        return {"integer": "int", "long": "bigint"}.get(found, found)
    if found["type"] == "struct":
        return {part["name"]: type_of(part["type"]) for part in found["fields"]}
    if found["type"] == "array":
        return [type_of(found["elementType"])]
    return (type_of(found["valueType"]),)


KEY = re.compile(r"(key|_sk|_?id|number)$")
KEYS = (1, 2, 3, 4)  # few, so that eight tables joined have rows


def named_in(text: str, columns: Iterable[str] = ()) -> dict[str, Sequence[Any]]:
    """The values that a query names, by type, and those of the columns that tables join by."""
    quoted = re.findall(r"'([^']*)'", text)
    dates = [datetime.date.fromisoformat(w) for w in quoted if re.fullmatch(r"\d{4}-\d\d-\d\d", w)]
    days = [day + datetime.timedelta(step) for day in dates for step in (-20, -1, 0, 1, 20)]
    numbers = [float(number) for number in re.findall(r"\b\d{1,6}(?:\.\d+)?\b", text)]
    words = [re.sub(r"[%_]", "", word) for word in quoted]
    near = [number + step for number in numbers for step in (-1, 0, 1)]
    whole = [int(number) for number in near if number == int(number)]
    found: dict[str, Sequence[Any]] = {"string": words, "int": whole, "date": days}
    found["decimal"] = [Decimal(str(round(number, 2))) for number in [*near, *numbers]]
    return {**found, "timestamp": days, **{name: KEYS for name in columns if KEY.search(name)}}
