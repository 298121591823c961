"""What `oracles.soak server` does to a server under load, one after the other.

A fault ends when the server has got over it; what is wrong then is an AssertionError.
"""

from __future__ import annotations

import os
import resource
import shutil
import socket
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from airflow_colgraph.store.admin.backup import back_up
from airflow_colgraph.store.admin.retention import prune
from airflow_colgraph.store.migrations import engine_at, revision_of
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from bench.rest import Server, serving
from bench.synthetic import DAY, FIRST, NAMESPACE, column
from bench.synthetic import name as dataset_name
from dev.waiting import wait_for
from oracles.kill_store import Postgres, Sqlite
from oracles.previous_version import begin_with, migrate, package_of
from oracles.soak_load import DEPTH, SIZE, WIDTH, Load

KEPT = 3  # days that are not pruned
TOGETHER = 20  # events and answers that are at least each server's while two versions run
DISK = 1 << 30  # bytes of the small disk of PostgreSQL
SLOW_CLIENTS = 4
# Caches as large as they are by default would fill for an hour.
SMALL_CACHES = """
from airflow_colgraph.store.model.bounded_cache import BoundedCache
whole = BoundedCache.__init__
BoundedCache.__init__ = lambda self, most, **weight: whole(self, most // 50, **weight)
from airflow_colgraph.store.db import engine
engine.SQLITE_CACHE = 1 << 20
"""


class Soak:
    """A database, its server, and the load."""

    def __init__(self, victim: Sqlite | Postgres, url: str, disk: Path | None, stack: ExitStack):
        """Start no server yet."""
        self.victim, self.url, self.disk = victim, url, disk
        self.together = 0.0  # seconds for which two versions run
        self._stack = stack
        self.pruned = 0  # the time before which runs may be gone
        self.notes: list[str] = []  # figures of the faults
        self.load: Load

    def start(self) -> Server:
        """One more server on the database."""
        return self._stack.enter_context(serving(self.url, SMALL_CACHES))

    def start_previous(self, version: str) -> Server:
        """A server of another version, which has made the tables."""
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="colgraph-soak-"))
        package = begin_with(package_of(version, Path(folder)))
        migrate(self.url, package)
        self.notes.append(f"{version} made the tables of revision {self.revision()}")
        return self._stack.enter_context(serving(self.url, package))

    def revision(self) -> str | None:
        """The revision of the tables."""
        with engine_at(self.url) as engine:
            return revision_of(engine)


@contextmanager
def database(postgres: bool) -> Iterator[Soak]:
    """An empty database; that of PostgreSQL is on a disk of its own if root can mount one."""
    with tempfile.TemporaryDirectory(prefix="colgraph-soak-") as folder, ExitStack() as stack:
        os.chmod(folder, 0o755)
        if not postgres:
            victim = Sqlite(folder)
            yield Soak(victim, victim.url, None, stack)
            return
        server = Postgres(folder)
        stack.callback(server.close)
        disk = Path(folder) / "disk"
        if os.geteuid() != 0:
            yield Soak(server, server.url, None, stack)
            return
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "soak", disk], check=True)
        stack.callback(subprocess.run, ["umount", "-l", disk], check=True)
        space = disk / "space"
        space.mkdir()
        shutil.chown(space, "pgserver", "pgserver")
        engine = create_engine(make_url(server.url).set(drivername="postgresql+psycopg"))
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(f"CREATE TABLESPACE small LOCATION '{space}'")
            connection.exec_driver_sql("CREATE DATABASE soak TABLESPACE small")
        engine.dispose()
        with ExitStack() as servers:  # which end before the disk
            url = make_url(server.url).set(database="soak").render_as_string(hide_password=False)
            yield Soak(server, url, disk, servers)


def prunes(soak: Soak) -> None:
    """Prune in another process' place, all but the last days."""
    before = FIRST + (soak.load.day - KEPT) * DAY
    soak.pruned = max(soak.pruned, before)
    with Store.open(soak.url) as store:
        prune(store, before)


def backs_up(soak: Soak) -> None:
    """Back the store up, and ask the copy."""
    model = soak.load.model
    with tempfile.TemporaryDirectory() as folder, Store.open(soak.url) as store:
        first, runs = model.acknowledged(), dict(model.runs)
        back_up(store, Path(folder) / "copy.db")
        with Store.open(f"sqlite:///{folder}/copy.db") as copy:
            assert not lost(copy, runs, soak.pruned), "the backup lacks runs"
            for number in range(SIZE.datasets - 2, SIZE.datasets):
                name = dataset_name(number, WIDTH)
                edges = upstream(copy, NAMESPACE, name, depth=DEPTH).edges
                pairs = [
                    ((edge.output.name, edge.output.field), (edge.input.name, edge.input.field))
                    for edge in edges
                ]
                starts = [(name, column(at)) for at in range(SIZE.columns)]
                problem = model.problem(starts, pairs, first)
                assert not problem, f"the backup: {problem}"


def restarts(soak: Soak) -> None:
    """Kill every process of PostgreSQL, and start it again."""
    assert isinstance(soak.victim, Postgres)
    soak.victim.kill()
    time.sleep(1)
    soak.victim.start()
    soak.notes.append(f"PostgreSQL was away; {_recovers(soak):.1f} s until the next event is taken")


def replaces_server(soak: Soak) -> None:
    """Upgrade the tables, start a server of this version beside the old one, and end that one."""
    load, began = soak.load, time.monotonic()
    old = load.server
    migrate(soak.url)
    soak.notes.append(f"revision {soak.revision()} was there in {time.monotonic() - began:.1f} s")
    load.servers = [old, soak.start()]
    before = load.done.copy()
    time.sleep(soak.together)
    wait_for(lambda: _idle(load, before), 60, 0.05)
    for server, name in zip(load.servers, ("old", "new"), strict=True):
        events, answers = (load.done[server.port, what] for what in ("event", "answer"))
        events -= before[server.port, "event"]
        answers -= before[server.port, "answer"]
        soak.notes.append(f"side by side, the {name} server: {events} events, {answers} answers")
    load.servers = load.servers[1:]
    began = time.monotonic()
    old.process.terminate()
    old.process.wait(60)
    soak.notes.append(f"the old server ended {time.monotonic() - began:.1f} s after SIGTERM")


def _idle(load: Load, before: Counter[tuple[int, str]]) -> str:
    """What a server has done too little of; "" if nothing."""
    done = load.done - before
    for server in load.servers:
        for what in ("event", "answer"):
            if done[server.port, what] < TOGETHER:
                return f"another {what} of the server on port {server.port}"
    return ""


def fills_disk(soak: Soak) -> None:
    """Leave the database no space until events are refused with 507; questions are answered."""
    load = soak.load
    key = f"{load.during}: 507"
    refused = load.refused[key]
    with _full_disk(soak):
        wait_for(lambda: "" if load.refused[key] > refused else "507", 60, 0.05)
        reads = len(load.reads)
        wait_for(lambda: "" if len(load.reads) > reads + 10 else "answers", 60, 0.05)
        bad = [read.problem for read in load.reads[reads:] if read.problem]
        assert not bad, f"with a full disk: {bad[:3]}"
    soak.notes.append(f"the disk was full; {_recovers(soak):.1f} s until the next event is taken")


@contextmanager
def _full_disk(soak: Soak) -> Iterator[None]:
    if isinstance(soak.victim, Sqlite):  # a file that may not grow is to SQLite a full disk
        process = soak.load.server.process
        unlimited = process.rlimit(resource.RLIMIT_FSIZE)
        process.rlimit(resource.RLIMIT_FSIZE, (1, unlimited[1]))
        yield
        process.rlimit(resource.RLIMIT_FSIZE, unlimited)
        return
    assert soak.disk, "only root can mount a disk that fills"
    filler = soak.disk / "filler"
    with suppress(OSError), filler.open("wb") as file:
        while True:
            file.write(bytes(1 << 16))
    try:
        yield
    finally:
        filler.unlink()


def _recovers(soak: Soak) -> float:
    """The seconds until another event is acknowledged."""
    began, runs = time.monotonic(), len(soak.load.model.runs)
    wait_for(lambda: "" if len(soak.load.model.runs) > runs else "an event to be taken", 60, 0.02)
    return time.monotonic() - began


def sends_slowly(soak: Soak) -> None:
    """Two clients send their headers, and two read a large answer, a byte at a time."""
    question = f"GET /api/v1/upstream?name={dataset_name(SIZE.datasets - 1, WIDTH)}&depth={DEPTH}"
    text = f"{question} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    clients = []
    for number in range(SLOW_CLIENTS):
        client = socket.create_connection(("127.0.0.1", soak.load.server.port))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        if number % 2:
            client.sendall(text)
        clients.append(client)
    for at in range(min(len(text), 120)):
        for number, client in enumerate(clients):
            with suppress(OSError):  # the server has waited long enough
                client.recv(1) if number % 2 else client.sendall(text[at : at + 1])
        time.sleep(0.05)
    for client in clients:
        client.close()


class Fault(NamedTuple):
    """What is done, and whether it is done again and again."""

    act: Callable[[Soak], None]
    is_repeated: bool
    fails: bool = False  # whether requests may go unanswered meanwhile


FAULTS = {
    "rolling": Fault(replaces_server, False),
    "restart": Fault(restarts, False, fails=True),
    "full-disk": Fault(fills_disk, False),
    "prune": Fault(prunes, True),
    "backup": Fault(backs_up, True),
    "slow-clients": Fault(sends_slowly, True),
}


def possible(postgres: bool) -> list[str]:
    """The faults that this database and this user can have."""
    cannot = {"restart"} if not postgres else set() if os.geteuid() == 0 else {"full-disk"}
    return [name for name in FAULTS if name not in cannot]


def lost(store: Store, runs: dict[str, int], since: int) -> list[str]:
    """The runs, since the time, that are not in the store."""
    with store.connection() as connection:
        ids = connection.exec_driver_sql("SELECT id FROM colgraph_run").scalars()
        stored = {bytes(id).hex() for id in ids}
    return [run for run, at in runs.items() if at >= since and run.replace("-", "") not in stored]
