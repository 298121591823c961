"""Keeps a server or the collector busy for a time, and shows that it holds on to nothing.

    python -m oracles.soak server [FAULT ...] [--minutes 60] [--postgres] [--rate 50] [--readers 20]
        [--previous REVISION]
    python -m oracles.soak collector [--minutes 60]

The server gets 50 events a second and the questions of 20 readers, each over a connection of its
own, beside faults:

    rolling        the first server is of an earlier version, with its tables: these are upgraded, a
                   server of this version runs beside it, and the first one ends
    restart        all processes of PostgreSQL are killed, and it starts again
    full-disk      the database has no space until events were refused with 507
    prune          all but the last days are pruned
    backup         the store is backed up, and the copy asked
    slow-clients   four clients send and read a byte at a time

The first three happen once, in this order, the others again and again. Without FAULT it is each
that the database can have; for a full disk under PostgreSQL one has to be root. Each answer is
compared with a model (soak_load.py), and every event that was acknowledged has to be there at the
end. The collector reports queries of one Spark session to a file.

Memory, threads and open files and connections of the last server are sampled; the exit code is 1 if
anything is lost, wrong or unanswered, or if, after a first quarter in which caches fill, memory
still grew by more than a tenth from the second to the last quarter, or threads, open files or
connections are left. Of memory, mapped files do not count: the kernel takes those pages back.
Caches that would fill for an hour have a fiftieth of their size. The others fill in six minutes, so
memory is judged from 25 minutes on.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import psutil

from airflow_colgraph.store.store import Store
from oracles.previous_version import with_older_tables
from oracles.soak_faults import FAULTS, Soak, database, lost, possible
from oracles.soak_load import SENDERS, UNANSWERED, Load, percentiles

SAMPLES = 40
GROWTH = 1.10
CACHES_FILL = 1500  # seconds, in whose first quarter caches of runs and times fill


class Sample(NamedTuple):
    """What a process holds."""

    memory: int  # bytes, but for mapped files
    resident: int  # bytes, with the parts of the database's file that SQLite has mapped
    threads: int
    files: int  # files and sockets
    connections: int  # of clients, and to PostgreSQL, which may be on a Unix socket
    process: int = 0


def sample(process: psutil.Process) -> Sample:
    """What the process holds now."""
    connections = sum(one.status != "LISTEN" for one in process.net_connections("all"))
    memory = process.memory_info()
    resident, mapped = memory.rss, memory.shared
    threads, files = process.num_threads(), process.num_fds()
    return Sample(resident - mapped, resident, threads, files, connections, process.pid)


def keep_busy(
    process: Callable[[], psutil.Process], seconds: float, work: Callable[[], int]
) -> list[Sample]:
    """Samples over the time, each after a piece of work is done."""
    samples: list[Sample] = []
    begin, done = time.monotonic(), 0
    while (passed := time.monotonic() - begin) < seconds:
        done += work()
        if passed >= len(samples) * seconds / SAMPLES:
            samples.append(sample(process()))
            memory, resident, threads, files, connections, _ = samples[-1]
            state = f"{memory / 1e6:7.1f} MB ({resident / 1e6:.1f} with mapped files)"
            state += f", {threads} threads, {files} files"
            state += f", {connections} connections, {done} done"
            print(f"{passed:6.0f} s {state}", flush=True)
    return samples


def left(samples: list[Sample], clients: int = 0) -> list[str]:
    """What a process held on to, in words; nothing if it is flat.

    So many clients are connected or not when a sample is taken.
    """
    quarter = max(1, len(samples) // 4)
    second, last = samples[quarter : 2 * quarter], samples[-quarter:]
    found = []
    before, after = (max(one.memory for one in some) for some in (second, last))
    if after > before * GROWTH:
        found.append(f"memory grew from {before / 1e6:.1f} to {after / 1e6:.1f} MB")
    for what in ("threads", "files", "connections"):
        before, after = (min(getattr(one, what) for one in some) for some in (second, last))
        if after > before + clients:
            found.append(f"{what} grew from {before} to {after}")
    return found


def soak_server(
    seconds: float,
    postgres: bool,
    faults: Collection[str],
    rate: float = 50,
    readers: int = 20,
    previous: str = "",
) -> list[str]:
    """Events and questions beside faults; what is wrong, in words.

    `previous`: the version of the first server if there is the fault `rolling`, see `package_of`.
    """
    names = [name for name in FAULTS if name in faults]
    with database(postgres) as soak:
        if "rolling" in names:
            first = soak.start_previous(previous or with_older_tables())
        else:
            first = soak.start()
        soak.together = seconds / 20
        load = soak.load = Load(first, rate, readers)
        with ThreadPoolExecutor(1) as pool, load.running():
            faults = pool.submit(meet, soak, names, seconds)
            samples = keep_busy(lambda: load.server.process, seconds, load.work)
            faults.result()
        last = [each for each in samples if each.process == load.server.process.pid]
        return [*(left(last, readers + SENDERS) if seconds > CACHES_FILL else ()), *verdict(soak)]


def meet(soak: Soak, names: list[str], seconds: float) -> None:
    """Let the server meet each fault, and then those that come again, with pauses between."""
    end = time.monotonic() + seconds
    pause = seconds / 5 / max(1, len(names))
    turn = names
    while turn:
        for name in turn:
            if turn is not names and time.monotonic() > end - pause:
                return
            time.sleep(pause)
            soak.load.during = name
            FAULTS[name].act(soak)
            soak.load.during = ""
        turn = [name for name in names if FAULTS[name].is_repeated]


def verdict(soak: Soak) -> list[str]:
    """Print the figures; what is lost, wrong or unanswered, in words."""
    load, model = soak.load, soak.load.model
    problems = []
    for during in sorted({read.during for read in load.reads}):
        reads = [read for read in load.reads if read.during == during]
        unanswered = sum(read.problem.startswith(UNANSWERED) for read in reads)
        half, most = percentiles([read.seconds for read in reads if not read.problem])
        name = during or "between faults"
        print(f"{name}: {len(reads)} reads, half within {half:.3f} s, 95 % within {most:.3f} s")
        if unanswered and not (during and FAULTS[during].fails):
            problems.append(f"{unanswered} reads have no answer ({name})")
    for how, count in load.refused.items():
        soak.notes.append(f"{how}: {count} requests with events, which were sent again")
    print("\n".join(soak.notes))
    wrong = [read.problem for read in load.reads if read.problem]
    wrong = [problem for problem in wrong if not problem.startswith(UNANSWERED)] + load.wrong()
    with Store.open(soak.url) as store:
        missing = lost(store, model.runs, soak.pruned)
    sent, taken = sum(map(len, model.versions.values())), len(model.runs)
    print(f"{taken} events acknowledged, {len(missing)} lost")
    print(f"{len(load.reads)} answers, {len(wrong)} wrong")
    lists = {"runs are lost": missing, "answers are wrong": wrong}
    problems += [f"{len(some)} {what}: {some[:3]}" for what, some in lists.items() if some]
    return [*problems, *([f"{sent - taken} events were not taken"] if sent > taken else [])]


def soak_collector(seconds: float) -> list[str]:
    """Queries of one session, each of another text, so that none is answered from a cache."""
    from pyspark.sql import SparkSession

    from airflow_colgraph.collector.driver import listener

    with tempfile.TemporaryDirectory(prefix="colgraph-soak-") as folder:
        sink = Path(folder) / "events.ndjson"
        builder = SparkSession.builder.master("local[1]").appName("soak")
        builder = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
        spark = builder.config("spark.colgraph.sink", str(sink)).getOrCreate()
        listener.install(spark)
        spark.range(20).selectExpr("id", "id % 3 AS k").write.parquet(f"{folder}/source")
        number = 0

        def work() -> int:
            nonlocal number
            number += 1
            frame = spark.read.parquet(f"{folder}/source").where(f"id > {number}")
            frame = frame.groupBy("k").sum("id").withColumnRenamed("sum(id)", f"s{number}")
            frame.write.mode("overwrite").parquet(f"{folder}/out")
            listener.drain()
            return 1

        found = left(keep_busy(psutil.Process, seconds, work))
        reported = sum("columnLineage" in line for line in sink.read_text().splitlines())
        if reported < number:
            found.append(f"{number - reported} queries have no event")
        spark.stop()
        listener.finish()
    return found


def main() -> None:
    """Keep it busy, and say what is left."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("server", "collector"))
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=", ".join(FAULTS))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL server of its own")
    parser.add_argument("--rate", type=float, default=50, help="events a second")
    parser.add_argument("--readers", type=int, default=20, help="each asks twice a second")
    parser.add_argument(
        "--previous",
        default="",
        metavar="REVISION",
        help="the version of the first server for `rolling`: a revision of this repository, or the "
        "folder of another checkout. Default: the last one before the newest migration",
    )
    options = parser.parse_args()
    can = possible(options.postgres)
    if cannot := sorted(set(options.faults) - set(can)):
        parser.error(f"{cannot[0]} is not possible here: {', '.join(can)}")
    seconds = options.minutes * 60
    if options.what == "server":
        load = options.rate, options.readers
        problems = soak_server(
            seconds, options.postgres, options.faults or can, *load, previous=options.previous
        )
    else:
        problems = soak_collector(seconds)
    print(json.dumps({"problems": problems}))
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()
