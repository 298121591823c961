"""The faults that `oracles.harm` tries: a job, what surrounds it, and the lineage that it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Edges = set[tuple[str, str, str]]  # output, column, column of the source


def pair(*outputs: str) -> Callable[[int], Edges]:
    """Outputs of the source's two columns."""
    return lambda size: {(name, column, column) for name in outputs for column in ("c0", "c1")}


def _numbered(size: int) -> Edges:
    return {
        (f"out{number}", *names)
        for number in range(size)
        for names in (("c0", "c0"), ("c1", "c1"), (f"x{number}", "c0"))
    }


PATIENT = ("spark.sql.analyzer.maxIterations=10000", "spark.sql.optimizer.maxIterations=10000")
DEEP = "-Xss256m"  # else it is Spark that does not take it


class Fault(NamedTuple):
    """A job of `harm_jobs`, and what is done to it."""

    job: str
    edges: Callable[[int], Edges] = pair("out")
    size: int = 0
    is_whole: bool = True  # else that something is missing has to be reported
    sink: str = "file"  # or full, http, drip
    disk: int = -1  # bytes that are left on the disk FOLDER/full; without it there is none
    script: str = "harm_jobs.py"
    beside: tuple[str, ...] = ()  # modules in the script's folder
    conf: tuple[str, ...] = ()
    java: str = ""
    memory: str = "2g"
    code: int = 0  # the exit code of the job, plain
    met: str = ""  # what the plain job prints, as the fault is real
    seconds: float = 15  # what the collector may take beyond a share of the job's own time


FAULTS = {
    fault.job: fault
    for fault in (
        Fault("stop_in_thread", pair("first", "second"), 10_000_000),
        Fault("replaced_stdout", pair("first", "second")),
        Fault(
            "named_like_a_module",
            sink="http",
            script="hashlib.py",
            beside=("http.py", "email.py", "mimetypes.py"),
        ),
        Fault("full_sink", _numbered, 40, is_whole=False, sink="full", disk=64 << 10),
        Fault("full_checkpoint", disk=0, met="No space left"),
        Fault(
            "full_event_log",
            size=10,
            disk=32 << 10,
            conf=(
                "spark.eventLog.enabled=true",
                "spark.eventLog.compress=false",
                "spark.eventLog.dir=file:{folder}/full",
            ),
            met="Spark detects errors while flushing event logs",
        ),
        # Long enough for the JVM's second compiler to pay.
        Fault("queries", size=20_000, is_whole=False, java="-XX:TieredStopAtLevel=4", seconds=120),
        Fault(
            "columns",
            lambda size: {("out", f"c{n}", f"c{n}") for n in range(size)},
            10_000,
            is_whole=False,
        ),
        Fault("union", size=3_000),
        Fault("deep_sum", size=2_000, java=DEEP),
        Fault("deep_calls", size=400, java=DEEP),
        Fault("deep_lambdas", size=200, java=DEEP, conf=PATIENT),
        Fault("deep_subqueries", size=1000, java=DEEP, conf=PATIENT),
        Fault("deep_types", size=200, java=DEEP),
        Fault("stop_in_foreach_batch"),
        Fault("fork_after_start"),
        Fault(
            "oom_of_the_jvm",
            java="-XX:+ExitOnOutOfMemoryError",
            memory="512m",
            code=3,  # of the JVM, by the option
            met="OutOfMemory",
        ),
        Fault("oom_of_python", pair("out", "second"), met="MemoryError"),
        Fault(
            "three_contexts",
            pair("out0", "out1", "out2"),
            is_whole=False,
            sink="drip",
            conf=("spark.colgraph.exitTimeoutSeconds=5",),
            seconds=8,
        ),
    )
}
