"""Measures the page in Chromium: `python -m bench.ui [--size M] [--store FILE]`.

How long after the API's answer a field's graph can be read, on a store of the size; and how many
frames a second there are while a graph of 300 datasets (`--wide`) with 50 fields each is panned,
beside those of an empty page in the same browser. The CPU time is that of all of the browser's
processes.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from airflow_colgraph.store.store import Store
from bench import synthetic as warehouse
from bench.synthetic import LARGE, SIZES, Size
from dev import build_ui
from dev.demo_airflow import free_port

SCRIPT = Path(__file__).with_suffix(".mjs")
WIDE = 320  # datasets; all but a few of them are upstream of what reads the last layer


def everything(size: Size) -> Iterator[dict[str, Any]]:
    """The warehouse, and a dataset computed from every column of its last layer."""
    last: dict[str, Any] = {}
    for last in warehouse.events(size):
        yield last
    width = size.datasets // warehouse.LAYERS
    names = [warehouse.name(at, width) for at in range(size.datasets - width, size.datasets)]
    event = copy.deepcopy(last)
    event["run"]["runId"] = "0199aaaa-0000-7000-8000-000000000001"
    event["job"]["name"] = "everything"
    event["inputs"] = [{"namespace": "s3://lake", "name": one, "facets": {}} for one in names]
    (output,) = event["outputs"]
    output["name"] = "warehouse/everything"
    how = [{"type": "DIRECT", "subtype": "AGGREGATION"}]
    output["facets"]["columnLineage"] = {
        "fields": {
            field: {
                "inputFields": [
                    {"namespace": "s3://lake", "name": one, "field": field, "transformations": how}
                    for one in names
                ]
            }
            for field in output["facets"]["columnLineage"]["fields"]
        }
    }
    yield event


def filled(file: Path, events: Iterator[dict[str, Any]]) -> str:
    """The URL of a store with the events; one that is there already is taken as it is."""
    url, there = f"sqlite:///{file}", file.exists()
    with Store.open(url) as store:
        while not there and (batch := list(itertools.islice(events, 500))):
            store.add(batch)
    return url


def answers(port: int) -> bool:
    """Whether something listens on the port."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def served(url: str) -> Iterator[str]:
    """The address of `colgraph serve` over the store."""
    port = free_port()
    start = [sys.executable, "-c", "from airflow_colgraph.cli import main; main()"]
    words = ["--store", url, "serve", "--port", str(port)]
    server = subprocess.Popen([*start, *words], stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not answers(port):
            if server.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"bench.ui: the server over {url} does not answer.")
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(15)


def main() -> None:
    """Fill the stores, serve them, and let the browser measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=[*SIZES, *LARGE], default="M")
    parser.add_argument("--store", type=Path, help="keep the store of that size in this file")
    parser.add_argument("--wide", type=int, default=WIDE, help="datasets of the graph to pan")
    arguments = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("bench.ui: there is no chromium here: apt-get install chromium")
    build_ui.build()
    build_ui.install()
    size = {**SIZES, **LARGE}[arguments.size]
    with tempfile.TemporaryDirectory() as folder:
        file = arguments.store or Path(folder) / "sized.db"
        sized = filled(file.absolute(), warehouse.events(size))
        wide = filled(Path(folder) / "wide.db", everything(Size(arguments.wide, 50, 1)))
        with served(sized) as first, served(wide) as second:
            where = {
                "CHROMIUM": chromium,
                "SIZED": first,
                "WIDE": second,
                "FIELD_OF": warehouse.name(size.datasets - 7, size.datasets // warehouse.LAYERS),
                "SIZE": f"{arguments.size}, {size.datasets} datasets x {size.columns} columns",
            }
            subprocess.run(["node", str(SCRIPT)], env=build_ui.environment() | where, check=True)


if __name__ == "__main__":
    main()
