"""Marquez' OpenAPI document against our compatible routes, asked for what a store really holds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import schemathesis
import yaml
from fastapi.testclient import TestClient
from schemathesis.core.failures import Failure, FailureGroup

from airflow_colgraph.api.app import create_app
from oracles.conformance.table import Row
from tests.store.samples import memory_store

MOST = 40  # calls of one operation
PREFIX = "/api/v1"
DATASET = "/namespaces/{namespace}/datasets/{dataset}"
JOB = "/namespaces/{namespace}/jobs/{job}"
# What fills the places of an operation's path, and its required parameters.
KINDS = {
    "/namespaces/{namespace}/datasets": "namespaces",
    "/namespaces/{namespace}/jobs": "namespaces",
    DATASET: "datasets",
    JOB: "jobs",
    f"{JOB}/runs": "jobs",
    "/jobs/runs/{id}": "runs",
    "/lineage": "datasets",
    "/search": "datasets",
}
QUERIES = {
    "/lineage": "?nodeId=dataset:{namespace}:{dataset}",
    "/search": "?q={dataset}",
}
VERSIONS = "the store keeps versions of lineage, not of Marquez' datasets and jobs"
# Operations that are left out on purpose, and why.
REASONS = {
    "/namespaces/{namespace}": "namespaces are listed: one alone has no more to say",
    "/sources": "a dataset's namespace is its source",
    "/sources/{source}": "a dataset's namespace is its source",
    f"{DATASET}/versions": VERSIONS,
    f"{DATASET}/versions/{{version}}": VERSIONS,
    f"{JOB}/versions": VERSIONS,
    f"{JOB}/versions/{{version}}": VERSIONS,
    "/events/lineage": "`colgraph db events` writes the events that were kept",
    "/jobs/runs/{id}/facets": "a run's facets are part of `/api/v1/jobs/runs/{id}`",
    "/runlineage/upstream": "`/api/v1/graph` answers for the time of a run",
    "/column-lineage": "Marquez' own answer has nodes of type DATASET_FIELD, and its document none",
    "/tags": "`/api/v1/tagged` lists what has a tag",
}

Names = Mapping[str, list[dict[str, str]]]


def rows(checkout: Path, events: list[dict[str, Any]]) -> Iterator[Row]:
    """A row for all reading operations: each answer is valid by Marquez' own schemas."""
    document = document_of((checkout / "spec" / "openapi.yml").read_text())
    schema = schemathesis.openapi.from_dict(document)
    store = memory_store()
    store.keep_events()
    store.add_valid(events)
    right, wrong, reasons = 0, list[str](), Counter[str]()
    with TestClient(create_app(store), raise_server_exceptions=False) as client:
        names = names_of(client)
        for path, operations in document["paths"].items():
            if "get" not in operations:
                continue
            if path in REASONS:
                reasons[REASONS[path]] += 1
                continue
            problem = next(problems_of(client, schema, path, names), None)
            right += problem is None
            wrong += [problem] if problem else []
    yield Row("Marquez' OpenAPI document, reading operations", right, wrong, reasons)


def document_of(text: str) -> Any:
    """The document in a form that a validator can read: times are texts, for example."""
    return json.loads(json.dumps(yaml.safe_load(text), default=str), object_hook=repaired)


def repaired(values: dict[str, Any]) -> dict[str, Any]:
    """A part without an empty type, which may be null as in the document's own examples.

    A choice by a discriminator, whose schemas require nothing, is any of them.
    """
    renamed = {"oneOf": "anyOf"} if "discriminator" in values else {}
    parts = {
        renamed.get(name, name): value
        for name, value in values.items()
        if name != "type" or value is not None
    }
    if parts.get("additionalProperties") == {"type": "string", "nullable": True}:
        parts["additionalProperties"] = True  # facets of inputs and outputs are objects
    return {**parts, "nullable": True} if isinstance(parts.get("type"), str) else parts


def problems_of(client: TestClient, schema: Any, path: str, names: Names) -> Iterator[str]:
    """What is wrong with the answers of an operation; that it never answered as well."""
    answered = False
    for address in islice(addresses(path, names), MOST):
        response = client.get(f"{PREFIX}{address}")
        if response.status_code != 200:
            yield f"GET {address}: {response.status_code} {response.text[:200]}"
            continue
        answered = True
        try:
            schema[path]["GET"].validate_response(response)
        except (Failure, FailureGroup) as error:
            yield f"GET {address}: {first_of(error)}"
    if not answered:
        yield f"GET {path}: no call was answered"


def first_of(error: Failure | FailureGroup) -> object:
    """The failure, or the first of several."""
    return error.exceptions[0] if isinstance(error, FailureGroup) else error


def addresses(path: str, names: Names) -> Iterator[str]:
    """The path with the names of each thing that the store has, and its required parameters."""
    kind = KINDS.get(path, "")
    for values in names.get(kind, [{}]) if kind else [{}]:
        quoted = {name: quote(value, safe="") for name, value in values.items()}
        address = path
        for name, value in quoted.items():
            address = address.replace(f"{{{name}}}", value)
        yield address + QUERIES.get(path, "").format(**quoted)


def names_of(client: TestClient) -> Names:
    """What the store has of each kind, as its own lists answer."""
    spaces = [item["name"] for item in listed(client, "/namespaces", "namespaces")]
    names: dict[str, list[dict[str, str]]] = {"namespaces": [{"namespace": s} for s in spaces]}
    for kind, place in (("datasets", "dataset"), ("jobs", "job")):
        names[kind] = [
            {"namespace": space, place: item["name"]}
            for space in spaces
            for item in listed(client, f"/namespaces/{quote(space, safe='')}/{kind}", kind)
        ]
    names["runs"] = [
        {"id": run["id"]}
        for address in islice(addresses(f"{JOB}/runs", names), MOST)
        for run in listed(client, address, "runs")
    ]
    return names


def listed(client: TestClient, address: str, key: str) -> list[Any]:
    """The items of a list."""
    return list(client.get(f"{PREFIX}{address}").json()[key])
