"""A query and its lineage as OpenLineage says it: datasets, facets, run events. Pure.

Left of this file the words are Spark's, right of it OpenLineage's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, NamedTuple

from airflow_colgraph import __version__
from airflow_colgraph.collector.lineage.frame import Frame
from airflow_colgraph.collector.lineage.resolution import Resolution
from airflow_colgraph.collector.lineage.transformations import (
    IDENTITY,
    MASKING,
    TRANSFORMATION,
    TRANSFORMATIONS,
    Inputs,
    bits,
)
from airflow_colgraph.collector.lineage.values import NOTHING, Value, typed
from airflow_colgraph.collector.model import Field, NamedDataset, Query, Read, Write
from airflow_colgraph.collector.settings import Settings

Json = dict[str, Any]

PRODUCER = f"urn:airflow-colgraph:{__version__}"
SPEC = "https://openlineage.io/spec/"
EVENT_SCHEMA = f"{SPEC}2-0-2/OpenLineage.json#/$defs/RunEvent"
FACET_SCHEMAS = {
    "schema": "1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",
    "columnLineage": "1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet",
    "symlinks": "1-0-1/SymlinksDatasetFacet.json#/$defs/SymlinksDatasetFacet",
    "lifecycleStateChange": (
        "1-0-1/LifecycleStateChangeDatasetFacet.json#/$defs/LifecycleStateChangeDatasetFacet"
    ),
    "storage": "1-0-1/StorageDatasetFacet.json#/$defs/StorageDatasetFacet",
    "parent": "1-1-0/ParentRunFacet.json#/$defs/ParentRunFacet",
    "processing_engine": "1-1-1/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet",
    "errorMessage": "1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet",
    "jobType": "2-0-3/JobTypeJobFacet.json#/$defs/JobTypeJobFacet",
    "lineage": "1-0-0/LineageFacet.json#/$defs/LineageJobFacet",
}
OWN_SCHEMA = "urn:airflow-colgraph:facet:{name}:1-0-0"


class Job(NamedTuple):
    """The run that all events of one Spark application belong to."""

    namespace: str
    name: str
    run_id: str
    run_facets: Json
    integration: str = "SPARK"


def facet(name: str, /, **body: Any) -> Json:
    """A facet with the two keys that each must have."""
    known = FACET_SCHEMAS.get(name)
    base = "facets/" if known else ""
    url = f"{SPEC}{base}{known}" if known else OWN_SCHEMA.format(name=name)
    return {"_producer": PRODUCER, "_schemaURL": url, **body}


def event(
    job: Job,
    kind: str,
    inputs: list[Json] | None = None,
    outputs: list[Json] | None = None,
    run_facets: Mapping[str, Json] | None = None,
    job_facets: Mapping[str, Json] | None = None,
) -> Json:
    """A run event of the Spark application: START, RUNNING, COMPLETE or FAIL."""
    job_type = facet("jobType", processingType="BATCH", integration=job.integration, jobType="JOB")
    return {
        "eventType": kind,
        "eventTime": datetime.now(timezone.utc).isoformat(),
        "producer": PRODUCER,
        "schemaURL": EVENT_SCHEMA,
        "run": {"runId": job.run_id, "facets": {**job.run_facets, **(run_facets or {})}},
        "job": {
            "namespace": job.namespace,
            "name": job.name,
            "facets": {"jobType": job_type, **(job_facets or {})},
        },
        "inputs": inputs or [],
        "outputs": outputs or [],
    }


# Datasets -------------------------------------------------------------------------------------


def schema_field(name: str, data_type: Any) -> Json:
    """One field of the schema facet, with its members: arrays' are `_element`, maps' key, value."""
    if not isinstance(data_type, dict):
        return {"name": name, "type": str(data_type)}
    kind = data_type.get("type")
    if kind == "struct":
        members = [schema_field(part["name"], part["type"]) for part in data_type["fields"]]
    elif kind == "array":
        members = [schema_field("_element", data_type["elementType"])]
    elif kind == "map":
        members = [
            schema_field("key", data_type["keyType"]),
            schema_field("value", data_type["valueType"]),
        ]
    else:  # a user-defined type: its SQL type is what is stored
        return {"name": name, "type": str(data_type.get("class") or kind)}
    return {"name": name, "type": kind, "fields": members}


def schema_facet(columns: Iterable[tuple[str, Any]]) -> Json:
    """The schema facet of (name, Spark's type as JSON)."""
    return facet("schema", fields=[schema_field(name, kind) for name, kind in columns])


def dataset(named: NamedDataset, facets: Mapping[str, Json]) -> Json:
    """A dataset with its facets and its other names."""
    symlinks = [link._asdict() for link in named.symlinks]
    also = {"symlinks": facet("symlinks", identifiers=symlinks)} if symlinks else {}
    return {
        "namespace": named.dataset.namespace,
        "name": named.dataset.name,
        "facets": {**facets, **also},
    }


def inputs_of(reads: Iterable[Read]) -> list[Json]:
    """The datasets that a query read, each once, with the columns that any of its leaves has."""
    found: dict[Any, tuple[NamedDataset, dict[str, Any], Json]] = {}
    for read in reads:
        for named in read.datasets:
            _, columns, _ = found.setdefault(named.dataset, (named, {}, {}))
            columns.update(dict(read.columns))
            if read.properties or read.format:
                body = {"format": read.format, "options": _pairs(read.properties)}
                found[named.dataset][2]["colgraph_properties"] = facet(
                    "colgraph_properties", **body
                )
    return [
        dataset(named, {"schema": schema_facet(columns.items()), **facets})
        for named, columns, facets in found.values()
    ]


def _pairs(options: Mapping[str, str]) -> list[Json]:
    """Options as a list: Airflow redacts dictionaries by their keys."""
    return [{"name": name, "value": value} for name, value in sorted(options.items())]


# Column lineage -------------------------------------------------------------------------------


Says = Callable[[int, int], str]


def says_nothing(transformation: int, bit: int) -> str:
    """No description: the option is off."""
    return ""


def input_fields(
    inputs: Inputs, fields: list[Field], nested: bool = False, text: Says = says_nothing
) -> list[Json]:
    """Input fields with their transformations and the text of each, by dataset and field."""
    found: dict[tuple[str, str, str], set[tuple[int, str]]] = {}
    for transformation, members in inputs.items():
        for bit in bits(members):
            (space, name), path = fields[bit]
            shown, step = rolled_up(path, transformation, nested)
            found.setdefault((space, name, shown), set()).add((step, text(step, bit)))
    return [
        {
            "namespace": space,
            "name": name,
            "field": path,
            "transformations": [as_json(*step) for step in sorted(steps)],
        }
        for (space, name, path), steps in sorted(found.items())
    ]


def rolled_up(path: tuple[str, ...], transformation: int, nested: bool) -> tuple[str, int]:
    """A struct's member as its top-level column: taking a part of a column is no IDENTITY."""
    if nested or len(path) == 1:
        return ".".join(path), transformation
    if transformation % MASKING == IDENTITY:
        transformation += TRANSFORMATION - IDENTITY
    return path[0], transformation


def as_json(transformation: int, description: str = "") -> Json:
    """One entry of `transformations[]`."""
    kind, subtype, masking = TRANSFORMATIONS[transformation]
    return {"type": kind, "subtype": subtype, "description": description, "masking": masking}


def flattened(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """An output column and its members."""
    yield name, value
    for part, inner in (value.members or {}).items():
        yield from flattened(f"{name}.{part}", inner)


def output_of(
    query: Query, write: Write, frame: Frame, resolution: Resolution, settings: Settings
) -> Json:
    """The dataset that a query wrote, with its schema and column lineage."""
    named_columns = write.columns or ()
    values = list(frame.in_order())
    if len(values) != len(named_columns):
        resolution.unresolved["output columns"] += 1
        values = []
    elif write.constants:
        named_columns = (*named_columns, *write.constants)
        values += [NOTHING] * len(write.constants)
    nested = bool(settings["nestedFields"])
    columns = [(name, found.inputs) for (name, _), found in zip(named_columns, values)]
    if nested:
        columns = [
            (path, value.inputs)
            for (name, data_type), found in zip(named_columns, values)
            for path, value in flattened(name, typed(found, data_type))
        ]
    rows = frame.rows
    if settings["legacyIndirect"]:
        columns = [(name, _with_rows(inputs, rows)) for name, inputs in columns]
        rows = {}
    columns, left_out = within(columns, settings["maxEdges"])
    if left_out:
        resolution.truncated = f"{left_out} columns are left out: maxEdges"
    facets = {"schema": schema_facet(named_columns)} if named_columns else {}
    if columns:
        texts = texts_of(query, frame, resolution)
        facets["columnLineage"] = facet(
            "columnLineage",
            fields={
                name: {
                    "inputFields": input_fields(
                        inputs, resolution.fields, nested, says(resolution, texts.get(name, ""))
                    )
                }
                for name, inputs in columns
            },
            dataset=input_fields(rows, resolution.fields, nested, says(resolution, "")),
        )
    if write.lifecycle:
        facets["lifecycleStateChange"] = lifecycle_facet(write)
    if write.format:
        facets["storage"] = facet("storage", storageLayer=write.format, fileFormat=write.format)
    return dataset(write.named, facets)


def texts_of(query: Query, frame: Frame, resolution: Resolution) -> dict[str, str]:
    """The expression of each output column, where they are asked for."""
    if resolution.descriptions is None or query.write is None:
        return {}
    names = [name for name, _ in query.write.columns or ()]
    return dict(zip(names, map(resolution.descriptions.of_column, frame.output)))


def says(resolution: Resolution, column: str) -> Says:
    """What is said of the edges of a column whose expression is `column`."""
    if resolution.descriptions is None:
        return says_nothing
    found = resolution.descriptions
    return lambda transformation, bit: found.of_edge(transformation, bit, column)


def within(columns: list[tuple[str, Inputs]], most: int) -> tuple[list[tuple[str, Inputs]], int]:
    """The first columns that have at most so many edges together, and how many are left out."""
    total = 0
    for index, (_, inputs) in enumerate(columns):
        total += sum(bin(fields).count("1") for fields in inputs.values())
        if total > most:
            return columns[:index], len(columns) - index
    return columns, 0


def lifecycle_facet(write: Write) -> Json:
    """That the dataset was created, overwritten, dropped, ..; a renamed one says its old name."""
    body: Json = {"lifecycleStateChange": write.lifecycle}
    if write.previous is not None:
        body["previousIdentifier"] = {
            "namespace": write.previous.namespace,
            "name": write.previous.name,
        }
    return facet("lifecycleStateChange", **body)


def told_again(found: Json, write: Write) -> Json:
    """The event of a write with what the command around it knows better: names and lifecycle."""
    (output,) = found["outputs"]
    facets = dict(output["facets"])
    if write.lifecycle:
        facets["lifecycleStateChange"] = lifecycle_facet(write)
    elif "lifecycleStateChange" in facets:  # an append that found no table: it made one
        facets["lifecycleStateChange"] = lifecycle_facet(write._replace(lifecycle="CREATE"))
    if write.format:
        facets["storage"] = facet("storage", storageLayer=write.format, fileFormat=write.format)
    links = {"symlinks": facets["symlinks"]} if "symlinks" in facets else {}
    named = dataset(write.named, facets)
    named["facets"] = {**links, **named["facets"]}
    return {**found, "outputs": [named]}


def _with_rows(inputs: Inputs, rows: Inputs) -> Inputs:
    merged = dict(inputs)
    for transformation, fields in rows.items():
        merged[transformation] = merged.get(transformation, 0) | fields
    return merged


def lineage_facet(outputs: Iterable[Json]) -> Json:
    """The `lineage` job facet 1-0-0: the same edges, said per output dataset."""
    entries = []
    for output in outputs:
        lineage = output["facets"].get("columnLineage")
        if lineage is None:
            continue
        entries.append(
            {
                "type": "DATASET",
                "namespace": output["namespace"],
                "name": output["name"],
                "inputs": [{"type": "DATASET", **item} for item in lineage["dataset"]],
                "fields": {
                    name: {"inputs": _lineage_inputs(found["inputFields"])}
                    for name, found in lineage["fields"].items()
                },
            }
        )
    return facet("lineage", entries=entries)


def _lineage_inputs(found: list[Json]) -> list[Json]:
    """A column's inputs; one without any is made by the job itself."""
    return [{"type": "DATASET", **item} for item in found] or [{"type": "JOB"}]


def diagnostics(resolution: Resolution, seconds: float) -> Json:
    """What could not be said exactly, and what the saying cost."""
    return facet(
        "colgraph_diagnostics",
        unresolved=_counted(resolution.unresolved + resolution.failures),
        opaque=_counted(resolution.opaque),
        truncated=resolution.truncated,
        seconds=round(seconds, 3),
    )


def diagnostics_of(unresolved: Mapping[str, int], truncated: str = "") -> Json:
    """What is missing in the lineage of a whole application."""
    found = _counted(unresolved)
    return facet(
        "colgraph_diagnostics", unresolved=found, opaque=[], truncated=truncated, seconds=0.0
    )


def _counted(found: Mapping[str, int]) -> list[Json]:
    return [{"class": name, "count": count} for name, count in sorted(found.items())]
