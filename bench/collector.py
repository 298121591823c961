"""What the collector costs a Spark job: the same job without and with it, in turn, in one run.

python -m bench.collector [--runs N] [--jar] [--growth] [WORKLOAD ...]

With `--growth` only what a plan of twice the size costs, in one session: `growth.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.growth import measure_growth
from bench.job import WORKLOADS
from tests.spark.jars import jars

JOB = Path(__file__).with_name("job.py")
SPARK = ["--master", "local[2]", "--driver-memory", "2g"]
SPARK += ["--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=2"]


class Cost(NamedTuple):
    """One run of a whole process tree."""

    wall: float
    cpu: float
    memory: float  # MB, the largest process
    events: float  # MB


Run = Callable[[str, str, Path], list[str]]


def plain(workload: str, folder: str, events: Path) -> list[str]:
    """The job as it is."""
    return ["spark-submit", *SPARK, str(JOB), workload, folder]


def ours(workload: str, folder: str, events: Path) -> list[str]:
    """The job with our collector."""
    start = ["colgraph", "submit", "--quiet", "--output", str(events), "--"]
    return [*start, *SPARK, str(JOB), workload, folder]


def jar(workload: str, folder: str, events: Path) -> list[str]:
    """The job with OpenLineage's Spark listener."""
    conf = {
        "spark.jars": ",".join(jars("openlineage-spark_2.13")),
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(events),
    }
    given = [part for name, value in conf.items() for part in ("--conf", f"{name}={value}")]
    return ["spark-submit", *SPARK, *given, str(JOB), workload, folder]


def measure(run: Run, workload: str) -> Cost:
    """One run in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="colgraph-bench-"))
    events = folder / "events.ndjson"
    try:
        command = run(workload, str(folder), events)
        started = time.monotonic()
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - started
        if status:
            raise SystemExit(f"bench: {workload} ended with {status}: {' '.join(command)}")
        size = events.stat().st_size / 1e6 if events.exists() else 0.0
        return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3, size)
    finally:
        shutil.rmtree(folder)


def resolving(workload: str) -> tuple[int, float]:
    """How many queries there were and the seconds that resolving them took, by our events."""
    folder = Path(tempfile.mkdtemp(prefix="colgraph-bench-"))
    events = folder / "events.ndjson"
    subprocess.run(
        ours(workload, str(folder), events),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    facets = [json.loads(line)["run"]["facets"] for line in events.read_text().splitlines()]
    shutil.rmtree(folder)
    seconds = [f["colgraph_diagnostics"]["seconds"] for f in facets if "colgraph_diagnostics" in f]
    return len(seconds), sum(seconds)


def main() -> None:
    """Measure and print one line a workload."""
    parser = argparse.ArgumentParser(prog="python -m bench.collector", description=__doc__)
    parser.add_argument("workloads", nargs="*", choices=[[], *WORKLOADS], metavar="WORKLOAD")
    parser.add_argument("--runs", type=int, default=3, help="counted runs of each")
    parser.add_argument(
        "--jar", action="store_true", help="also with OpenLineage's jar, fetched by Maven"
    )
    parser.add_argument("--growth", action="store_true", help="plans of n and 2n in one session")
    options = parser.parse_args()
    if options.growth:
        measure_growth(options.runs)
        return
    runs: list[Run] = [plain, ours, *([jar] if options.jar else [])]
    head = f"{'workload':<20} {'run':<6} {'wall s':>8} {'ratio':>6} {'cpu s':>8} {'ratio':>6}"
    print(f"{head} {'MB':>6} {'events MB':>9}")
    for workload in options.workloads or list(WORKLOADS):
        costs: dict[str, list[Cost]] = {run.__name__: [] for run in runs}
        for _ in range(options.runs):
            for run in runs:
                costs[run.__name__].append(measure(run, workload))
        for run in runs:
            found = costs[run.__name__]
            pairs = list(zip(found, costs["plain"], strict=True))
            wall = statistics.median(a.wall / b.wall for a, b in pairs)
            cpu = statistics.median(a.cpu / b.cpu for a, b in pairs)
            middle = Cost(*(statistics.median(column) for column in zip(*found, strict=True)))
            print(
                f"{workload:<20} {run.__name__:<6} {middle.wall:8.1f} {wall:6.2f}"
                f" {middle.cpu:8.1f} {cpu:6.2f} {middle.memory:6.0f} {middle.events:9.2f}",
                flush=True,
            )
        queries, seconds = resolving(workload)
        each = f", {1000 * seconds / queries:.0f} ms each" if queries else ""
        print(f"{'':<20} resolving {queries} queries took {seconds:.2f} s{each}", flush=True)


if __name__ == "__main__":
    main()
