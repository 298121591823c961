"""A real Airflow of one's own: API server, DAG processor and scheduler, until the block is left.

    with Airflow(home, dags, environment) as airflow:
        airflow.start()
        run = airflow.trigger("flights")
        states = airflow.wait("flights", run)

The demo and the tests use it. All processes that it starts, and theirs, end with the block.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import psutil

from dev.airflow_api import READY_SECONDS, AirflowError, Api, NoAnswerError, RefusedError
from dev.waiting import wait_for

STOP_SECONDS = 60
PROCESSES = {
    "api-server": ["api-server", "--host", "127.0.0.1", "--workers", "1", "--port"],
    "dag-processor": ["dag-processor"],
    "scheduler": ["scheduler", "--skip-serve-logs"],
}
TRIGGERER = {"triggerer": ["triggerer", "--skip-serve-logs"]}


# What Airflow gives up on in seconds takes longer on a machine that does much else: that a file is
# parsed, that the API server answers a task, that a task's event is sent after its end, and that
# the lineage store answers.
PATIENCE = {
    "AIRFLOW__COLGRAPH__DEADLINE_SECONDS": "300",
    "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "300",
    "AIRFLOW__CORE__TASK_SUCCESS_OVERTIME": "300",
    "AIRFLOW__DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT": "300",
    "AIRFLOW__OPENLINEAGE__EXECUTION_TIMEOUT": "240",
    "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": "60",
    "AIRFLOW__WORKERS__MAX_FAILED_HEARTBEATS": "20",
}


def environment(home: Path, dags: Path, **more: str) -> dict[str, str]:
    """The variables with which the `airflow` command means the Airflow in `home`, and no other."""
    foreign = ("AIRFLOW_", "COLGRAPH_", "OPENLINEAGE_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    bin_folder = str(Path(sys.executable).parent)  # spark-submit and its python3 are there
    return {
        **kept,
        "PATH": bin_folder + os.pathsep + kept.get("PATH", ""),
        "PYTHONWARNINGS": "ignore",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
        "AIRFLOW__CORE__PARALLELISM": "2",
        "AIRFLOW__SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "5",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[1]"}),
        **PATIENCE,
        **more,
    }


def run_airflow(variables: dict[str, str], *arguments: str) -> None:
    """Run one `airflow` command to its end."""
    command = [sys.executable, "-m", "airflow", *arguments]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise AirflowError(f"`airflow {' '.join(arguments)}` failed:\n{tail}")


class Airflow(Api):
    """The processes, and what one asks them over their API."""

    user = "admin"

    def __init__(
        self,
        home: Path,
        dags: Path,
        variables: dict[str, str] | None = None,
        *,
        triggerer: bool = False,
        path: str = "",
        programs: Collection[str] = tuple(PROCESSES),
        commands: Iterable[Sequence[str]] = (),
    ) -> None:
        """Nothing is started before the block is entered. Deferred tasks need the triggerer.

        `path` is below which path Airflow answers; `commands` are arguments of `airflow`, run once
        the database exists and before any of the programs does.
        """
        self.home = home
        port = free_port()
        super().__init__(f"http://127.0.0.1:{port}{path}")
        self.password = secrets.token_urlsafe(9)
        passwords = home / "passwords.json"
        own = {
            "AIRFLOW__API__BASE_URL": self.address,
            "AIRFLOW__API__PORT": str(port),
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{self.address}/execution/",
            "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_hex(32),
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": f"{self.user}:admin",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        }
        self.variables = environment(home, dags, **own | (variables or {}))
        home.mkdir(parents=True, exist_ok=True)
        passwords.write_text(json.dumps({self.user: self.password}))
        self._port = port
        chosen = {name: PROCESSES[name] for name in programs}
        self._programs = chosen | (TRIGGERER if triggerer else {})
        self.commands = list(commands)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Airflow:
        """Nothing yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop everything."""
        self.stop()

    def start(self) -> None:
        """Make the database, start the processes, wait until all of them answer."""
        for command in (("db", "migrate"), *self.commands):
            run_airflow(self.variables, *command)
        for name, arguments in self._programs.items():
            self._start(name, arguments)
        self._wait_until_ready()

    def _start(self, name: str, arguments: list[str]) -> None:
        port = [str(self._port)] if arguments[-1] == "--port" else []
        log = self.home / f"{name}.log"
        with log.open("wb") as output:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", "airflow", *arguments, *port],
                env=self.variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for us; we stop them in order
            )

    def stop(self) -> None:
        """End the processes and all that they have started; kill what does not end."""
        found = []
        for process in self._processes.values():
            with suppress(psutil.NoSuchProcess):
                parent = psutil.Process(process.pid)
                found += [parent, *parent.children(recursive=True)]
        for one in found:
            with suppress(psutil.NoSuchProcess):
                one.terminate()
        _, alive = psutil.wait_procs(found, timeout=10)
        for one in alive:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(alive, timeout=STOP_SECONDS)
        for process in self._processes.values():
            with suppress(subprocess.TimeoutExpired):  # it is killed: nothing more can be done
                process.wait(STOP_SECONDS)
        self._processes = {}

    # Asking -----------------------------------------------------------------------------------

    def _wait_until_ready(self) -> None:
        def missing() -> str:
            self.check()
            late = self._not_ready()
            return f"{late} of the Airflow in {self.home}" if late else ""

        wait_for(missing, READY_SECONDS, pause=0.5)

    def _not_ready(self) -> str:
        """Name the programs that do not answer yet."""
        try:
            if not self.token:
                self.token = self.log_in(self.user, self.password)
            health = self.ask_once("GET", "/api/v2/monitor/health")
        except (NoAnswerError, RefusedError):
            return "the api-server"
        late = [
            name
            for name in self._programs
            if name != "api-server" and health[name.replace("-", "_")]["status"] != "healthy"
        ]
        return f"the {', '.join(late)}" if late else ""

    def log_in(self, user: str, password: str) -> str:
        """A new token of the user's; RefusedError if it is not the password."""
        login = {"username": user, "password": password}
        return str(self.ask_once("POST", "/auth/token", login)["access_token"])

    def check(self) -> None:
        """Raise AirflowError if one of the processes has ended, with the end of its log."""
        for name, process in self._processes.items():
            if process.poll() is not None:
                log = self.home / f"{name}.log"
                tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
                raise AirflowError(f"Airflow's {name} ended ({process.returncode}), {log}:\n{tail}")

    def log_of(self, dag_id: str, run_id: str, task_id: str) -> list[str]:
        """The lines that the last try of a task wrote to its log."""
        folder = self.home / "logs" / f"dag_id={dag_id}" / f"run_id={run_id}"
        files = sorted((folder / f"task_id={task_id}").rglob("attempt=*[0-9].log"))
        files = [file for file in files if ".trigger." not in file.name]
        if not files:
            return []
        return [_log_line(line) for line in files[-1].read_text(errors="replace").splitlines()]


def _log_line(line: str) -> str:
    try:
        entry = json.loads(line)
        errors = [f"{e['exc_type']}: {e['exc_value']}" for e in entry.get("error_detail") or ()]
        return "\n  ".join([str(entry["event"]), *errors])
    except (ValueError, KeyError, TypeError):
        return line


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
