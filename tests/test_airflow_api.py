"""Asking an Airflow that is busy: of the demo and the tests, against a server with set answers."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from dev import airflow_api
from dev.airflow_api import AirflowError, Api, NoAnswerError, RefusedError
from dev.waiting import WaitError

Answer = tuple[int, Any]


class Server(HTTPServer):
    """Gives its answers one after the other, and remembers the requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = []
        self.asked: list[str] = []


class Handler(BaseHTTPRequestHandler):
    def answer(self) -> None:
        assert isinstance(self.server, Server)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append(f"{self.command} {self.path}")
        status, body = self.server.answers.pop(0)
        if not status:  # the connection is closed without an answer
            return
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    do_GET = do_PATCH = do_POST = answer

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(airflow_api, "PAUSE", 0.0)
    with Server() as server:
        thread = Thread(target=server.serve_forever, args=[0.05])
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def api(server: Server) -> Api:
    return Api(f"http://127.0.0.1:{server.server_port}")


def test_a_busy_server_is_asked_again(server: Server, api: Api) -> None:
    server.answers = [(503, None), (0, None), (500, None), (200, {"a": 1})]
    assert api.ask("GET", "/x") == {"a": 1}
    assert server.asked == ["GET /x"] * 4


def test_a_refusal_is_not_asked_again(server: Server, api: Api) -> None:
    server.answers = [(403, None)]
    with pytest.raises(RefusedError, match=r"^Airflow answered 403 to GET /x\.$"):
        api.ask("GET", "/x")


def test_a_server_that_stays_busy_is_one_line(
    server: Server, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(airflow_api, "ANSWER_SECONDS", 0)
    server.answers = [(503, None)] * 9
    with pytest.raises(WaitError) as error:
        api.ask("GET", "/x")
    assert str(error.value) == (
        "Waited 0 s in vain for an answer to GET /x: Airflow answered 503 to GET /x."
    )


def test_waiting_ends_when_it_is_of_no_use(server: Server, api: Api) -> None:
    class Ended(Api):
        def check(self) -> None:
            raise AirflowError("the scheduler ended")

    with pytest.raises(AirflowError, match="the scheduler ended"):
        Ended(api.address).ask("GET", "/x")
    assert server.asked == []


def test_no_server_answers() -> None:
    with pytest.raises(NoAnswerError, match=r"^Airflow does not answer at http://127.0.0.1:1: "):
        Api("http://127.0.0.1:1").ask_once("GET", "/x")


def test_a_run_whose_start_was_not_answered_is_the_one_run(server: Server, api: Api) -> None:
    server.answers = [
        (404, None),
        (200, {"import_errors": []}),
        (200, {}),
        (0, None),
        (409, None),
    ]
    run = api.trigger("a dag")
    assert run.startswith("manual__")
    dag = "/api/v2/dags/a%20dag"
    assert server.asked == [
        f"PATCH {dag}",
        "GET /api/v2/importErrors",
        f"PATCH {dag}",
        *[f"POST {dag}/dagRuns"] * 2,
    ]


def test_the_states_of_a_run_that_has_ended(server: Server, api: Api) -> None:
    def tasks(*states: str) -> Answer:
        named = [{"task_id": "t", "map_index": at, "state": s} for at, s in enumerate(states)]
        return 200, {"task_instances": named}

    server.answers = [(200, {"state": "running"}), tasks("running", "success")]
    server.answers += [(200, {"state": "failed"}), tasks("failed", "success")]
    assert api.wait("d", "r") == {"": "failed", "t[0]": "failed", "t[1]": "success"}
