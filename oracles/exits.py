"""Shows that drivers end with the collector as they end without it: codes, output and time.

    python -m oracles.exits [WAY ...] [--runs N] [--load N] [--keep]

Each way of `exit_jobs.py` is run plain and with the collector, in turns, until there are N runs
with it. All drivers share one JVM, as starting one takes longer than they do. A driver that has
not ended after LONGEST seconds hangs: its threads are printed. The exit code is 1 if a driver
hung with the collector, or ended in another way than plain; one that hangs only plain may end.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

from airflow_colgraph.operators.collector_archive import source_archive
from oracles.exit_jobs import WAYS
from oracles.paired import differences, folder_of_runs

JOBS = Path(__file__).with_name("exit_jobs.py")
LONGEST = 120.0  # seconds of a driver: it takes a few
JAVA = "--driver-java-options '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' pyspark-shell"
HUNG = "hung"
CONF = {
    "spark.master": "local[1]",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


class Ended(NamedTuple):
    """How one driver ended."""

    code: int | str
    out: str
    err: str
    seconds: float  # from the line that it prints before it ends
    events: Path  # where the collector wrote


class Drivers:
    """Starts Python drivers for one JVM, one at a time, as spark-submit does for its own."""

    def __init__(self, gateway: Any, folder: Path) -> None:
        """`gateway` is pyspark's to a JVM without a SparkContext."""
        self._jvm = gateway.jvm
        self._folder = folder
        self._archive = source_archive(folder / "cache")
        self._number = 0
        for name, text in CONF.items():
            self._jvm.System.setProperty(name, text)

    def run(self, way: str, is_ours: bool) -> Ended:
        """Run a driver to its end, and stop what it has left in the JVM."""
        self._number += 1
        folder = self._folder / str(self._number)
        folder.mkdir()
        events = folder / "events"
        self._jvm.System.setProperty("spark.colgraph.sink", str(events))
        server = self._jvm.org.apache.spark.api.python.Py4JServer(self._jvm.SparkConf())
        server.start()
        try:
            environment = {
                "PYSPARK_GATEWAY_PORT": str(server.getListeningPort()),
                "PYSPARK_GATEWAY_SECRET": str(server.secret()),
                "PYTHONPATH": str(self._archive) if is_ours else "",
                "PYTHONFAULTHANDLER": "1",
            }
            return _run([sys.executable, str(JOBS), way, str(folder)], environment, events)
        finally:
            self._clean(server)

    def _clean(self, server: Any) -> None:
        context = getattr(getattr(self._jvm.org.apache.spark, "SparkContext$"), "MODULE$")
        left = context.getActive()
        if left.isDefined():
            left.get().stop()
        server.shutdown()


def _run(words: list[str], environment: dict[str, str], events: Path) -> Ended:
    process = subprocess.Popen(
        words,
        env={**os.environ, **environment, "SPARK_LOCAL_IP": "127.0.0.1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    begun = time.monotonic()
    try:
        out, err = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # the fault handler prints where its threads are
        out, err = process.communicate()
        return Ended(HUNG, first + out, err, LONGEST, events)
    return Ended(process.returncode, first + out, err, time.monotonic() - begun, events)


@contextmanager
def drivers(folder: Path) -> Iterator[Drivers]:
    """A JVM for drivers; it ends with the `with` block."""
    from pyspark.java_gateway import launch_gateway

    with patch.dict(os.environ, {"PYSPARK_SUBMIT_ARGS": JAVA}):
        gateway = launch_gateway()
    try:
        yield Drivers(gateway, folder)
    finally:
        process = gateway.proc
        gateway.shutdown()
        process.stdin.close()
        process.wait()


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keep so many processors busy."""
    busy = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(processes)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.kill()


def _spin() -> None:
    with suppress(KeyboardInterrupt):
        while True:
            pass


def compare(driver: Drivers, ways: Sequence[str], runs: int) -> int:
    """Run each way in turn, print a row for each at the end, and count the differences."""
    plain: dict[str, list[Ended]] = {way: [] for way in ways}
    ours: dict[str, list[Ended]] = {way: [] for way in ways}
    bad = 0
    for number, way in enumerate(islice(cycle(ways), runs)):
        if number < 3 * len(ways):  # the machine changes little from one to the next
            plain[way].append(driver.run(way, is_ours=False))
        ended = driver.run(way, is_ours=True)
        ours[way].append(ended)
        print(f"{number + 1} {way} {ended.code} {ended.seconds:.2f} s", file=sys.stderr, flush=True)
        first = plain[way][0]
        unlike = [] if first.code == HUNG != ended.code else differences(first, ended)
        bad += bool(unlike)
        if unlike:
            print(f"{way}: {'; '.join(unlike)}\n{ended.out}{ended.err}", flush=True)
    for way in ways:
        before, after = plain[way], ours[way]
        print(
            f"{way:24} {len(after):4} runs  code {before[0].code!s:4}"
            f" plain {median(each.seconds for each in before):6.2f} s"
            f"  ours {median(each.seconds for each in after):6.2f} s"
            f" (longest {max(each.seconds for each in before):.2f},"
            f" {max(each.seconds for each in after):.2f})",
            flush=True,
        )
    return bad


def main() -> None:
    """Compare the ends, and exit with 1 if one differs."""
    parser = argparse.ArgumentParser(
        prog="python -m oracles.exits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ways", nargs="*", choices=[[], *WAYS], metavar="WAY")
    parser.add_argument("--runs", type=int, default=200, help="with the collector")
    parser.add_argument("--load", type=int, default=4, help="processes that keep processors busy")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    options = parser.parse_args()
    folder_of = folder_of_runs("exits", options.keep)
    with folder_of as folder, drivers(folder) as driver, load(options.load):
        bad = compare(driver, options.ways or list(WAYS), options.runs)
    print(f"{options.runs} ends, {bad} unlike plain ones", file=sys.stderr)
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
