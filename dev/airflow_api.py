"""What one asks an Airflow over its REST API: to run a DAG, how it goes, to set a state."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from dev.waiting import wait_for

READY_SECONDS = 600
ANSWER_SECONDS = 300
PAUSE = 0.5
BUSY = {429, 500, 502, 503, 504}  # answers after which the same request may well succeed
ENDED = {"success", "failed"}


class AirflowError(RuntimeError):
    """Airflow did not do what it was asked to; the message says what, and shows the log's end."""


class RefusedError(AirflowError):
    """Airflow answered a request with an error; `code` is the HTTP status."""

    def __init__(self, code: int, request: str) -> None:
        """For an answer to `request`, e.g. GET /api/v2/dags."""
        super().__init__(f"Airflow answered {code} to {request}.")
        self.code = code


class NoAnswerError(AirflowError):
    """Airflow cannot be reached, or has not answered in time."""


class Api:
    """Airflow's REST API at an address. A server that is busy is asked again, for a while."""

    def __init__(self, address: str) -> None:
        """Nothing is asked yet; `token` is sent with each request once it is there."""
        self.address = address
        self.token = ""

    def check(self) -> None:
        """Raise AirflowError if waiting is of no use; called while an answer is waited for."""

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the API's answer, as JSON; a server that is busy is asked again, for a while."""
        answer: list[Any] = []

        def missing() -> str:
            self.check()
            try:
                answer.append(self.ask_once(method, path, body))
            except (NoAnswerError, RefusedError) as error:
                if isinstance(error, RefusedError) and error.code not in BUSY:
                    raise
                return f"an answer to {method} {path}: {error}".rstrip(".")
            return ""

        wait_for(missing, ANSWER_SECONDS, pause=PAUSE)
        return answer[0]

    def ask_once(self, method: str, path: str, body: Any = None) -> Any:
        """Return the API's answer to one request; RefusedError or NoAnswerError without one."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.address + path, data, headers, method=method)
        try:
            with urlopen(request, timeout=60) as response:
                return json.load(response)
        except HTTPError as error:
            error.close()
            raise RefusedError(error.code, f"{method} {path}") from None
        except (OSError, HTTPException) as error:
            why = str(error) or type(error).__name__
            raise NoAnswerError(f"Airflow does not answer at {self.address}: {why}") from None

    def trigger(self, dag_id: str) -> str:
        """Start a run of the DAG, once Airflow has read it; the run's id."""
        dag = f"/api/v2/dags/{quote(dag_id)}"

        def missing() -> str:
            try:
                self.ask("PATCH", dag, {"is_paused": False})
            except RefusedError as error:
                if error.code != 404:
                    raise
                self._check_imports(dag_id)
                return f"Airflow to find the DAG {dag_id}"
            return ""

        wait_for(missing, READY_SECONDS, pause=PAUSE)
        run = f"manual__{uuid.uuid4()}"
        try:
            self.ask("POST", f"{dag}/dagRuns", {"dag_run_id": run, "logical_date": None})
        except RefusedError as error:
            if error.code != 409:  # 409: an earlier request did start it, but got no answer
                raise
        return run

    def _check_imports(self, dag_id: str) -> None:
        errors = self.ask("GET", "/api/v2/importErrors")["import_errors"]
        for error in errors:
            if dag_id in error["filename"]:
                raise AirflowError(f"{error['filename']}:\n{error['stack_trace']}")

    def wait(
        self,
        dag_id: str,
        run_id: str,
        seconds: float = 1800,
        seen: Callable[[list[dict[str, Any]]], None] = lambda tasks: None,
    ) -> dict[str, str]:
        """Wait for the run's end, showing `seen` its task instances; each one's state by name.

        The run's own state is under "". A mapped task's instances are `task[0]`, `task[1]`, ...
        """
        run = f"/api/v2/dags/{quote(dag_id)}/dagRuns/{quote(run_id)}"
        states: dict[str, str] = {}

        def missing() -> str:
            state = self.ask("GET", run)["state"]
            tasks = self.ask("GET", f"{run}/taskInstances?limit=100")["task_instances"]
            seen(tasks)
            states.update({"": state}, **{task_name(task): str(task["state"]) for task in tasks})
            running = [name for name, of in states.items() if name and of == "running"]
            now = f", in which {', '.join(running)} is running" if running else ""
            return "" if state in ENDED else f"the end of the run {run_id} of {dag_id}{now}"

        wait_for(missing, seconds, pause=PAUSE)
        return states

    def clear(self, dag_id: str, run_id: str, task_id: str) -> None:
        """Let a task of a run run again, as one does by hand in the page."""
        body = {"dry_run": False, "dag_run_id": run_id, "task_ids": [task_id], "only_failed": False}
        dag = f"/api/v2/dags/{quote(dag_id)}"
        self.ask("POST", f"{dag}/clearTaskInstances", {**body, "reset_dag_runs": True})

    def set_state(self, dag_id: str, run_id: str, task_id: str, state: str) -> None:
        """Set a task's state as one does by hand, in the page."""
        run = f"/api/v2/dags/{quote(dag_id)}/dagRuns/{quote(run_id)}"
        self.ask("PATCH", f"{run}/taskInstances/{quote(task_id)}", {"new_state": state})


def task_name(task: dict[str, Any]) -> str:
    """A task instance's name for people."""
    index = task.get("map_index", -1)
    return str(task["task_id"]) if index < 0 else f"{task['task_id']}[{index}]"
