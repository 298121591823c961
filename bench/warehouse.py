"""Measures the warehouse on the events of a company, and on twice as many.

python -m bench.warehouse [--columns 20000 --edges 100000 --days 10 --jobs 2000]
    [--times 1 2] [--only closure impact] [--postgres]

`--times 1 2` measures the size and then its double. Columns: wall seconds, CPU seconds of this
process and all that it started (PostgreSQL's server is not among them, and those of Python workers
that end during a step are lost), and the machine's load when the step began. Beside Spark, in the
same run: one process with NumPy over the same edges, which reads the Parquet files, maps ids and
follows the same sets.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as compute
import pyarrow.dataset as dataset

from airflow_colgraph.publish.publish import publish
from airflow_colgraph.warehouse.build import build
from airflow_colgraph.warehouse.closure import closure
from airflow_colgraph.warehouse.impact import impact
from airflow_colgraph.warehouse.kept_history import ALL
from airflow_colgraph.warehouse.question import Question
from airflow_colgraph.warehouse.session import start
from airflow_colgraph.warehouse.starts import listed
from bench.company import Company, Shape, write
from bench.measure import cpu, measured
from bench.store import database
from bench.synthetic import NAMESPACE, column

SETS, OF_SET = 1024, 10  # tags, and the columns that each is on
DOWN = Question("downstream")
QUESTIONS = ["closure", "impact", "publish"]


def steps_of_build() -> Any:
    """A build's progress that prints the CPU seconds of each step when the next one begins."""
    last = ["start", cpu()]

    def progress(name: str, number: int, steps: int) -> None:
        now = cpu()
        print(f"    {last[0]:<42}{now - last[1]:18.1f} CPU s", flush=True)
        last[:] = [name, now]

    return progress


def tags(company: Company, sets: int, file: Path) -> Path:
    """A CSV file of sets of source columns."""
    choose = random.Random(1)
    lines = ["set,namespace,name,field"]
    for number in range(sets):
        for _ in range(OF_SET):
            source = choose.randrange(company.shape.width)
            field = column(choose.randrange(company.columns[source]))
            lines.append(f"{number},{NAMESPACE},{company.name(source)},{field}")
    file.write_text("\n".join(dict.fromkeys(lines)))
    return file


def known(spark: Any, version: str, file: Path) -> None:
    """Leave out the columns of sources that no job reads: no event names them."""
    given = spark.read.csv(str(file), header=True)
    fields = spark.read.parquet(f"{version}/fields").select("namespace", "name", "field")
    rows = given.join(fields, ["namespace", "name", "field"]).select("set", *given.columns[1:])
    lines = [",".join(row) for row in rows.collect()]
    file.write_text("\n".join(["set,namespace,name,field", *lines]))


def in_one_process(version: str, file: Path) -> int:
    """The same closure by NumPy: each field's sets as bits; how many pairs of set and field."""
    edges = dataset.dataset(f"{version}/edges", partitioning="hive").to_table(
        filter=compute.field("closed_at").is_null() & (compute.field("kind") == "DIRECT"),
        columns=["input", "output"],
    )
    near, far = (edges[name].to_numpy() for name in ("input", "output"))
    ids, places = np.unique(np.concatenate([near, far]), return_inverse=True)
    near, far = places[: len(near)], places[len(near) :]
    order = np.argsort(far, kind="stable")
    near, far = near[order], far[order]
    ends, first = np.unique(far, return_index=True)
    fields = dataset.dataset(f"{version}/fields").to_table()
    at = {id: place for place, id in enumerate(ids.tolist())}
    names = zip(*(fields[name].to_pylist() for name in ("name", "field", "canonical")), strict=True)
    named = {(name, field): canonical for name, field, canonical in names}
    seen = np.zeros((len(ids), -(-SETS // 64)), np.uint64)
    alone = 0  # starts without an edge
    for line in file.read_text().splitlines()[1:]:
        number, _, name, field = line.split(",")
        place = at.get(named[name, field])
        if place is None:
            alone += 1
        else:
            seen[place, int(number) // 64] |= np.uint64(1 << int(number) % 64)
    found = seen.copy()
    while found.any():
        reached = np.zeros_like(seen)
        reached[ends] = np.bitwise_or.reduceat(found[near], first, axis=0)
        found = reached & ~seen
        seen |= found
    return int(np.bitwise_count(seen).sum()) + alone


def closures(spark: Any, company: Company, version: str, to: str, root: Path) -> None:
    """Those of one tag and of many, by Spark and in one process, which find the same."""
    for sets in (1, SETS):
        file = tags(company, sets, root / f"{sets}.csv")
        known(spark, version, file)
        answer = measured(
            f"closure of {sets} tags", lambda f=file: closure(spark, to, listed(str(f)), DOWN)
        )
        pairs = spark.read.parquet(answer).count()
        wall, used = time.perf_counter(), time.process_time()
        alone = in_one_process(version, file)
        wall, used = time.perf_counter() - wall, time.process_time() - used
        print(f"  one process, {sets} tags: {wall:.1f} s, {used:.1f} CPU s")
        assert alone == pairs, f"{alone} fields of sets in one process, {pairs} by Spark"
        print(f"  {pairs} fields of sets by both")


def publications(spark: Any, to: str, root: Path, postgres: bool) -> None:
    """Into a file, and into a server of PostgreSQL."""
    file = f"sqlite:///{root}/team.db"
    measured("publish, the latest lineage, SQLite", lambda: publish(spark, to, file))
    measured("publish, all history, SQLite", lambda: publish(spark, to, file, since=ALL))
    if postgres:
        with database(True) as url:
            measured("publish, all history, PostgreSQL", lambda: publish(spark, to, url, since=ALL))


def measure(spark: Any, shape: Shape, root: Path, only: list[str], postgres: bool) -> None:
    """All steps of one size."""
    print(f"{shape.columns} columns, {shape.edges} edges, {shape.days} days, {shape.jobs} jobs")
    company = Company(shape)
    events, to = root / "events", str(root / "warehouse")
    count = measured("write the events", lambda: write(shape, events))
    size = sum(file.stat().st_size for file in events.iterdir())
    print(f"  {count} events, {size / 1e6:.0f} MB")
    steps = steps_of_build()
    built = measured("build", lambda: build(spark, [str(events)], to, steps), count, "events")
    edges = spark.read.parquet(f"{built.path}/edges")
    print(f"  {edges.count()} edges, {edges.where('closed_at IS NULL').count()} of them now")
    work = {
        "closure": lambda: closures(spark, company, built.path, to, root),
        "impact": lambda: measured(
            f"impact of {shape.datasets} datasets", lambda: impact(spark, to)
        ),
        "publish": lambda: publications(spark, to, root, postgres),
    }
    for name in only:
        work[name]()


def main() -> None:
    """Measure and print one line a figure."""
    parser = argparse.ArgumentParser(prog="python -m bench.warehouse", description=__doc__)
    for option, most in (("columns", 20_000), ("edges", 100_000), ("days", 10), ("jobs", 2_000)):
        parser.add_argument(f"--{option}", type=int, default=most)
    parser.add_argument("--times", type=int, nargs="+", default=[1])
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="+", choices=QUESTIONS, default=QUESTIONS)
    parser.add_argument("--postgres", action="store_true", help="also into a server of its own")
    options = parser.parse_args()
    conf = {"spark.master": f"local[{options.cores}]", "spark.ui.enabled": "false"}
    conf |= {"spark.sql.shuffle.partitions": str(2 * options.cores), "spark.driver.memory": "4g"}
    spark = start(conf)
    spark.sparkContext.setLogLevel("OFF")
    for times in options.times:
        sizes = options.columns * times, options.edges * times, options.days, options.jobs * times
        with tempfile.TemporaryDirectory() as root:
            measure(spark, Shape(*sizes), Path(root), options.only, options.postgres)
    spark.stop()


if __name__ == "__main__":
    main()
