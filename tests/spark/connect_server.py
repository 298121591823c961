"""A Spark Connect server that `colgraph connect-server` has started, for tests."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dev.demo_airflow import free_port
from tests.spark.test_submit import QUICK

SECONDS = 120


class Server(NamedTuple):
    """A server that runs."""

    port: int
    pid: int  # of its JVM and its Python, one group
    folder: Path


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """A server whose own events go to `events.ndjson` in a folder, and its output to `log`."""
    port = free_port()
    command = [str(Path(sys.executable).with_name("colgraph")), "connect-server"]
    command += ["--output", str(folder / "events.ndjson"), "--", *QUICK, *options]
    command += ["--conf", f"spark.connect.grpc.binding.port={port}"]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        wait_for(port, process, folder / "log")
        yield Server(port, process.pid, folder)
    finally:
        subprocess.run(["pkill", "-9", "-s", str(process.pid)], check=False)
        process.wait()


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until the server takes connections."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert process.poll() is None, log.read_text()[-3000:]
            assert time.monotonic() < deadline, log.read_text()[-3000:]
            time.sleep(0.2)
