"""Models of pyspark.ml, which fits none to no rows: it is given rows that the plan makes.

The files of a model that is loaded are read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import Any

from airflow_colgraph.collector.dry_run.counts import records
from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.dry_run.python_api import SAMPLED, replace, rows_of
from airflow_colgraph.collector.spark.rdds import PLANNED_ROWS

ROWS = 32
SIZE = 3  # of a vector that says none
SIZES = ("ml_attr", "num_attrs")  # where a column's metadata says it
FIRST = date(2020, 1, 1)
FIT, EVALUATE = "fit", "evaluate"
OWNERS = {  # by the module that is imported once the owner's is whole
    "pyspark.ml.pipeline": ("pyspark.ml.base", "Estimator", FIT),
    "pyspark.ml.tuning": ("pyspark.ml.evaluation", "Evaluator", EVALUATE),
}
FILES = "pyspark.ml.pipeline"  # which is imported before any model is loaded or saved


class OnImport:
    """Replaces the methods of pyspark.ml if a program imports it."""

    def __init__(self, notes: Notes) -> None:
        """`notes` says what was learned from made-up rows."""
        self._notes = notes

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Look at which module is imported."""
        if name in OWNERS:
            module, owner, method = OWNERS[name]
            replace(getattr(import_module(module), owner), method, partial(learning, self._notes))
        if name == FILES:
            util = import_module("pyspark.ml.util")
            util.MLReadable.load = classmethod(loading(self._notes, util.MLReadable.load.__func__))
            for writer in (util.MLWriter, util.JavaMLWriter):
                replace(writer, "save", partial(saving, self._notes))
        return None


def attach(notes: Notes) -> None:
    """Replace the methods for this process, once they are there."""
    sys.meta_path.insert(0, OnImport(notes))


def learning(notes: Notes, original: Any) -> Any:
    """A method that looks at the rows of a frame, with made-up ones where it has none."""

    def act(self: Any, dataset: Any, *arguments: Any, **options: Any) -> Any:
        if notes.is_inside or rows_of(dataset) == SAMPLED:
            return notes.inside(lambda: original(self, dataset, *arguments, **options))
        name = f"{type(self).__name__}.{original.__name__}"
        if original.__name__ == FIT:
            notes.assume(name, "from made-up rows")
        else:  # its result may choose a branch
            notes.action(name)
        return uncounted(
            notes, lambda: original(self, made_up_rows(dataset), *arguments, **options)
        )

    return act


def loading(notes: Notes, original: Any) -> Any:
    """A class method that reads the files of a model: its parameters are no rows of the job's."""

    def load(owner: Any, path: str) -> Any:
        if notes.is_inside:  # a stage of a pipeline
            return original(owner, path)
        strategy = spark_context()._jvm.colgraph.DryRunStrategy
        strategy.load(path)
        try:
            return uncounted(notes, lambda: original(owner, path))
        finally:
            strategy.load(None)

    return load


def saving(notes: Notes, original: Any) -> Any:
    """A method that writes the files of a model, by RDDs before Spark 4: its own rows."""

    def save(self: Any, path: str) -> None:
        uncounted(notes, lambda: original(self, path))

    return save


def spark_context() -> Any:
    """The SparkContext that pyspark.ml works in: the one that runs, else a new one."""
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate().sparkContext


def uncounted(notes: Notes, act: Callable[[], Any]) -> Any:
    """What `act` returns; the rows that Spark reads and writes meanwhile are not the sources'."""
    if notes.is_inside:
        return act()
    context = spark_context()
    before = records(context)
    try:
        return notes.inside(act)
    finally:
        read, written = (after - was for after, was in zip(records(context), before))
        notes.made_records = (notes.made_records[0] + read, notes.made_records[1] + written)


def made_up_rows(frame: Any) -> Any:
    """A frame of made-up rows with the columns of another."""
    fields = frame.schema.fields
    rows = [
        tuple(
            value(field.dataType, row, place, field.metadata) for place, field in enumerate(fields)
        )
        for row in range(ROWS)
    ]
    session = frame.sparkSession
    rdd = session.sparkContext.parallelize(rows, 1).setName(PLANNED_ROWS)
    return session.createDataFrame(rdd, frame.schema)


def value(kind: Any, row: int, place: int, metadata: Any = None) -> Any:
    """A value of a type: numbers are 0 and 1, as labels may be, in another order in each column."""
    name = kind.typeName()
    bit = (row >> place % 4) & 1
    if name == "array":
        return [value(kind.elementType, each, 0) for each in range(2)]
    if name == "map":
        return {value(kind.keyType, row, place): value(kind.valueType, row, place)}
    if name == "struct":
        return tuple(value(field.dataType, row, at) for at, field in enumerate(kind.fields))
    if type(kind).__name__ == "VectorUDT":
        return vector(row, (metadata or {}).get(SIZES[0], {}).get(SIZES[1], SIZE))
    make = VALUES.get(name)
    return make(bit, row) if make is not None else None


def vector(row: int, size: int) -> Any:
    """A vector that differs in each row."""
    from pyspark.ml.linalg import Vectors

    return Vectors.dense([float((row * 7 + at * 3) % 11) for at in range(size)])


VALUES: dict[str, Callable[[int, int], Any]] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), lambda bit, _: bit),
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), lambda bit, _: bit),
    **dict.fromkeys(("float", "double"), lambda bit, _: float(bit)),
    **dict.fromkeys(("string", "varchar", "char"), lambda bit, _: "ab"[bit]),
    "boolean": lambda bit, _: bool(bit),
    "decimal": lambda bit, _: Decimal(bit),
    "binary": lambda bit, _: bytes([bit]),
    "date": lambda _, row: FIRST + timedelta(days=row),
    "timestamp": lambda _, row: datetime(2020, 1, 1) + timedelta(days=row),
    "timestamp_ntz": lambda _, row: datetime(2020, 1, 1) + timedelta(days=row),
}
"""By Spark's name of a type, computed from 0 or 1 and the row's number."""
