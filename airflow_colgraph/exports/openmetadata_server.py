"""Documents to an OpenMetadata server: edges, and the tags of tables and columns."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import quote

from airflow_colgraph.exports.http_client import SendError, send
from airflow_colgraph.exports.openmetadata import with_ids
from airflow_colgraph.exports.openmetadata_tags import FIELDS, LONGEST, parts_of, patch

Json = dict[str, Any]

JSON_PATCH = {"Content-Type": "application/json-patch+json"}


def to_openmetadata(url: str, token: str, warn: Callable[[str], None]) -> Callable[[Json], bool]:
    """What sends a document to the API at `url`, and tells whether the server has taken all of it.

    `warn` is called once for each table, column or tag that the server does not have or take.
    """
    return _Server(url, token, cache(lambda text: warn(f"Left out: {text}"))).put


class _Server:
    """An OpenMetadata server: what it has of entities and tags is asked once."""

    def __init__(self, url: str, token: str, leave_out: Callable[[str], None]) -> None:
        self._url, self._token, self._leave_out = url, token, leave_out
        self._find = cache(self._id_of)
        self._has_tag = cache(self._tag_is_there)

    def put(self, document: Json) -> bool:
        """Send a document; whether all of it was taken."""
        return self._put_edge(document) if "edge" in document else self._put_tags(document)

    def _send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        url = f"{self._url}/v1/{path}"
        return send(method, url, body, token=self._token, headers=headers or None)

    def _got(self, path: str, name: str, query: str = "") -> Json | None:
        try:
            return dict(self._send("GET", f"{path}/name/{quote(name, safe='')}{query}"))
        except SendError as error:
            if error.status != 404:
                raise
            return None

    def _id_of(self, kind: str, name: str) -> str:
        entity = self._got(f"{kind}s", name)
        if entity is None:
            self._leave_out(f"OpenMetadata has no {kind} '{name}'.")
            return ""
        return str(entity["id"])

    def _tag_is_there(self, name: str) -> bool:
        """Whether the server takes a tag: it is created unless its name is too long."""
        if len(name) > LONGEST:
            self._leave_out(f"the tag '{name[:60]}..' is longer than {LONGEST} characters.")
            return False
        if self._got("tags", name) is None:
            classification, tag = parts_of(name)
            if self._got("classifications", classification) is None:
                parent = {"name": classification, "description": "Tags of airflow_colgraph."}
                self._send("PUT", "classifications", parent)
            new = {"classification": classification, "name": tag, "description": ""}
            self._send("PUT", "tags", new)
        return True

    def _put_edge(self, document: Json) -> bool:
        body = with_ids(document, self._find)
        if not all(body["edge"][end]["id"] for end in ("fromEntity", "toEntity")):
            return False
        self._send("PUT", "lineage", body)
        return True

    def _put_tags(self, document: Json) -> bool:
        kind, name = document["entity"]["type"], document["entity"]["fullyQualifiedName"]
        wanted = {tag for tags in (document["tags"], *document["columns"].values()) for tag in tags}
        entity = self._got(f"{kind}s", name, f"?fields={FIELDS[kind]}")
        if entity is None:
            if wanted:
                self._leave_out(f"OpenMetadata has no {kind} '{name}'.")
            return not wanted
        refused = {tag for tag in sorted(wanted) if not self._has_tag(tag)}
        operations, missing = patch(without(document, refused), entity)
        if operations:
            self._send("PATCH", f"{kind}s/{entity['id']}", operations, **JSON_PATCH)
        for column in missing:
            self._leave_out(f"OpenMetadata has no column '{column}'.")
        return not missing and not refused


def without(document: Json, refused: set[str]) -> Json:
    """The tags of a dataset without some of them."""
    kept = {
        name: [tag for tag in tags if tag not in refused]
        for name, tags in document["columns"].items()
    }
    tags = [tag for tag in document["tags"] if tag not in refused]
    return {**document, "tags": tags, "columns": kept}
