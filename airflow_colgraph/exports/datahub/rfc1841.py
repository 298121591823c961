"""The aspects, entities and relations of DataHub's RFC 1841, out of a lineage and into events.

Each is a JSON object with one key that says what it is:

    {"DatasetField": {"urn": ..., "dataset": ..., "fieldPath": "/header/customerId"}}
    {"HasField": {"source": <dataset>, "destination": <field>}}
    {"DatasetUpstreamLineage": {"fieldMappings": [...]}}
    {"DataDerivedFrom": {"source": <source field>, "destination": <destination field>}}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from airflow_colgraph.exports.datahub.documents import AspectError, documents_in
from airflow_colgraph.exports.datahub.lineage_urns import Urns
from airflow_colgraph.exports.datahub.platform import Mapping, from_datahub
from airflow_colgraph.exports.datahub.urn import FieldUrn, UrnError, parse_field
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.path_forms import Key, PathError, parse_rfc, v1_path
from airflow_colgraph.exports.schema.openlineage import columns_of
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput

Json = dict[str, Any]

IDENTITY = "com.linkedin.finegrainedmetadata.transformation.Identity"
BLACK_BOX = "com.linkedin.finegrainedmetadata.transformation.BlackBox"
KINDS = ("DatasetField", "HasField", "DatasetUpstreamLineage", "DataDerivedFrom")


def documents(
    lineage: Lineage,
    mapping: Mapping,
    *,
    indirect: bool = False,
    warn: Callable[[str], None] = lambda text: None,
) -> Iterator[Json]:
    """Make the aspects, entities and relations of RFC 1841 for a lineage.

    Each is a JSON object with one key of KINDS; fields come first, then what they are derived
    from.
    """
    urns = Urns(lineage, mapping, warn=warn)
    for dataset, names in sorted(_fields(lineage, urns, indirect).items()):
        owner = urns.dataset(dataset)
        for urn in sorted({urn for n in names if (urn := urns.dataset_field(dataset, n))}):
            path = parse_field(urn).path
            yield {"DatasetField": {"urn": urn, "dataset": owner, "fieldPath": path}}
            yield {"HasField": {"source": owner, "destination": urn}}
    for _, outputs in lineage.by_dataset():
        mappings = _mappings(outputs, urns, indirect)
        if mappings:
            yield {"DatasetUpstreamLineage": {"fieldMappings": mappings}}
            yield from ({"DataDerivedFrom": ends} for ends in _derived(mappings))


def _fields(lineage: Lineage, urns: Urns, indirect: bool) -> dict[Dataset, set[str]]:
    """The leaf fields of every schema, and every field that the lineage names."""
    names: dict[Dataset, set[str]] = {}
    for dataset in lineage.schemas.keys() - lineage.unchanged:
        leaves = {v1_path(f.key) for f in urns.keys.fields(dataset) if f.leaf and f.key}
        names.setdefault(dataset, set()).update(leaves)
    for output in lineage.outputs:
        for name, inputs in (output.fields or {}).items():
            names.setdefault(output.dataset, set()).add(name)
            for i in inputs:
                if i.field and (i.direct or indirect):
                    names.setdefault(i.dataset, set()).add(i.field)
    return names


def _mappings(outputs: list[JobOutput], urns: Urns, indirect: bool) -> list[Json]:
    """One mapping for each destination field and function, its sources together."""
    sources_of: dict[tuple[str, str], set[str]] = {}
    for output in outputs:
        for name, inputs in (output.fields or {}).items():
            destination = urns.dataset_field(output.dataset, name)
            for i in inputs:
                if destination and i.field and (i.direct or indirect):
                    function = IDENTITY if i.identity else BLACK_BOX
                    if source := urns.dataset_field(i.dataset, i.field):
                        sources_of.setdefault((destination, function), set()).add(source)
    return [
        {
            "created": None,
            "transformationFunction": {"string": function},
            "sourceFields": [{"string": source} for source in sorted(sources)],
            "destinationField": destination,
        }
        for (destination, function), sources in sorted(sources_of.items())
    ]


def _derived(mappings: list[Json]) -> list[Json]:
    pairs = {(s["string"], m["destinationField"]) for m in mappings for s in m["sourceFields"]}
    return [{"source": s, "destination": d} for s, d in sorted(pairs)]


def parse_documents(text: str | bytes) -> list[Json]:
    """The documents in a text: one JSON document, a JSON list of them, or one a line."""
    return [_document(document, where) for where, document in documents_in(text)]


def _document(document: Any, where: str) -> Json:
    if not isinstance(document, dict) or not set(document) & set(KINDS):
        raise AspectError(f"{where} is none of {', '.join(KINDS)}.")
    return document


def lineage_of(documents: list[Json], mapping: Mapping, at: int = 0) -> Lineage:
    """The lineage that the documents state; fields under the dotted names of OpenLineage's facets.

    A dataset with nested fields gets a schema of them, to distinguish their paths from names
    with dots; types are not known.
    """
    columns: dict[Dataset, dict[str, set[Input]]] = {}
    keys: dict[Dataset, set[Key]] = {}

    def named(urn: Any, where: str) -> tuple[Dataset, str]:
        dataset, key = _field(urn, where, mapping)
        keys.setdefault(dataset, set()).add(key)
        return dataset, v1_path(key)

    for document in documents:
        if "DatasetField" in document:
            field = document["DatasetField"]
            named(field.get("urn") if isinstance(field, dict) else None, "DatasetField.urn")
        if "DatasetUpstreamLineage" not in document:
            continue
        aspect = document["DatasetUpstreamLineage"]
        for n, mapped in enumerate(_listed(aspect, "fieldMappings", "DatasetUpstreamLineage"), 1):
            where = f"fieldMappings[{n}]"
            sources = _listed(mapped, "sourceFields", where)
            dataset, name = named(mapped.get("destinationField"), f"{where}.destinationField")
            function = _text(mapped.get("transformationFunction") or BLACK_BOX)
            subtype = "IDENTITY" if function == IDENTITY else "TRANSFORMATION"
            inputs = columns.setdefault(dataset, {}).setdefault(name, set())
            for source in sources:
                made_of = named(_text(source), f"{where}.sourceFields")
                inputs.add(Input(*made_of, "DIRECT", subtype))
    schemas = {d: columns_of(k) for d, k in keys.items() if any(len(key) > 1 for key in k)}
    outputs = tuple(_job_output(d, fields, at) for d, fields in sorted(columns.items()))
    return Lineage(outputs, schemas)


def _job_output(dataset: Dataset, fields: dict[str, set[Input]], at: int) -> JobOutput:
    columns = {name: tuple(sorted(inputs)) for name, inputs in sorted(fields.items())}
    inputs = sorted({i.dataset for column in columns.values() for i in column})
    return JobOutput(dataset, None, columns, inputs=tuple(inputs), at=at)


def _listed(document: Any, name: str, where: str) -> list[Any]:
    value = document.get(name) if isinstance(document, dict) else None
    if not isinstance(value, list):
        raise AspectError(f"{where} has no list '{name}'.")
    return value


def _text(value: Any) -> Any:
    """A value of the RFC's JSON, where a union member is wrapped: {"string": value}."""
    return value.get("string") if isinstance(value, dict) else value


def _field(text: Any, where: str, mapping: Mapping) -> tuple[Dataset, Key]:
    try:
        urn: FieldUrn = parse_field(text if isinstance(text, str) else "")
        if urn.kind != "datasetField":
            raise UrnError(f"'{text}' is a {urn.kind}, not a datasetField.")
        key = parse_rfc(urn.path)
    except (UrnError, PathError) as error:
        raise AspectError(f"{where}: {error}") from None
    return Dataset(*from_datahub(urn.dataset, mapping)), key
