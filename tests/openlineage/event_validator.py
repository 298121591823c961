"""What is wrong with an event: by OpenLineage's specification, its validator and our schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from airflow_colgraph.openlineage.facets import CUSTOM, PRODUCER, SPEC, STANDARD
from tests.openlineage import client_classes

Json = dict[str, Any]

# What the specification says of each facet (OpenLineage.json): two keys, and whatever else.
BASE = {
    "type": "object",
    "properties": {"_producer": {"type": "string"}, "_schemaURL": {"type": "string"}},
    "required": ["_producer", "_schemaURL"],
}
PLACES = ("RunFacet", "JobFacet", "DatasetFacet", "InputDatasetFacet", "OutputDatasetFacet")
CORE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": f"{SPEC}2-0-2/OpenLineage.json",
    "$defs": dict.fromkeys(PLACES, BASE),
}


@cache
def schema(name: str) -> Json:
    file = files("airflow_colgraph.openlineage") / "schemas" / f"{name}.json"
    return dict(json.loads(file.read_text("utf-8")))


@cache
def validator(name: str) -> Draft202012Validator:
    core = Resource(contents=CORE, specification=DRAFT202012)
    registry: Registry[Any] = Registry().with_resource(CORE["$id"], core)
    return Draft202012Validator(schema(name), registry=registry)


def errors(event: Json) -> Iterator[str]:
    """What is wrong with an event: by the specification, our schemas and OpenLineage's validator.

    That one (OpenLineage/compatibility-tests) asks for the facets of run and job, and takes a
    facet that it has no schema of for a custom one by its URL only.
    """
    yield from client_classes.of_event(event)
    entities = [("run", event["run"])] if "run" in event else []
    entities += [("job", event["job"])]
    entities += [(side, item) for side in ("inputs", "outputs") for item in event.get(side, ())]
    for where, entity in entities:
        of_run = {**entity.get("inputFacets", {}), **entity.get("outputFacets", {})}
        for name, value in {**entity["facets"], **of_run}.items():
            assert {"_producer", "_schemaURL"} <= value.keys(), (where, name)
            is_ours = value["_producer"] == PRODUCER
            is_of_client = value["_schemaURL"] in client_classes.by_url()
            if is_of_client or (is_ours and name in STANDARD):
                yield from client_classes.of_facet(f"{where} {name}", value)
                continue
            if not is_ours and value["_schemaURL"].startswith(f"{SPEC}facets/"):
                continue  # of an older Airflow
            if not any(f"defs/{place}" in value["_schemaURL"] for place in PLACES):
                yield f"{where} {name}: {value['_schemaURL']}"
            if name in CUSTOM:
                for error in validator(name).iter_errors({name: value}):
                    yield f"{where} {name}: {error.json_path}: {error.message}"
            elif is_ours and name != "spark_applicationDetails":
                yield f"{where} {name} has no schema"


def valid(events: Sequence[Json]) -> list[Json]:
    """The events that a test received; AssertionError if something is wrong with one."""
    wrong = {f"{event['job']['name']}: {error}" for event in events for error in errors(event)}
    assert not wrong, sorted(wrong)
    return list(events)
