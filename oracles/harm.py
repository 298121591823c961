"""Shows that the collector harms no job: each fault is met by the same job plain and with it.

    python -m oracles.harm [NAME ...] [--list] [--keep]

A fault is a small program (`harm_jobs.py`) submitted by spark-submit and by `colgraph submit`.
Compared are the exit code, standard output, the files written, the time, the memory, and what the
events say: the whole lineage, or that some is missing. The exit code is 1 if a job was harmed.
Full disks are small file systems in memory, which only root can mount.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from airflow_colgraph.collector.sinks import sink as sinks
from oracles.harm_faults import FAULTS, Edges, Fault
from oracles.paired import differences, folder_of_runs

JOBS = Path(__file__).with_name("harm_jobs.py")
SPARK = ["--master", "local[1]", "--conf", "spark.ui.enabled=false"]
SPARK += ["--conf", "spark.sql.shuffle.partitions=1"]
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
LONGEST = 3600.0  # seconds of one run: 20,000 queries take 25 min on a busy machine
SHARE = 1.5  # times what the plain job takes, and as many seconds as the fault allows
MEMORY = 200.0  # MB beyond that share
EVERY = 0.2  # seconds between two samples of the memory


class Ran(NamedTuple):
    """One run of a job, from outside."""

    code: int
    out: bytes
    err: str
    results: list[bytes]
    wall: float
    cpu: float
    memory: float  # MB, the whole process tree at its largest
    events: list[dict[str, Any]]

    def __str__(self) -> str:
        """As the table has it."""
        return f"exit {self.code} {self.wall:6.1f} s {self.cpu:6.1f} cpu {self.memory:5.0f} MB"


# What a job meets ---------------------------------------------------------------------------------


@contextmanager
def small_disk(folder: Path, left: int) -> Iterator[None]:
    """A file system at `folder` on which so many bytes are left."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "harm", str(folder)], check=True)
    try:
        (folder / "filler").write_bytes(bytes((64 << 10) - left))
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class Recorder(ThreadingHTTPServer):
    """A server that appends events to a file, or answers each with a byte a second."""

    daemon_threads = True

    def __init__(self, events: Path, drips: bool) -> None:
        """Listen on a port of its own; a thread serves until the end of a `with` block."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.events, self.drips = events, drips
        self.url = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *args: object) -> None:
        """Stop serving."""
        self.shutdown()
        super().__exit__(*args)


class Handler(BaseHTTPRequestHandler):
    """Takes what is posted to a recorder."""

    server: Recorder

    def do_POST(self) -> None:
        """Keep an event, or never finish the answer."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            while self.server.drips:
                self.wfile.write(b"H")
                time.sleep(1)
        except OSError:
            return  # the job has ended
        with self.server.events.open("ab") as file:
            file.write(body)
        self.send_response(201)
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


# One run ------------------------------------------------------------------------------------------


def run(fault: Fault, size: int, folder: Path, is_ours: bool) -> Ran:
    """Submit the fault's job in `folder`, plain or with the collector."""
    folder.mkdir()
    events = folder / ("full/events" if fault.sink == "full" else "events")
    disk = small_disk(folder / "full", fault.disk) if fault.disk >= 0 else nullcontext()
    served = fault.sink in ("http", "drip")
    with disk, Recorder(events, fault.sink == "drip") if served else nullcontext() as server:
        sink = server.url if server else str(events)
        ran = _run(command(fault, size, folder, sink, is_ours), folder)
        read = sinks.read(str(events)).events if is_ours and events.exists() else []
    return ran._replace(events=read)


def command(fault: Fault, size: int, folder: Path, sink: str, is_ours: bool) -> list[str]:
    """The command that submits a job; its script is in a folder of its own."""
    script = folder / "script" / fault.script
    script.parent.mkdir()
    shutil.copy(JOBS, script)
    for name in fault.beside:
        (script.parent / name).write_text("print('imported', __name__)\nMARK = __name__\n")
    words = [*SPARK, "--driver-memory", fault.memory]
    for conf in fault.conf:
        words += ["--conf", conf.format(folder=folder)]
    words += ["--driver-java-options", f"{JAVA} {fault.java}"]
    words += [str(script), fault.job, str(folder), str(size)]
    if is_ours:
        return ["colgraph", "submit", "--quiet", "--output", sink, "--", *words]
    return ["spark-submit", *words]


def _run(words: list[str], folder: Path) -> Ran:
    begun = time.monotonic()
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        process = subprocess.Popen(
            words, cwd=folder, stdout=out, stderr=err, start_new_session=True
        )
        ended, largest = threading.Event(), [0.0]
        watch = threading.Thread(target=_watch, args=(process.pid, ended, largest, begun))
        watch.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begun
        ended.set()
        watch.join()
    return Ran(
        os.waitstatus_to_exitcode(status),
        (folder / "stdout").read_bytes().replace(bytes(folder), b"FOLDER"),
        (folder / "stderr").read_text(errors="replace"),
        results(folder / "out"),
        wall,
        usage.ru_utime + usage.ru_stime,
        largest[0],
        [],
    )


def _watch(number: int, ended: threading.Event, largest: list[float], begun: float) -> None:
    """Sample the memory of a process tree until it has ended; end it when it takes too long."""
    root = psutil.Process(number)
    while not ended.wait(EVERY):
        with suppress(psutil.NoSuchProcess):
            largest[0] = max(largest[0], _held(root) / 1e6)
        if time.monotonic() - begun > LONGEST:
            os.killpg(number, signal.SIGKILL)


def _held(root: psutil.Process) -> int:
    """The bytes of a process tree. A copy that is about to run something else is not counted."""
    held: dict[str, int] = {}
    for process in [root, *root.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):  # a zombie, or gone by now
            name = " ".join(process.cmdline())
            held[name] = max(held.get(name, 0), process.memory_info().rss)
    return sum(held.values())


def results(folder: Path) -> list[bytes]:
    """The rows that a job has written, by output."""
    return [
        b"%s %s" % (bytes(path.parent.relative_to(folder)), line)
        for path in sorted(folder.glob("**/part-*"))
        for line in sorted(path.read_bytes().splitlines())
    ]


# What is compared ---------------------------------------------------------------------------------


def edges_of(events: list[dict[str, Any]], folder: Path) -> Edges:
    """The edges of the events between the source and the results."""
    found: Edges = set()
    for event in events:
        for output in event["outputs"]:
            name = output["name"].removeprefix(f"{folder}/out/")
            lineage = output["facets"].get("columnLineage", {"fields": {}})
            for column, entry in lineage["fields"].items():
                for given in entry["inputFields"]:
                    steps = given.get("transformations") or [{"type": "DIRECT"}]
                    is_direct = any(step["type"] == "DIRECT" for step in steps)
                    if is_direct and given["name"] == f"{folder}/source":
                        found.add((name, column, given["field"]))
    return {edge for edge in found if not edge[0].startswith("/")}


def reports(ran: Ran) -> list[str]:
    """What the events and standard error say to be missing."""
    found = [line for line in ran.err.splitlines() if line.startswith("colgraph: ")]
    for event in ran.events:
        facet = event["run"]["facets"].get("colgraph_diagnostics", {})
        found += [facet["truncated"]] if facet.get("truncated") else []
        for name in ("unresolved", "opaque"):
            found += [f"{one['count']} {one['class']}" for one in facet.get(name, [])]
    return list(dict.fromkeys(found))


def harms(fault: Fault, size: int, plain: Ran, ours: Ran, folder: Path) -> list[str]:
    """What the collector did to the job, and what its events lack in silence."""
    found = []
    if plain.code != fault.code or fault.met not in plain.out.decode(errors="replace") + plain.err:
        found.append("the plain job did not meet the fault")
    found += differences(plain, ours)
    if ours.results != plain.results:
        found.append("other results")
    for name, unit, more in (("wall", "s", fault.seconds), ("cpu", "s", fault.seconds)):
        before, after = getattr(plain, name), getattr(ours, name)
        if after > before * SHARE + more:
            found.append(f"{name} {after:.1f} {unit} instead of {before:.1f}")
    if ours.memory > plain.memory * SHARE + MEMORY:
        found.append(f"memory {ours.memory:.0f} MB instead of {plain.memory:.0f}")
    edges, expected = edges_of(ours.events, folder), fault.edges(size)
    missing, reported = expected - edges, reports(ours)
    if missing and (fault.is_whole or not reported):
        found.append(f"{len(missing)} edges are missing{'' if reported else ' in silence'}")
    if edges - expected and not reported:
        found.append(f"{len(edges - expected)} edges are false")
    return found


def summary(fault: Fault, size: int, ours: Ran, folder: Path) -> str:
    """What the events say, in a few words."""
    edges, expected = edges_of(ours.events, folder), fault.edges(size)
    reported = reports(ours)
    of = f"{len(edges & expected)} of {len(expected)} edges"
    return of + (f"; reported: {'; '.join(reported)[:300]}" if reported else "")


def attempt(fault: Fault, size: int, folder: Path) -> tuple[list[str], list[str]]:
    """The cells of a fault's row, and the harms."""
    plain = run(fault, size, folder / "plain", False)
    ours = run(fault, size, folder / "ours", True)
    found = harms(fault, size, plain, ours, folder / "ours")
    return [str(plain), str(ours), summary(fault, size, ours, folder / "ours")], found


def main() -> None:
    """Try the faults, and print a row for each."""
    parser = argparse.ArgumentParser(
        prog="python -m oracles.harm",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", choices=[[], *FAULTS], metavar="NAME")
    parser.add_argument("--list", action="store_true", help="only list the faults")
    parser.add_argument("--size", type=int, help="instead of each fault's own")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    options = parser.parse_args()
    if options.list:
        print("\n".join(FAULTS))
        return
    chosen = [FAULTS[name] for name in options.names or FAULTS]
    if any(fault.disk >= 0 for fault in chosen) and os.geteuid():
        parser.error("Only root can mount a full disk: name other faults, or run it as root.")
    harmed = 0
    for fault in chosen:
        with folder_of_runs("harm", options.keep) as folder:
            cells, found = attempt(fault, options.size or fault.size, folder)
        harmed += bool(found)
        plain, ours, events = cells
        verdict = f"HARMED: {'; '.join(found)}" if found else "unharmed"
        where = f"  [{folder}]" if options.keep else ""
        print(f"{fault.job}\n  plain    {plain}\n  ours     {ours}\n  events   {events}")
        print(f"  verdict  {verdict}{where}", flush=True)
    print(f"{len(chosen)} faults, {harmed} harmed", file=sys.stderr)
    raise SystemExit(bool(harmed))


if __name__ == "__main__":
    main()
