"""Carries out the plan of a rerun over the REST API of Airflow 3, a step at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from airflow_colgraph.check.rerun import Plan, Step
from airflow_colgraph.exports.http_client import SendError, check_url, send
from airflow_colgraph.store.model.shown_url import HIDDEN

PAUSE = 5.0  # seconds between two looks at a DAG run, at most
FIRST_PAUSE = 0.5
ENDED = {"success", "failed"}


class RerunError(RuntimeError):
    """Airflow did not do what the plan needs; the text is one line."""


class Airflow:
    """The REST API of an Airflow 3."""

    def __init__(self, url: str, token: str, pause: float = PAUSE) -> None:
        """Nothing is asked yet. `token` is a bearer token, as `/auth/token` gives; "" for none."""
        self._token = token
        self._pause = pause
        try:
            self._url = f"{check_url(url)}/api/v2"
        except SendError as error:
            raise RerunError(str(error)) from None

    def check(self, plan: Plan) -> None:
        """Check that every DAG of a plan can run and has its tasks, before one is cleared.

        Raises:
            RerunError: A DAG is paused or is running in one of the runs, or a DAG, run or task is
                unknown, or Airflow does not answer.
        """
        for dag_id in dict.fromkeys(step.dag_id for step in plan.steps):
            if self._ask("GET", _dag(dag_id)).get("is_paused"):
                raise RerunError(f"The DAG {dag_id} is paused, so it would not run. Unpause it.")
        for step in plan.steps:
            if (state := self._state(step.dag_id, step.run_id)) not in ENDED:
                raise RerunError(
                    f"The run {step.run_id} of {step.dag_id} is {state}. Wait until it has ended."
                )
            self._clear(step, dry_run=True)

    def run(self, step: Step) -> None:
        """Clear the tasks of a step, and wait until its DAG run has ended.

        Raises:
            RerunError: The DAG run has failed, or Airflow refuses.
        """
        self._clear(step, dry_run=False)
        pause = min(FIRST_PAUSE, self._pause)
        while (state := self._state(step.dag_id, step.run_id)) not in ENDED:
            time.sleep(pause)
            pause = min(1.5 * pause, self._pause)
        if state != "success":
            failed = ", ".join(self._failed(step)) or "none of the cleared ones"
            raise RerunError(
                f"The run {step.run_id} of {step.dag_id} has failed; failed tasks: {failed}."
            )

    def _clear(self, step: Step, *, dry_run: bool) -> None:
        """Clear a step's tasks; Airflow itself passes over those that the run has not."""
        tasks = [task for task, _ in step.tasks]
        body = {
            "dry_run": dry_run,
            "dag_run_id": step.run_id,
            "task_ids": tasks,
            "only_failed": False,
            "reset_dag_runs": True,
        }
        answer = self._ask("POST", f"{_dag(step.dag_id)}/clearTaskInstances", body)
        there = {instance["task_id"] for instance in answer.get("task_instances", ())}
        if missing := [task for task in tasks if task not in there]:
            raise RerunError(
                f"The run {step.run_id} of {step.dag_id} does not have {', '.join(missing)}: "
                "was the DAG changed? Run them by other means."
            )

    def _state(self, dag_id: str, run_id: str) -> str:
        return str(self._ask("GET", _run(dag_id, run_id)).get("state"))

    def _failed(self, step: Step) -> list[str]:
        tasks = self._ask("GET", f"{_run(*step[:2])}/taskInstances?state=failed&limit=100")
        return sorted({str(instance["task_id"]) for instance in tasks.get("task_instances", ())})

    def _ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        try:
            answer = send(method, self._url + path, body, token=self._token)
        except SendError as error:
            raise RerunError(str(error)) from None
        if not isinstance(answer, dict):
            raise RerunError(f"{method} {path}: the answer is not Airflow's.")
        return answer


def log_in(url: str, user: str, password: str) -> str:
    """Return a token of a user of Airflow's.

    Raises:
        RerunError: The password is wrong, or Airflow does not answer.
    """
    login = {"username": user, "password": password}
    try:
        answer = send("POST", f"{check_url(url)}/auth/token", login)
    except SendError as error:
        raise RerunError(str(error).replace(password, HIDDEN) if password else str(error)) from None
    token = answer.get("access_token") if isinstance(answer, dict) else None
    if not isinstance(token, str):
        raise RerunError(f"POST {url.rstrip('/')}/auth/token: the answer is not Airflow's.")
    return token


def rerun(plan: Plan, airflow: Airflow, tell: Callable[[int, Step], None]) -> None:
    """Run the steps of a plan one after the other; `tell` is called before each with its number.

    Raises:
        RerunError: A step failed, or nothing was cleared as the plan cannot be carried out.
    """
    airflow.check(plan)
    for number, step in enumerate(plan.steps, 1):
        tell(number, step)
        try:
            airflow.run(step)
        except RerunError as error:
            left = len(plan.steps) - number
            are_left = f"{left} step{' of the plan is' if left == 1 else 's of the plan are'} left."
            rest = f" {are_left}" if left else ""
            raise RerunError(f"{error}{rest}") from None


def _dag(dag_id: str) -> str:
    return f"/dags/{quote(dag_id, safe='')}"


def _run(dag_id: str, run_id: str) -> str:
    return f"{_dag(dag_id)}/dagRuns/{quote(run_id, safe='')}"
