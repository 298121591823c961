"""Class data sharing for the JVMs of the tests: Spark's classes, mapped from an archive.

A test's JVM lives a few seconds, and most of these go into loading and verifying Spark's
classes. `python -m dev.class_data_sharing` makes the archive (JEP 350) of this environment's Spark
if there is none; `tests/conftest.py` points spark-submit to it. A JVM of another Spark, or with
another class path, does without it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

ARCHIVES = Path(__file__).parents[1] / ".work/class-data"
TIERED = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"  # C1 alone reserves 48 MB
BRIEF = f"{TIERED} -XX:+UseSerialGC"  # of JVMs that live a few seconds
QUIET = "-Xlog:cds=off -Xlog:cds+dynamic=off"  # of an archive that does not fit

JOB = """
import sys
from pyspark.sql import SparkSession, functions as F

out = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
rows = spark.range(9).select("id", F.udf(lambda value: value + 1, "long")("id").alias("next"))
for format in ("parquet", "csv", "json"):
    rows.write.format(format).save(f"{out}/{format}")
    spark.read.format(format).schema(rows.schema).load(f"{out}/{format}").createTempView(format)
spark.sql("CREATE TABLE joined USING parquet AS SELECT id, p.next, rank() OVER (ORDER BY id) AS r"
          " FROM parquet p JOIN csv c USING (id) WHERE id > 1")
spark.sql("INSERT INTO joined SELECT id, count(*), sum(next) FROM json GROUP BY id")
spark.createDataFrame([(1, "a")], "x INT, y STRING").union(spark.sql("SELECT 1, 'b'")).collect()
"""


def environment() -> dict[str, str]:
    """The variables by which each spark-submit of this environment's Spark uses the archive."""
    archive = _archive()
    if archive is None or not archive.exists():
        return {}
    return {  # jobs may choose another garbage collector
        "SPARK_LAUNCHER_OPTS": BRIEF,
        "SPARK_SUBMIT_OPTS": f"{TIERED} -XX:SharedArchiveFile={archive} {QUIET}",
    }


def make() -> str:
    """Run a job that loads what jobs load, and keep its classes; returns what was done."""
    archive = _archive()
    if archive is None:
        return "there is no Spark here"
    if archive.exists():
        return f"{archive} is there"
    since = monotonic()
    ARCHIVES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ARCHIVES) as folder:
        job, made = Path(folder, "job.py"), Path(folder, "made.jsa")
        job.write_text(JOB)
        done = subprocess.run(
            ["spark-submit", "--master", "local[1]", str(job), folder],
            cwd=folder,
            env={**os.environ, "SPARK_SUBMIT_OPTS": f"{BRIEF} -XX:ArchiveClassesAtExit={made}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode or not made.exists():
            print(done.stdout, file=sys.stderr)
            raise subprocess.CalledProcessError(done.returncode, done.args)
        made.replace(archive)
    size = archive.stat().st_size / 1e6
    return f"{archive}: {size:.0f} MB in {monotonic() - since:.0f} s"


def _archive() -> Path | None:
    """Where the archive of this Spark and this Java is."""
    spark = importlib.util.find_spec("pyspark")
    if spark is None or spark.origin is None:
        return None
    version = Path(spark.origin).with_name("version.py").read_text()
    release = Path(os.path.realpath(_java())).parents[1] / "release"
    text = release.read_text() if release.exists() else ""
    key = f"{spark.origin} {version} {release} {text}"
    return ARCHIVES / f"{hashlib.sha256(key.encode()).hexdigest()[:12]}.jsa"


def _java() -> str:
    """The `java` that spark-submit starts."""
    home = os.environ.get("JAVA_HOME")
    if home:
        return f"{home}/bin/java"
    return shutil.which("java") or "java"


if __name__ == "__main__":
    print(f"class data: {make()}")
