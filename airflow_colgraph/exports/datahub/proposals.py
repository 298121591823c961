"""Lineage for today's DataHub: metadata change proposals (MCPs) as plain JSON.

A list of them is a file that DataHub's own file source reads; `datahub_gms` posts them one by one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from airflow_colgraph.exports.datahub.lineage_urns import Urns
from airflow_colgraph.exports.datahub.platform import Mapping
from airflow_colgraph.exports.datahub.urn import encode
from airflow_colgraph.exports.lineage_model import Lineage, grouped
from airflow_colgraph.exports.path_forms import v1_path
from airflow_colgraph.exports.schema.model import Array, Field, Leaf, Map, Struct, Union, native
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput

Json = dict[str, Any]

ASPECTS = ("schemaMetadata", "upstreamLineage", "dataJobInputOutput")
# Only if asked for: people set tags of datasets in DataHub, and UPSERT replaces them.
TAGS = "globalTags"
ACTOR = "urn:li:corpuser:airflow_colgraph"

# The class of DataHub's SchemaFieldDataType for the simple types of Spark, Hive and SQL.
CLASSES = {
    **dict.fromkeys(("byte", "short", "integer", "int", "long", "float", "double"), "NumberType"),
    **dict.fromkeys(("tinyint", "smallint", "bigint", "decimal", "numeric"), "NumberType"),
    **dict.fromkeys(("int64", "float64", "real", "double precision", "number"), "NumberType"),
    **dict.fromkeys(("string", "varchar", "char", "text", "uuid"), "StringType"),
    **dict.fromkeys(("boolean", "bool"), "BooleanType"),
    **dict.fromkeys(("binary", "bytes", "bytea"), "BytesType"),
    **dict.fromkeys(("timestamp", "timestamp_ntz", "timestamp_ltz", "datetime"), "TimeType"),
    "date": "DateType",
    "enum": "EnumType",
    "fixed": "FixedType",
}


def proposals(
    lineage: Lineage,
    mapping: Mapping,
    *,
    paths: str = "v1",
    indirect: bool = False,
    aspects: Iterable[str] = ASPECTS,
    warn: Callable[[str], None] = lambda text: None,
) -> Iterator[Json]:
    """Make metadata change proposals for a lineage.

    Each has a whole aspect, as UPSERT replaces it: `schemaMetadata` (with the fields' tags),
    `upstreamLineage` and `globalTags` of datasets, `dataJobInputOutput` of jobs
    (datahub-project, metadata-models: `FineGrainedLineage.pdl`, `GlobalTags.pdl`). `aspects`
    says which of ASPECTS, and TAGS.
    """
    urns = Urns(lineage, mapping, paths, warn)
    wanted = set(aspects)
    if "schemaMetadata" in wanted:
        for dataset in sorted(lineage.schemas.keys() - lineage.unchanged):
            if not urns.keys.fields(dataset):
                continue
            yield proposal(urns.dataset(dataset), "schemaMetadata", _schema(dataset, urns))
    if "upstreamLineage" in wanted:
        for dataset, outputs in lineage.by_dataset():
            aspect = _upstream_lineage(outputs, urns, indirect)
            yield proposal(urns.dataset(dataset), "upstreamLineage", aspect)
    if TAGS in wanted:
        for dataset, fields in sorted(lineage.tags.items()):
            if "" in fields:
                yield proposal(urns.dataset(dataset), TAGS, _tags(fields[""]))
    if "dataJobInputOutput" in wanted:
        for job, outputs in _by_job(lineage, urns).items():
            aspect = _input_output(outputs, urns, indirect)
            yield proposal(job, "dataJobInputOutput", aspect)


def proposal(urn: str, name: str, aspect: Json) -> Json:
    """One MCP as DataHub's file source reads it."""
    return {
        "entityType": urn.split(":", 3)[2],
        "entityUrn": urn,
        "changeType": "UPSERT",
        "aspectName": name,
        "aspect": {"json": aspect},
    }


def _by_job(lineage: Lineage, urns: Urns) -> dict[str, list[JobOutput]]:
    outputs: dict[str, list[JobOutput]] = {}
    for output in lineage.outputs:
        if output.job:
            outputs.setdefault(urns.job(output.job), []).append(output)
    return dict(sorted(outputs.items()))


def _upstream_lineage(outputs: list[JobOutput], urns: Urns, indirect: bool) -> Json:
    at: dict[str, int] = {}
    for output in outputs:
        for dataset in output.inputs:
            urn = urns.dataset(dataset)
            at[urn] = max(at.get(urn, 0), output.at)
    upstreams = [
        {
            "auditStamp": {"time": at[urn], "actor": ACTOR},
            "dataset": urn,
            "type": "TRANSFORMED",
        }
        for urn in sorted(at)
    ]
    return {"upstreams": upstreams, "fineGrainedLineages": _fine(outputs, urns, indirect)}


def _input_output(outputs: list[JobOutput], urns: Urns, indirect: bool) -> Json:
    return {
        "inputDatasets": sorted({urns.dataset(i) for output in outputs for i in output.inputs}),
        "outputDatasets": sorted({urns.dataset(output.dataset) for output in outputs}),
        "inputDatajobs": [],
        "fineGrainedLineages": _fine(outputs, urns, indirect),
    }


def _fine(outputs: list[JobOutput], urns: Urns, indirect: bool) -> list[Json]:
    """One entry for each output field and what is done, so that no input gets another's text."""
    entries: dict[str, Json] = {}
    for output in outputs:
        for name, inputs in (output.fields or {}).items():
            for operation, same in grouped(i for i in inputs if i.direct or indirect):
                entry = _entry("FIELD", [urns.field(output.dataset, name)], operation, same, urns)
                entries.setdefault(json.dumps(entry, sort_keys=True), entry)
        columns = [urns.field(output.dataset, name) for name in output.fields or {}]
        if indirect and columns:
            for operation, same in grouped(output.rows):
                entry = _entry("FIELD_SET", columns, operation, same, urns)
                entries.setdefault(json.dumps(entry, sort_keys=True), entry)
    return list(entries.values())


def _entry(kind: str, outputs: list[str], operation: str, inputs: list[Input], urns: Urns) -> Json:
    return {
        "upstreamType": "FIELD_SET",
        "upstreams": sorted({urns.field(i.dataset, i.field) for i in inputs if i.field}),
        "downstreamType": kind,
        "downstreams": outputs,
        "transformOperation": operation,
        "confidenceScore": 1.0,
    }


def _schema(dataset: Dataset, urns: Urns) -> Json:
    urn = urns.named(dataset)
    paths = urns.paths(dataset)
    tags = urns.keys.lineage.tags.get(dataset, {})
    columns: dict[str, Json] = {}
    for field in urns.keys.fields(dataset):
        if field.key:  # DataHub refuses a path twice: names with dots can look like nested ones
            path = paths[field.key]
            texts = tags.get(v1_path(field.key), ())
            columns.setdefault(path, _column(path, field, texts))
    raw = json.dumps(urns.keys.lineage.schemas[dataset], separators=(",", ":"))
    return {
        "schemaName": urn.name,
        "platform": f"urn:li:dataPlatform:{urn.platform}",
        "version": 0,
        "hash": "",
        "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": raw}},
        "fields": list(columns.values()),
    }


def _column(path: str, field: Field, tags: tuple[str, ...]) -> Json:
    column: Json = {
        "fieldPath": path,
        "nullable": field.nullable,
        "type": {"type": _type_class(field)},
        "nativeDataType": native(field.type),
        "recursive": False,
        "isPartOfKey": False,
    }
    if field.description:
        column["description"] = field.description
    if tags:
        column[TAGS] = _tags(tags)
    return column


def _tags(texts: Iterable[str]) -> Json:
    return {"tags": [{"tag": f"urn:li:tag:{encode(text)}"} for text in texts]}


def _type_class(field: Field) -> Json:
    type_ = field.type
    if isinstance(type_, Array):
        return {"com.linkedin.schema.ArrayType": {"nestedType": [native(type_.element)]}}
    if isinstance(type_, Map):
        ends = {"keyType": native(type_.key), "valueType": native(type_.value)}
        return {"com.linkedin.schema.MapType": ends}
    if isinstance(type_, Leaf):
        name = CLASSES.get(type_.name.partition("(")[0].strip(), "NullType")
    else:
        name = {Struct: "RecordType", Union: "UnionType"}.get(type(type_), "RecordType")
    return {f"com.linkedin.schema.{name}": {}}
