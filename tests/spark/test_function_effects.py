"""Functions that a program runs for their effects: the last event names what they reach.

It said `output to foreach`, and nothing of what a stream's `foreachBatch` does beside Spark.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

HELPERS = """
import shutil


def keep(path):
    shutil.copy(path, path + ".kept")
"""

PROGRAM = """
import os
import sqlite3
import sys
from functools import partial

import helpers
from pyspark.sql import SparkSession

out = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
spark.range(3).write.parquet(f"{out}/in")
frame = spark.read.parquet(f"{out}/in")


def to_file(row):
    with open(f"{out}/rows", "a") as file:
        file.write(str(row.id))
    with open(f"{out}/rows") as file:
        file.read()


def to_table(path, rows):
    import urllib.request

    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE IF NOT EXISTS t (id INT)")
    connection.executemany("INSERT INTO t VALUES (?)", [(row.id,) for row in rows])
    connection.commit()
    if path == "never":
        urllib.request.urlopen("https://example.org", data=b"x")


class Batches:
    def __call__(self, batch, number):
        batch.write.mode("append").parquet(f"{out}/batches")
        self.note(batch.toPandas())

    def note(self, pdf):
        pdf.to_csv(f"{out}/batch.csv")
        pdf.to_csv().encode()
        helpers.keep(f"{out}/batch.csv")


def stream():
    source = spark.readStream.schema("id LONG").parquet(f"{out}/in").writeStream
    return source.trigger(availableNow=True)


def plain(batch, number):
    batch.write.mode("append").parquet(f"{out}/plain")


frame.foreach(to_file)
frame.rdd.foreachPartition(partial(to_table, f"{out}/db"))
frame.foreach(lambda row: None)
stream().foreachBatch(Batches()).start().awaitTermination()
stream().foreachBatch(plain).start().awaitTermination()
stream().foreach(to_file).start().awaitTermination()
"""


def test_what_functions_reach_beside_spark_is_named(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helpers.py").write_text(HELPERS)
    line = {text.strip(): at for at, text in enumerate(PROGRAM.splitlines(), 1)}
    first = line['with open(f"{out}/rows", "a") as file:']
    opened = f"open at program.py:{first}"
    connect = line["connection = sqlite3.connect(path)"]
    asked = line['urllib.request.urlopen("https://example.org", data=b"x")']
    command = [sys.executable, "-c", "from airflow_colgraph.cli import main; main()", "submit"]
    command += ["--quiet", "--output", str(tmp_path / "events"), "--", "--master", "local[1]"]
    command += ["--conf", "spark.ui.enabled=false", str(tmp_path / "program.py"), str(tmp_path)]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "XDG_CACHE_HOME": str(tmp_path)}
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert "colgraph: " not in ran.stderr
    last = json.loads((tmp_path / "events").read_text().splitlines()[-1])
    gaps = last["run"]["facets"]["colgraph_diagnostics"]["completeness"]["unaccounted"]
    batch = line['pdf.to_csv(f"{out}/batch.csv")']
    assert sorted(gap["by"] for gap in gaps) == sorted(
        [
            f"output to foreach ({opened})",
            "output to foreachPartition ("
            f"sqlite3.connect at program.py:{connect}, "
            f"execute at program.py:{connect + 1}, executemany at program.py:{connect + 2}, "
            f"urllib.request.urlopen at program.py:{asked})",
            "output to foreach",
            f"output to foreachBatch (to_csv at program.py:{batch}, shutil.copy at helpers.py:6)",
            f"output to ForeachWriterTable ({opened})",
        ]
    )
