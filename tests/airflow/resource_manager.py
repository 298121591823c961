"""A YARN resource manager with one application, whose driver goes on when nobody looks."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.operators.fake_spark_submit import write_events


class ResourceManager:
    """Says RUNNING to the first who asks; then the driver reports its lineage and has finished."""

    def __init__(self, submitted: Path) -> None:
        """`submitted` is where the fake spark-submit leaves the application's configuration."""
        self.submitted = submitted
        self.asked: list[str] = []
        manager = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps({"app": manager.answer(self.path)}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str) -> dict[str, str]:
        """The application's state."""
        self.asked.append(path)
        if len(self.asked) == 1:
            job = json.loads(self.submitted.read_text())
            write_events(job["conf"], job["written"])
            return {"state": "RUNNING", "finalStatus": "UNDEFINED"}
        return {"state": "FINISHED", "finalStatus": "SUCCEEDED"}

    def __enter__(self) -> "ResourceManager":
        """It listens already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Listen no more."""
        self.server.shutdown()
        self.server.server_close()
