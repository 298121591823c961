"""A REST catalog of Iceberg's that can only be read: two namespaces' tables, by their metadata."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Tables = Mapping[str, Mapping[str, str]]
"""Tables of the namespace `db`: their columns with Iceberg's types."""


class Rest(NamedTuple):
    """A server's address, and the requests that were not reads."""

    uri: str
    changes: list[str]


def metadata(location: str, columns: Mapping[str, str]) -> dict[str, Any]:
    """The metadata of a table without a snapshot, by Iceberg's table specification, version 2."""
    fields = [
        {"id": place, "name": name, "required": False, "type": kind}
        for place, (name, kind) in enumerate(columns.items(), 1)
    ]
    return {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": location,
        "last-sequence-number": 0,
        "last-updated-ms": 0,
        "last-column-id": len(fields),
        "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": fields}],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "last-partition-id": 999,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {},
    }


def answers(folder: str, tables: Tables) -> dict[str, Any]:
    """The answers by path."""
    of_tables = {
        f"/v1/namespaces/db/tables/{name}": {
            "metadata-location": f"{folder}/{name}/metadata/0.metadata.json",
            "metadata": metadata(f"{folder}/{name}", columns),
        }
        for name, columns in tables.items()
    }
    return {
        "/v1/config": {"defaults": {}, "overrides": {}},
        "/v1/namespaces": {"namespaces": [["db"]]},
        "/v1/namespaces/db": {"namespace": ["db"], "properties": {}},
        "/v1/namespaces/db/tables": {
            "identifiers": [{"namespace": ["db"], "name": name} for name in tables]
        },
        **of_tables,
    }


@contextmanager
def rest_catalog(folder: str, tables: Tables) -> Iterator[Rest]:
    """A server whose tables are below a folder."""
    bodies = answers(folder, tables)
    changes: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            kind = "NoSuchTableException" if "/tables/" in path else "NoSuchNamespaceException"
            missing = {"error": {"message": f"no {path}", "type": kind, "code": 404}}
            body = json.dumps(bodies.get(path, missing)).encode()
            self.send_response(200 if path in bodies else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def change(self) -> None:
            changes.append(f"{self.command} {self.path}")
            self.send_error(500)

        do_HEAD = do_GET
        do_POST = do_PUT = do_DELETE = change

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Rest(f"http://127.0.0.1:{server.server_address[1]}", changes)
    server.shutdown()
