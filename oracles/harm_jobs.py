"""The programs that `oracles.harm` submits: `spark-submit harm_jobs.py JOB FOLDER SIZE`.

A job writes JSON below FOLDER/out and prints what it sees; both are compared. FOLDER/full is a full
disk for the jobs that need one.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def session() -> SparkSession:
    """The application's session."""
    return SparkSession.builder.getOrCreate()


def source(spark: SparkSession, folder: str, columns: int = 2, rows: int = 3) -> DataFrame:
    """A small table of the columns c0, c1, ..."""
    names = [f"c{number}" for number in range(columns)]
    frame = spark.range(rows).select(*[F.col("id").alias(name) for name in names])
    frame.coalesce(1).write.mode("overwrite").parquet(f"{folder}/source")
    return spark.read.parquet(f"{folder}/source")


def write(frame: DataFrame, folder: str, name: str = "out") -> None:
    """Write one JSON file, which is a result."""
    frame.coalesce(1).write.mode("overwrite").json(f"{folder}/out/{name}")


def attempt(act: Callable[[], Any]) -> None:
    """Do what may fail, and print how."""
    try:
        act()
        print("done", flush=True)
    except Exception as error:  # noqa: BLE001 - its class is compared
        print(type(error).__name__, flush=True)


def stop_in_thread(folder: str, size: int) -> None:
    """spark.stop() in a thread while the main thread goes on, then a second application."""
    spark = session()
    write(source(spark, folder), folder, "first")
    stopping = threading.Thread(target=spark.stop)
    stopping.start()
    print("sum", sum(range(size)), flush=True)
    stopping.join()
    write(source(session(), folder), folder, "second")


class Broken:
    """A stream that takes nothing."""

    def write(self, text: str) -> int:
        """Refuse."""
        raise ValueError("not today")

    flush = fileno = isatty = write


def replaced_stdout(folder: str, size: int) -> None:
    """sys.stdout and sys.stderr replaced by objects that refuse, by None, and closed."""
    own = sys.stdout
    sys.stdout = sys.stderr = Broken()  # type: ignore[assignment]
    spark = session()
    write(source(spark, folder), folder, "first")
    sys.stdout = sys.stderr = None  # type: ignore[assignment]
    write(source(spark, folder), folder, "second")
    spark.stop()
    print("printed", file=own, flush=True)
    own.close()
    sys.stdout = own


def named_like_a_module(folder: str, size: int) -> None:
    """A script called hashlib.py, beside modules called as those that an HTTP client imports."""
    print("run", __name__, Path(__file__).name, flush=True)
    spark = session()
    write(source(spark, folder), folder)
    import email

    print(email.MARK, flush=True)  # type: ignore[attr-defined]


def full_sink(folder: str, size: int) -> None:
    """The disk of the events fills up after some of them."""
    frame = source(session(), folder)
    for number in range(size):
        write(frame.withColumn(f"x{number}", F.col("c0") + number), folder, f"out{number}")


def full_checkpoint(folder: str, size: int) -> None:
    """Checkpoints of a frame and of a stream on a full disk: both fail, the job goes on."""
    spark = session()
    frame = source(spark, folder)
    spark.sparkContext.setCheckpointDir(f"{folder}/full")
    attempt(lambda: frame.checkpoint())
    stream = spark.readStream.schema(frame.schema).parquet(f"{folder}/source").writeStream
    stream = stream.format("json").option("checkpointLocation", f"{folder}/full/stream")
    stream = stream.trigger(availableNow=True)
    attempt(lambda: stream.start(f"{folder}/stream").awaitTermination())
    write(frame, folder)


def full_event_log(folder: str, size: int) -> None:
    """Spark's event log on a disk that fills up."""
    frame = source(session(), folder)
    for _ in range(size):
        write(frame, folder)


def queries(folder: str, size: int) -> None:
    """Very many short queries: a write, and reads of 8 kinds."""
    spark = session()
    frame = source(spark, folder)
    total = 0
    for number in range(size):
        total += len(frame.where(F.col("c0") >= number % 8).head(1))
    print("rows", total, flush=True)
    write(frame, folder)


def columns(folder: str, size: int) -> None:
    """A table of very many columns, each computed."""
    frame = source(session(), folder, size, rows=1)
    write(frame.select(*[(F.col(name) + 1).alias(name) for name in frame.columns]), folder)


def union(folder: str, size: int) -> None:
    """A union of very many frames."""
    spark = session()
    source(spark, folder, rows=1).createOrReplaceTempView("source")
    parts = [f"SELECT c0 + {number} AS c0, c1 FROM source" for number in range(size)]
    while len(parts) > 1:  # Spark itself does not take a chain of so many
        parts = [f"({' UNION ALL '.join(parts[at : at + 50])})" for at in range(0, len(parts), 50)]
    write(spark.sql(parts[0]), folder)


def deep_sum(folder: str, size: int) -> None:
    """A sum of very many terms, nested in each other."""
    frame = source(session(), folder)
    found = F.col("c0")
    for _ in range(size):
        found = found + F.col("c0")  # a number would be cast, one in each turn of the analyzer
    write(frame.select(found.alias("c0"), "c1"), folder)


def deep_calls(folder: str, size: int) -> None:
    """Calls in calls: `greatest(c0, abs(greatest(...)))`, and conditions in conditions."""
    frame = source(session(), folder)
    found = F.col("c0")
    for _ in range(size // 2):
        found = F.greatest(F.col("c0"), F.abs(found))
    chosen = F.col("c1")
    for _ in range(size // 2):
        chosen = F.when(F.col("c1") < F.col("c1"), F.col("c1")).otherwise(chosen)
    write(frame.select(found.alias("c0"), chosen.alias("c1")), folder)


def deep_lambdas(folder: str, size: int) -> None:
    """Functions of elements in functions of elements."""
    frame = source(session(), folder)
    element = "c0"
    for n in range(size):
        element = f"aggregate(array(c0), {element}, (a{n}, b{n}) -> a{n} + b{n})"
    write(frame.select(F.expr(element).alias("c0"), "c1"), folder)


def deep_subqueries(folder: str, size: int) -> None:
    """Queries in queries, and views of views."""
    spark = session()
    source(spark, folder).createOrReplaceTempView("v0")
    for number in range(size // 4):
        spark.sql(f"SELECT c0, c1 FROM v{number}").createOrReplaceTempView(f"v{number + 1}")
    text = f"SELECT c0, c1 FROM v{size // 4}"
    for number in range(size // 4):
        text = f"SELECT c0, c1 FROM ({text}) q{number} WHERE c0 > -{number + 1}"
    write(spark.sql(text), folder)


def deep_types(folder: str, size: int) -> None:
    """Structures in structures: their type is as deep."""
    frame = source(session(), folder)
    found = F.col("c0")
    for number in range(size):
        found = F.struct(found.alias(f"f{number % 10}"))
    write(frame.select(found.alias("c0"), "c1"), folder)


def stop_in_foreach_batch(folder: str, size: int) -> None:
    """spark.stop() in the function of a stream's batch."""
    spark = session()
    frame = source(spark, folder)

    def each(batch: DataFrame, number: int) -> None:
        write(batch, folder)
        print("batch", number, flush=True)
        spark.stop()

    stream = spark.readStream.schema(frame.schema).parquet(f"{folder}/source").writeStream
    running = stream.foreachBatch(each).trigger(availableNow=True).start()
    attempt(running.awaitTermination)


def fork_after_start(folder: str, size: int) -> None:
    """Forks after Spark has started: one exits, one raises, one is killed, one hangs on."""
    spark = session()
    frame = source(spark, folder)
    for how in ("exit", "raise", "kill"):
        child = os.fork()
        if child == 0:
            print("child", how, flush=True)
            if how == "exit":
                sys.exit(7)
            if how == "raise":
                raise ValueError("in the child")
            os.kill(os.getpid(), 9)
        print(how, os.waitpid(child, 0)[1], flush=True)
    write(frame, folder)


def oom_of_the_jvm(folder: str, size: int) -> None:
    """The driver's JVM runs out of memory and exits."""
    spark = session()
    write(source(spark, folder), folder)
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    held = jvm.java.util.ArrayList()
    while True:
        held.add(jvm.java.nio.ByteBuffer.allocate(20 << 20))


def oom_of_python(folder: str, size: int) -> None:
    """The driver's Python is allowed no more memory."""
    import resource

    spark = session()
    frame = source(spark, folder)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))
    write(frame, folder)
    held: list[bytes] = []
    attempt(lambda: [held.append(bytes(1 << 20)) for _ in range(100)])
    write(frame, folder, "second")
    print("held", len(held) > 0, flush=True)


def three_contexts(folder: str, size: int) -> None:
    """Three SparkContexts, one after the other."""
    for number in range(3):
        spark = session()
        write(source(spark, folder), folder, f"out{number}")
        spark.stop()
        print("stopped", number, flush=True)


JOBS: dict[str, Callable[[str, int], None]] = {
    job.__name__: job
    for job in (
        stop_in_thread,
        replaced_stdout,
        named_like_a_module,
        full_sink,
        full_checkpoint,
        full_event_log,
        queries,
        columns,
        union,
        deep_sum,
        deep_calls,
        deep_lambdas,
        deep_subqueries,
        deep_types,
        stop_in_foreach_batch,
        fork_after_start,
        oom_of_the_jvm,
        oom_of_python,
        three_contexts,
    )
}

if __name__ == "__main__":
    JOBS[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
