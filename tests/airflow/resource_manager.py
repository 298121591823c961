"""The REST API of a YARN resource manager, for what Airflow asks it: how an application is."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.operators.fake_spark_submit import write_events

APPLICATION = "/ws/v1/cluster/apps/"
State = dict[str, str]


@contextmanager
def rest(state: Callable[[str], State]) -> Iterator[str]:
    """Answer with the states of applications until the block is left; where."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _, _, application = self.path.partition(APPLICATION)
            body = json.dumps({"app": {"id": application, **state(application)}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class LonelyDriver:
    """One application, whose driver goes on when nobody looks.

    It is running for the first who asks; then it reports its lineage and has finished.
    """

    def __init__(self, submitted: Path) -> None:
        """`submitted` is where the fake spark-submit leaves the application's configuration."""
        self.submitted = submitted
        self.asked: list[str] = []

    def state(self, application: str) -> State:
        """The application's state."""
        self.asked.append(application)
        if len(self.asked) == 1:
            job = json.loads(self.submitted.read_text())
            write_events(job["conf"], job["written"])
            return {"state": "RUNNING", "finalStatus": "UNDEFINED"}
        return {"state": "FINISHED", "finalStatus": "SUCCEEDED"}
