"""Compares closures of a sample of columns with what a store answers, at any size.

python -m oracles.sample_company --warehouse FOLDER --store URL [--share 0.01] [--depth 2]
    [--at TIME]

The store has received the same events one by one, or those until TIME. The columns are shared out
among as many sets as a closure takes; each set's fields and distances, up- and downstream, with and
without INDIRECT edges, have to be those of the store's answers for its columns. It prints how many
rows are equal and the first ones that are not, and ends with 1 if there are such.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql import DataFrame, SparkSession, functions

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.closure import closure
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.graph_tasks import MOST_SETS
from airflow_colgraph.warehouse.question import Question
from airflow_colgraph.warehouse.session import start
from airflow_colgraph.warehouse.starts import listed
from tests.warehouse.store_answers import StoreAnswers

COLUMNS = ("set", "namespace", "name", "field", "depth")
ROWS = 1_000_000  # of the store's answers, held before they are written
SHOWN = 5

Sets = Mapping[str, Sequence[Field]]


def sampled(spark: SparkSession, warehouse: str, share: float, seed: int) -> Sets:
    """Columns by chance, in sets."""
    fields = Folder(spark, warehouse).current().table(spark, "fields")
    own = fields.where("field <> '' AND id = canonical")
    count = max(round(own.count() * share), 1)
    rows = own.orderBy(functions.xxhash64("id", functions.lit(seed))).limit(count)
    found: dict[str, list[Field]] = defaultdict(list)
    for number, row in enumerate(rows.select(*COLUMNS[1:4]).collect()):
        found[str(number % MOST_SETS)].append(Field(*row))
    return found


def write_sets(sets: Sets, file: Path) -> None:
    """The CSV file that a closure takes."""
    with file.open("w", newline="") as to:
        rows = csv.writer(to)
        rows.writerow(COLUMNS[:4])
        rows.writerows((name, *field) for name, fields in sets.items() for field in fields)


def write_answers(answers: StoreAnswers, sets: Sets, question: Question, file: Path) -> None:
    """What the store answers for each set, as a table like the closure's."""

    def rows() -> Iterator[tuple[str, str, str, str, int]]:
        for name, starts in sets.items():
            nearest: dict[Field, int] = {}
            for field in starts:
                for found, depth in answers.closure(field, question).items():
                    nearest[found] = min(depth, nearest.get(found, depth))
            yield from ((name, *found, depth) for found, depth in nearest.items())

    types = [*(pa.field(name, pa.string()) for name in COLUMNS[:4]), pa.field("depth", pa.int32())]
    schema = pa.schema(types)
    with parquet.ParquetWriter(file, schema) as writer:
        found = rows()
        while some := list(islice(found, ROWS)):
            columns = zip(*some, strict=True)
            writer.write(pa.table(dict(zip(COLUMNS, map(list, columns), strict=True)), schema))


def compare(
    spark: SparkSession,
    warehouse: str,
    answers: StoreAnswers,
    sets: Sets,
    question: Question,
    root: Path,
) -> int:
    """Print and return how many rows of the two answers differ."""
    write_sets(sets, root / "sets.csv")
    began = time.perf_counter()
    path = closure(spark, warehouse, listed(str(root / "sets.csv")), question)
    closed = time.perf_counter()
    write_answers(answers, sets, question, root / "store.parquet")
    answered = time.perf_counter()
    ours, stores = (spark.read.parquet(each) for each in (path, str(root / "store.parquet")))
    ours, stores = (frame.select(*COLUMNS) for frame in (ours, stores))
    only: list[tuple[str, DataFrame]] = [
        ("warehouse", ours.exceptAll(stores)),
        ("store", stores.exceptAll(ours)),
    ]
    differ = 0
    for which, frame in only:
        differ += frame.count()
        for row in frame.take(SHOWN):
            print(f"  only in the {which}: {tuple(row)}")
    print(
        f"{question.direction}{' with INDIRECT' if question.indirect else ''}: {ours.count()} rows"
        f" of {len(sets)} sets, {differ} differ; warehouse {closed - began:.0f} s,"
        f" store {answered - closed:.0f} s",
        flush=True,
    )
    return differ


def main() -> int:
    """Compare, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m oracles.sample_company", description=__doc__)
    parser.add_argument("--warehouse", required=True, metavar="FOLDER")
    parser.add_argument("--store", required=True, metavar="URL")
    parser.add_argument("--share", type=float, default=0.01, help="of all columns")
    parser.add_argument("--depth", type=int, help="at most so many hops")
    parser.add_argument("--at", metavar="TIME", help="the lineage as of TIME")
    parser.add_argument("--memory", default="4g", help="Spark's")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of columns")
    options = parser.parse_args()
    spark = start({"spark.driver.memory": options.memory, "spark.ui.enabled": "false"})
    spark.sparkContext.setLogLevel("ERROR")
    with Store.open(options.store) as store:
        sets = sampled(spark, options.warehouse, options.share, options.seed)
        answers = StoreAnswers(store)
        known = {field for some in answers.fields.values() for field in some}
        sets = {name: [one for one in some if one in known] for name, some in sets.items()}
        print(f"{sum(map(len, sets.values()))} columns", flush=True)
        differ, at = 0, None if options.at is None else clock.parse(options.at)
        with tempfile.TemporaryDirectory() as folder:
            for indirect in (False, True):
                for direction in (UP, DOWN):
                    question = Question(direction, at, indirect, options.depth)
                    to = Path(folder)
                    differ += compare(spark, options.warehouse, answers, sets, question, to)
    spark.stop()
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
