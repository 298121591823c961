"""A recording HTTP server with the routes of Airflow's REST API that a rerun uses."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

TOKEN = "of-airflow"
USER, PASSWORD = "anna", "of-anna"


class AirflowServer(ThreadingHTTPServer):
    """Runs what is cleared: a DAG run is queued, then running, then has ended."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.paused: set[str] = set()
        self.unknown: set[str] = set()
        self.failing: set[str] = set()  # tasks
        self.removed: set[str] = set()  # tasks that the DAGs no longer have
        self.cleared: list[tuple[str, str, list[str]]] = []
        self.running: dict[tuple[str, str], list[str]] = {}  # the states to come
        self.overlaps = 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def clear(self, dag_id: str, body: dict[str, Any]) -> dict[str, Any]:
        run_id, tasks = body["dag_run_id"], body["task_ids"]
        assert body["only_failed"] is False
        answer = {
            "task_instances": [{"task_id": task} for task in tasks if task not in self.removed]
        }
        if body["dry_run"]:
            return answer
        self.overlaps += any(len(states) > 1 for states in self.running.values())
        self.cleared.append((dag_id, run_id, tasks))
        end = "failed" if self.failing & set(tasks) else "success"
        self.running[dag_id, run_id] = ["queued", "running", end]
        return answer

    def state(self, dag_id: str, run_id: str) -> str:
        states = self.running.get((dag_id, run_id), ["success"])
        return states.pop(0) if len(states) > 1 else states[0]


class _Handler(BaseHTTPRequestHandler):
    server: AirflowServer

    def do_GET(self) -> None:
        parts = [unquote(part) for part in urlsplit(self.path).path.split("/")][4:]
        dag_id, *rest = parts
        if dag_id in self.server.unknown:
            self._answer(404, {"detail": "not found"})
        elif not rest:
            self._answer(200, {"is_paused": dag_id in self.server.paused})
        elif len(rest) == 2:
            self._answer(200, {"state": self.server.state(dag_id, rest[1])})
        else:
            failed = [{"task_id": task} for task in sorted(self.server.failing)]
            self._answer(200, {"task_instances": failed})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/auth/token":
            is_right = body == {"username": USER, "password": PASSWORD}
            self._send(*((201, {"access_token": TOKEN}) if is_right else (401, body)))
            return
        *_, dag_id, action = self.path.split("/")
        assert action == "clearTaskInstances"
        self._answer(200, self.server.clear(unquote(dag_id), body))

    def _answer(self, code: int, value: Any) -> None:
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            code, value = 401, {"detail": "no login"}
        self._send(code, value)

    def _send(self, code: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Nothing is printed."""


@contextmanager
def airflow_server() -> Iterator[AirflowServer]:
    with AirflowServer() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
