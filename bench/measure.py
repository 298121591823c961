"""Wall and CPU seconds of a piece of work, for the benchmarks."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any


def cpu() -> float:
    """CPU seconds of this process and all that it started, also of those that still run."""
    import psutil

    here = psutil.Process()
    total = 0.0
    for process in [here, *here.children(recursive=True)]:
        times = process.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
    return total


def measured(what: str, work: Callable[[], Any], count: int = 0, unit: str = "") -> Any:
    """Do the work; print its seconds, the machine's load, and how many of `count` a CPU second."""
    load, wall, used = os.getloadavg()[0], time.perf_counter(), cpu()
    result = work()
    wall, used = time.perf_counter() - wall, cpu() - used
    rate = f"  {count / max(used, 0.01):9.0f} {unit} a CPU second" if count else ""
    what = f"{what} [load {load:.1f}]"
    print(f"  {what:<44}{wall:8.1f} s{used:8.1f} CPU s{rate}", flush=True)
    return result
