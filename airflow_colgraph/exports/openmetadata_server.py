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
    """What sends a document, and tells whether the server has taken all of it.

    Args:
        url: The URL of the server's API: `http://openmetadata:8585/api`.
        token: The bearer token.
        warn: Called once for each table, column or tag that the server does not have or take.
    """

    @cache
    def leave_out(text: str) -> None:
        warn(f"Left out: {text}")

    def got(path: str, name: str, query: str = "") -> Json | None:
        try:
            answer = send("GET", f"{url}/v1/{path}/name/{quote(name, safe='')}{query}", token=token)
        except SendError as error:
            if error.status != 404:
                raise
            return None
        return dict(answer)

    @cache
    def find(kind: str, name: str) -> str:
        entity = got(f"{kind}s", name)
        if entity is None:
            leave_out(f"OpenMetadata has no {kind} '{name}'.")
            return ""
        return str(entity["id"])

    @cache
    def has_tag(name: str) -> bool:
        if len(name) > LONGEST:
            leave_out(f"the tag '{name[:60]}..' is longer than {LONGEST} characters.")
            return False
        if got("tags", name) is None:
            classification, tag = parts_of(name)
            if got("classifications", classification) is None:
                parent = {"name": classification, "description": "Tags of airflow_colgraph."}
                send("PUT", f"{url}/v1/classifications", parent, token=token)
            new = {"classification": classification, "name": tag, "description": ""}
            send("PUT", f"{url}/v1/tags", new, token=token)
        return True

    def put_edge(document: Json) -> bool:
        body = with_ids(document, find)
        if not all(body["edge"][end]["id"] for end in ("fromEntity", "toEntity")):
            return False
        send("PUT", f"{url}/v1/lineage", body, token=token)
        return True

    def put_tags(document: Json) -> bool:
        kind, name = document["entity"]["type"], document["entity"]["fullyQualifiedName"]
        wanted = {tag for tags in (document["tags"], *document["columns"].values()) for tag in tags}
        entity = got(f"{kind}s", name, f"?fields={FIELDS[kind]}")
        if entity is None:
            if wanted:
                leave_out(f"OpenMetadata has no {kind} '{name}'.")
            return not wanted
        refused = {tag for tag in sorted(wanted) if not has_tag(tag)}
        operations, missing = patch(without(document, refused), entity)
        if operations:
            path = f"{url}/v1/{kind}s/{entity['id']}"
            send("PATCH", path, operations, token=token, headers=JSON_PATCH)
        for column in missing:
            leave_out(f"OpenMetadata has no column '{column}'.")
        return not missing and not refused

    return lambda document: put_edge(document) if "edge" in document else put_tags(document)


def without(document: Json, refused: set[str]) -> Json:
    """The tags of a dataset without some of them."""
    kept = {
        name: [tag for tag in tags if tag not in refused]
        for name, tags in document["columns"].items()
    }
    tags = [tag for tag in document["tags"] if tag not in refused]
    return {**document, "tags": tags, "columns": kept}
