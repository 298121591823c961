"""Measures the warehouse on synthetic events, beside the store in the same run.

python -m bench.warehouse [--size S|M|L] [--cores 2]

CPU seconds are those of the machine's processes that each side started: for the store this
process, for Spark its JVM and Python workers. The closure is of one dataset's fields and of a set
for each of 1,024 fields; beside it the store answers the same questions one by one.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.build import build
from airflow_colgraph.warehouse.closure import Question, closure
from airflow_colgraph.warehouse.impact import impact
from airflow_colgraph.warehouse.session import start
from airflow_colgraph.warehouse.starts import listed, named
from bench.store import add_all
from bench.synthetic import SIZES, Size, events, name

FILES = 8  # event files
SETS = 1024


def cpu() -> float:
    """CPU seconds of this process and all that it started, also of those that still run."""
    import psutil

    here = psutil.Process()
    total = 0.0
    for process in [here, *here.children(recursive=True)]:
        times = process.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
    return total


def measured(what: str, work: Callable[[], Any], count: int = 0, unit: str = "") -> Any:
    """Do the work; print its wall and CPU seconds, and how many of `count` a CPU second."""
    wall, used = time.perf_counter(), cpu()
    found = work()
    wall, used = time.perf_counter() - wall, cpu() - used
    rate = f"  {count / max(used, 0.01):9.0f} {unit} a CPU second" if count else ""
    print(f"  {what:<44}{wall:8.1f} s{used:8.1f} CPU s{rate}", flush=True)
    return found


def write(size: Size, folder: Path) -> int:
    """The events as files of consecutive days; how many they are."""
    every = size.days * (size.datasets - size.datasets // 10)
    stream = events(size)
    for number in range(FILES):
        share = itertools.islice(stream, -(-every // FILES))
        with open(folder / f"{number}.jsonl", "wb") as file:
            file.writelines(orjson.dumps(event) + b"\n" for event in share)
    return every


def main() -> None:
    """Measure and print one line a figure."""
    parser = argparse.ArgumentParser(prog="python -m bench.warehouse", description=__doc__)
    parser.add_argument("--size", choices=sorted(SIZES), default="S")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    options = parser.parse_args()
    size = SIZES[options.size]
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "events"
        folder.mkdir()
        count = write(size, folder)
        print(f"size {options.size}: {count} events")
        store = Store.open(f"sqlite:///{root}/store.db")
        measured("store: ingest in lists of 500", lambda: add_all(store, size), count, "events")
        conf = {"spark.master": f"local[{options.cores}]", "spark.ui.enabled": "false"}
        conf["spark.sql.shuffle.partitions"] = str(2 * options.cores)
        spark = measured("warehouse: start Spark", lambda: start(conf))
        spark.sparkContext.setLogLevel("OFF")
        questions(spark, store, size, str(folder), Path(root), count)
        spark.stop()
        store.close()


def questions(spark: Any, store: Store, size: Size, folder: str, root: Path, count: int) -> None:
    """Both sides' builds and answers."""
    to = str(root / "warehouse")
    built = measured("warehouse: build", lambda: build(spark, [folder], to), count, "events")
    edges = spark.read.parquet(f"{built.path}/edges").count()
    print(f"  {edges} edges with their intervals")
    measured("warehouse: build without new files", lambda: build(spark, [folder], to))
    width = size.datasets // 10
    first = [name(dataset, width) for dataset in range(width)]
    down = Question("downstream")
    measured("warehouse: closure of a dataset", lambda: closure(spark, to, named(first[:1]), down))
    fields = known(store, first)[:SETS]
    sets = root / "sets.csv"
    lines = [f"{number},s3://lake,{one},{field}" for number, (one, field) in enumerate(fields)]
    sets.write_text("\n".join(["set,namespace,name,field", *lines]))
    what = f"closure of {len(fields)} fields"
    measured(f"warehouse: {what}", lambda: closure(spark, to, listed(str(sets)), down))
    measured(f"store: {what}, one by one", lambda: one_by_one(store, fields))
    measured(f"warehouse: impact of {size.datasets} datasets", lambda: impact(spark, to))


def known(store: Store, datasets: list[str]) -> list[tuple[str, str]]:
    """The fields of the datasets that an event names."""
    sql = (
        "SELECT d.name, f.name FROM colgraph_field AS f JOIN colgraph_dataset AS d"
        " ON d.id = f.dataset WHERE f.name <> '' ORDER BY 1, 2"
    )
    with store.connection() as connection:
        rows = connection.exec_driver_sql(sql).all()
    return [(dataset, field) for dataset, field in rows if dataset in set(datasets)]


def one_by_one(store: Store, fields: list[tuple[str, str]]) -> None:
    """The store's answers."""
    for dataset, field in fields:
        graph.downstream(store, "s3://lake", dataset, field, depth=100, limit=10**9)


if __name__ == "__main__":
    main()
