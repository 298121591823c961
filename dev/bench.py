"""What the collector and the store cost: `make bench`, each against a baseline in the same run."""

from __future__ import annotations

import subprocess
import sys


def main() -> None:
    """Both benchmarks, one after the other."""
    for module in ("dev.bench_collector", "dev.bench_store"):
        print(f"== {module}", flush=True)
        subprocess.run([sys.executable, "-m", module, *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
