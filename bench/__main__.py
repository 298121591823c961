"""`make bench`: what the collector, events, the store, the page, prunes and failing stores cost."""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = (
    ("bench.collector",),
    ("bench.events",),
    ("bench.store",),
    ("bench.ui",),
    ("bench.retention", "--days", "40", "--keep", "20"),
    ("bench.tasks", "--tasks", "10"),
)


def main() -> None:
    """The benchmarks, one after the other."""
    for benchmark in BENCHMARKS:
        print(f"== {' '.join(benchmark)}", flush=True)
        subprocess.run([sys.executable, "-m", *benchmark], check=True)


if __name__ == "__main__":
    main()
