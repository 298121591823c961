"""What was exported before, so that the next export has only what is different.

The state is a checksum for each thing that a document is about. Times and runs do not count: a run
that repeats the last one's report gives no document.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

Json = dict[str, Any]
State = dict[str, str]

# Keys of documents that change with every run.
RESTLESS = {"auditStamp", "eventTime", "eventType", "run", "runId"}


class StateError(ValueError):
    """A file that is no state of an export."""


def known(document: Json, state: State | None) -> bool:
    """Whether the state has the document as it is; without a state nothing is known."""
    return state is not None and state.get(json.dumps(_about(document))) == _checksum(document)


def learn(document: Json, state: State | None) -> None:
    """Note that the document was taken."""
    if state is not None:
        state[json.dumps(_about(document))] = _checksum(document)


def fresh(documents: Iterable[Json], state: State | None) -> Iterator[Json]:
    """The documents that the state does not know; it learns each one when the next is asked for."""
    for document in documents:
        if not known(document, state):
            yield document
            learn(document, state)


def _about(document: Json) -> list[Any]:
    """What a document replaces: an aspect, a job's output, a pair of datasets; else itself."""
    if "aspectName" in document:
        return [document["entityUrn"], document["aspectName"]]
    if "edge" in document:
        ends = (document["edge"][end] for end in ("fromEntity", "toEntity"))
        return [[end["type"], end["fullyQualifiedName"]] for end in ends]
    if "classifications" in document:
        return [document["entity"]["type"], document["entity"]["fullyQualifiedName"], "tags"]
    if "producer" in document:
        job = document.get("job", {})
        datasets = document.get("outputs") or [document.get("dataset", {})]
        named = [[entity.get("namespace"), entity.get("name")] for entity in (job, *datasets)]
        is_of_tags = list(document.get("dataset", {}).get("facets", {})) == ["tags"]
        return [*named, "tags"] if is_of_tags else named
    return [_checksum(document)]


def _checksum(document: Json) -> str:
    text = json.dumps(_calm(document), sort_keys=True)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _calm(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _calm(v) for k, v in value.items() if k not in RESTLESS}
    return [_calm(v) for v in value] if isinstance(value, list) else value


def parse_state(text: str | bytes) -> State:
    """The state in a JSON text."""
    try:
        state = json.loads(text)
    except ValueError:
        raise StateError("The file is not the state of an export: it is not JSON.") from None
    if not isinstance(state, dict) or not all(isinstance(v, str) for v in state.values()):
        raise StateError(
            "The file is not the state of an export. Expected a file that an export wrote."
        )
    return state
