"""What the collector, events, the store and the page cost: `make bench`, each beside a baseline."""

from __future__ import annotations

import subprocess
import sys


def main() -> None:
    """The benchmarks, one after the other."""
    for module in ("bench.collector", "bench.events", "bench.store", "bench.ui"):
        print(f"== {module}", flush=True)
        subprocess.run([sys.executable, "-m", module, *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
