"""The REST part of `bench.store`: a real server in a process of its own, over connections."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import psutil

from airflow_colgraph.store.model.lineage_body import Field

JSON = {"Content-Type": "application/json"}
MARQUEZ = "column-lineage"  # the route in Marquez' form, with its name of a parameter


class Server:
    """A server's address and process."""

    def __init__(self, port: int, process: psutil.Process) -> None:
        """Nothing is connected before it is asked."""
        self.port = port
        self.process = process

    def connect(self) -> http.client.HTTPConnection:
        """A connection that is kept open."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def cpu(self) -> float:
        """The seconds of CPU time that the server has used."""
        used = self.process.cpu_times()
        return float(used.user + used.system)


@contextmanager
def serving(url: str, before: str = "") -> Iterator[Server]:
    """`colgraph serve` over the store, until the end of the block; some Python runs before it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = f"{before}\nfrom airflow_colgraph.cli import main; main()"
    command = [sys.executable, "-c", code, "--store", url, "serve", "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        server = Server(port, psutil.Process(process.pid))
        while True:
            assert process.poll() is None, "the server did not start"
            try:
                server.connect().request("GET", "/health")
                break
            except OSError:
                time.sleep(0.05)
        yield server
    finally:
        process.terminate()
        process.wait(60)


def ask(server: Server, path: str, depth: int, fields: list[Field], rounds: int) -> list[float]:
    """The milliseconds of each question, one after the other, sorted; the first round warms up."""
    connection, times = server.connect(), []
    for number in range(rounds + 1):
        for field in fields:
            name = "dataset" if path == MARQUEZ else "name"
            names = {"namespace": field.namespace, name: field.name, "field": field.field}
            query = urlencode({**names, "depth": depth})
            begin = time.perf_counter()
            connection.request("GET", f"/api/v1/{path}?{query}")
            response = connection.getresponse()
            response.read()
            assert response.status == 200
            if number:
                times.append((time.perf_counter() - begin) * 1000)
    return sorted(times)


def at_once(server: Server, clients: int, one: list[Field] | list[bytes]) -> tuple[float, float]:
    """Requests in a second, and in a second of the server's CPU time, from several clients.

    Fields are asked for five levels upstream, events are sent.
    """

    def work(mine: list[Field] | list[bytes]) -> None:
        connection = server.connect()
        for item in mine:
            if isinstance(item, bytes):
                connection.request("POST", "/api/v1/lineage", item, JSON)
            else:
                query = urlencode({**item._asdict(), "depth": 5, "format": "compact"})
                connection.request("GET", f"/api/v1/upstream?{query}")
            response = connection.getresponse()
            response.read()
            assert response.status in (200, 201)

    threads = [
        threading.Thread(target=work, args=(one[number::clients],)) for number in range(clients)
    ]
    begin, cpu = time.perf_counter(), server.cpu()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(one) / (time.perf_counter() - begin), len(one) / (server.cpu() - cpu)
