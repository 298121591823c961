"""Measures closures and the impact on tables of a warehouse that were made without events.

python -m bench.closures --edges 250000 500000 1000000 [--impact] [--cores 2]

The events of ten million edges and thirty days are some 54 GB. What a closure costs depends on the
tables only, so NumPy makes these: ten layers of datasets of ten columns, three inputs a dataset,
every third one a hub (one dataset of a hundred), ten edges a column. The sizes are measured one
after the other in one Spark, after a small one that nobody looks at, so that they differ by the
work and not by Spark's start. Beside them, on the same edges and equal in its result: NumPy in one
process.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from airflow_colgraph.warehouse.closure import closure
from airflow_colgraph.warehouse.impact import impact
from airflow_colgraph.warehouse.session import start
from airflow_colgraph.warehouse.starts import listed
from bench.company import HUBS
from bench.measure import measured
from bench.synthetic import LAYERS, NAMESPACE
from bench.warehouse import DOWN, OF_SET, SETS, in_one_process

COLUMNS, INPUTS, OF_COLUMN = 10, 3, 10  # of a dataset, of a dataset, edges of a column
WARM = 20_000  # edges of the size that is not printed


def make(edges: int, folder: Path) -> int:
    """The tables of a version with so many edges; the number of datasets."""
    choose = np.random.default_rng(1)
    width = max(edges // (OF_COLUMN * COLUMNS * (LAYERS - 1)), 2)
    datasets = width * LAYERS
    written = np.arange(width, datasets)
    shape = len(written), INPUTS
    below = (written // width - 1)[:, None] * width
    hubs = max(round(width * HUBS), 1)
    inputs = below + np.where(
        choose.random(shape) < 1 / 3,
        choose.integers(hubs, size=shape),
        choose.integers(width, size=shape),
    )
    output = np.repeat(np.arange(width * COLUMNS, datasets * COLUMNS), OF_COLUMN)
    source = inputs[output // COLUMNS - width, choose.integers(INPUTS, size=len(output))]
    pairs = np.stack([output, source * COLUMNS + choose.integers(COLUMNS, size=len(output))], 1)
    output, source = np.unique(pairs, axis=0).T
    count = len(output)
    version = folder / "versions" / "00000001-made"
    _write(
        version / "edges" / "is_current=true",
        kind=pa.array(["DIRECT"]).take(pa.array(np.zeros(count, int))),
        output=output,
        input=source,
        job=output // COLUMNS,
        closed_at=pa.nulls(count, pa.timestamp("us", "UTC")),
    )
    columns = np.arange(datasets * COLUMNS)
    of_whole = datasets * COLUMNS + np.arange(datasets)
    owner = np.concatenate([columns // COLUMNS, np.arange(datasets)])
    id = np.concatenate([columns, of_whole])
    names = [f"d{number}" for number in owner]
    fields = [f"c{number % COLUMNS}" for number in columns] + [""] * datasets
    same = {"id": id, "namespace": [NAMESPACE] * len(id), "name": names, "canonical": id}
    _write(version / "fields", **same, dataset=of_whole[owner], field=fields)
    whole = {name: list(values[len(columns) :]) for name, values in same.items()}
    _write(version / "datasets", **whole)
    _write(version / "jobs", id=written, dag_id=[f"dag{number // 20}" for number in written])
    (folder / "commits").mkdir()
    commit = folder / "commits" / "00000001.json"
    commit.write_text(json.dumps({"version": "versions/00000001-made"}))
    return datasets


def _write(folder: Path, **columns: Any) -> None:
    folder.mkdir(parents=True)
    parquet.write_table(pa.table(columns), folder / "part.parquet", row_group_size=200_000)


def tags(datasets: int, sets: int, file: Path) -> Path:
    """A CSV file of sets of columns of the first layer."""
    choose = random.Random(1)
    lines = ["set,namespace,name,field"]
    for number in range(sets):
        for _ in range(OF_SET):
            dataset, field = choose.randrange(datasets // LAYERS), choose.randrange(COLUMNS)
            lines.append(f"{number},{NAMESPACE},d{dataset},c{field}")
    file.write_text("\n".join(dict.fromkeys(lines)))
    return file


def measure(spark: Any, edges: int, root: Path, with_impact: bool) -> None:
    """One size."""
    datasets = make(edges, root)
    version = f"{root}/versions/00000001-made"
    count = spark.read.parquet(f"{version}/edges").count()
    print(f"{count} edges, {datasets * COLUMNS} columns, {datasets} datasets", flush=True)
    for sets in (1, SETS):
        file = tags(datasets, sets, root / f"{sets}.csv")
        answer = measured(
            f"closure of {sets} tags",
            lambda f=file: closure(spark, str(root), listed(str(f)), DOWN),
        )
        pairs = spark.read.parquet(answer).count()
        used = time.process_time()
        assert in_one_process(version, file) == pairs
        used = time.process_time() - used
        print(f"  {pairs} fields of sets; NumPy alone: {used:.1f} CPU s")
    if with_impact:
        measured("impact of all datasets", lambda: impact(spark, str(root)))


def main() -> None:
    """Measure and print one line a figure."""
    parser = argparse.ArgumentParser(prog="python -m bench.closures", description=__doc__)
    parser.add_argument("--edges", type=int, nargs="+", default=[250_000, 500_000, 1_000_000])
    parser.add_argument("--impact", action="store_true")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    options = parser.parse_args()
    conf = {"spark.master": f"local[{options.cores}]", "spark.ui.enabled": "false"}
    spark = start(conf | {"spark.driver.memory": "4g"})
    spark.sparkContext.setLogLevel("OFF")
    for edges in (WARM, *options.edges):
        with tempfile.TemporaryDirectory() as root:
            measure(spark, edges, Path(root), options.impact)
    spark.stop()


if __name__ == "__main__":
    main()
