"""The app behind a real server."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn
from fastapi import FastAPI

LONG = 300  # seconds, within which anything ends


@contextmanager
def served(app: FastAPI) -> Iterator[httpx.Client]:
    """The app behind a real server, mounted beside another app as in Airflow's API server."""
    neighbour = FastAPI()

    @neighbour.get("/version")
    def version() -> str:
        return "3"

    neighbour.mount("/colgraph", app)
    with socket.create_server(("127.0.0.1", 0)) as address:
        server = uvicorn.Server(uvicorn.Config(neighbour, log_level="error"))
        thread = threading.Thread(target=server.run, args=([address],))
        thread.start()
        limits = httpx.Limits(max_connections=None)
        url = f"http://127.0.0.1:{address.getsockname()[1]}"
        with httpx.Client(base_url=url, timeout=LONG, limits=limits) as client:
            yield client
        server.should_exit = True
        thread.join()
