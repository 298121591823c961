"""OpenLineage's facets as values: each function accepts any JSON as a facet. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from airflow_colgraph.store.errors import EventError
from airflow_colgraph.store.model import field_path, name_case
from airflow_colgraph.store.model.lineage_body import Field, Input, Transformation

# The per-field `transformationType` of columnLineage 1-0-0.
DEPRECATED = {
    "IDENTITY": Transformation("DIRECT", "IDENTITY"),
    "MASKED": Transformation("DIRECT", "TRANSFORMATION", True),
}
_META = {"_producer", "_schemaURL", "_deleted"}
# Flink's catalog in memory: a name in it means another table in each session.
_OF_A_SESSION = "default_catalog."


@dataclass
class Lineage:
    """The lineage of an output in a facet. `fields` None: no column lineage."""

    fields: dict[str, set[Input]] | None
    dataset: set[Input] = field(default_factory=set)
    datasets: set[Field] = field(default_factory=set)


def as_dict(value: Any) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def text_or_none(value: Any) -> str | None:
    """The value if it is a text, without the NUL that PostgreSQL refuses."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else None


def text(value: Any) -> str:
    """The value as text; None is the empty text."""
    if type(value) is str and "\0" not in value:  # nearly all of an event
        return value
    return text_or_none(value if isinstance(value, str | None) else str(value)) or ""


def int_or_none(value: Any) -> int | None:
    """The value if it is a small whole number."""
    return value if type(value) is int and abs(value) < 2**15 else None


def expect(value: Any, what: str) -> dict[str, Any]:
    """The value, which must be a JSON object."""
    if not isinstance(value, dict):
        raise EventError(f"{what} is {type(value).__name__}. Expected a JSON object.")
    return value


def expect_list(value: Any, what: str) -> list[Any]:
    """The value, which must be a JSON array; none is an empty one."""
    if not isinstance(value, list | None):
        raise EventError(f"{what} is {type(value).__name__}. Expected a JSON array.")
    return value or []


def expect_text(value: Any, what: str) -> str:
    """The value, which must be a text; none is the empty one."""
    if not isinstance(value, str | None):
        raise EventError(f"{what} is {type(value).__name__}. Expected a text.")
    return value or ""


def of(owner: dict[str, Any], place: str, which: str = "facets") -> dict[str, Any]:
    """The facets of a run, job or dataset, which stands at a place of the event."""
    facets = owner.get(which)
    return {} if facets is None else expect(facets, f"'{place}.{which}'")


def identity(owner: dict[str, Any], what: str) -> tuple[str, str]:
    """The namespace and name of a job or dataset."""
    namespace, name = text_or_none(owner.get("namespace")), text_or_none(owner.get("name"))
    if namespace is None or not name:
        raise EventError(f"{what} has no 'namespace' and 'name'.")
    return namespace, name


def content(facet: Any) -> dict[str, Any]:
    """A facet without the keys that every facet has."""
    return {name: value for name, value in as_dict(facet).items() if name not in _META}


def is_deleted(facet: Any) -> bool:
    """Whether a facet says that what the facet of this name said before no longer holds."""
    return as_dict(facet).get("_deleted") is True


def schema(facet: Any, namespace: str) -> list[list[str]] | None:
    """Columns and types in order; nested ones follow their parent under a dotted name."""
    columns = as_dict(facet).get("fields")
    if not isinstance(columns, list):
        return None
    return [
        [path(namespace, column.path), column.type] for column in field_path.columns_of(columns)
    ]


def digests(facet: Any, namespace: str) -> dict[str, list[list[str]]] | None:
    """The digests of columns and of steps, by name, in order; None if they are not stated.

    Empty lists state that columns are copied and all rows are taken.
    """
    stated = as_dict(facet)
    if is_deleted(facet) or not {"columns", "steps"} <= stated.keys():
        return None
    parts = {name: as_list(stated[name]) for name in ("columns", "steps")}
    pairs = {
        part: {(text(as_dict(e).get("name")), text(as_dict(e).get("digest"))) for e in entries}
        for part, entries in parts.items()
    }
    columns = sorted([path(namespace, name), own] for name, own in pairs["columns"])
    return {"columns": columns, "steps": sorted(map(list, pairs["steps"]))}


def path(namespace: str, name: Any) -> str:
    """The one path that a store has for a field, however the event spells it."""
    return field_path.short(name_case.column(namespace, text(name)))


def about(facets: dict[str, Any], namespace: str) -> dict[str, Any]:
    """What a dataset's facets tell people: its description and owners, its fields' descriptions."""
    described = text(as_dict(facets.get("documentation")).get("description"))
    owners = [as_dict(entry) for entry in as_list(as_dict(facets.get("ownership")).get("owners"))]
    described_by = {
        "description": described,
        "owners": sorted({(text(o.get("name")), text(o.get("type"))) for o in owners}),
        "fields": {
            path(namespace, entry.path): entry.description
            for entry in field_path.columns_of(as_dict(facets.get("schema")).get("fields"))
            if entry.description
        },
    }
    described_by["owners"] = [list(entry) for entry in described_by["owners"] if entry[0]]
    deleted = {
        part: None
        for part, name in (("description", "documentation"), ("owners", "ownership"))
        if is_deleted(facets.get(name))
    }
    return {name: value for name, value in described_by.items() if value} | deleted


def symlinks(facet: Any) -> list[Field]:
    """The other names of a dataset; without those that name it in one session only."""
    names = []
    for identifier in as_list(as_dict(facet).get("identifiers")):
        identifier = as_dict(identifier)
        name = text(identifier.get("name"))
        if name and not name.startswith(_OF_A_SESSION):
            names.append(Field(text(identifier.get("namespace")), name, ""))
    return names


def tags(facet: Any, namespace: str) -> list[list[str]]:
    """The tags of a dataset and its fields: field, key, value and source, in their order."""
    stated = []
    for entry in as_list(as_dict(facet).get("tags")):
        entry = as_dict(entry)
        value = entry.get("value")
        if text(entry.get("key")):
            shown = str(value).lower() if isinstance(value, bool) else text(value)
            name = path(namespace, entry.get("field"))
            source = text(entry.get("source"))
            stated.append([name, text(entry.get("key")), shown or "true", source])
    return sorted(stated)


def column_lineage(output: Field, facet: Any) -> Lineage | None:
    """The lineage in a `columnLineage` facet of any version; None without one."""
    fields = as_dict(facet).get("fields")
    if not isinstance(fields, dict):
        return None
    lineage = Lineage({})
    assert lineage.fields is not None
    for column, entry in _columns(output, fields):
        inputs = _inputs(entry.get("inputFields"), _deprecated(entry))
        lineage.fields.setdefault(column, set()).update(inputs)
    lineage.dataset = set(_inputs(as_dict(facet).get("dataset"), Transformation("INDIRECT")))
    return _closed(lineage)


def _columns(output: Field, entries: dict[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    """The entry of each column that has a name: the empty path is the dataset as a whole."""
    for name, entry in entries.items():
        if name:
            yield path(output.namespace, name), as_dict(entry)


def _deprecated(entry: dict[str, Any]) -> Transformation:
    step = DEPRECATED.get(text(entry.get("transformationType")), Transformation("DIRECT"))
    return step._replace(description=text(entry.get("transformationDescription")))


def _inputs(entries: Any, otherwise: Transformation) -> Iterable[Input]:
    for entry in as_list(entries):
        entry = as_dict(entry)
        name = text(entry.get("name"))
        if not name:
            continue
        namespace = text(entry.get("namespace"))
        of_field = Field(namespace, name, path(namespace, entry.get("field")))
        stated = [transformation(t) for t in as_list(entry.get("transformations"))]
        for step in stated or [otherwise]:
            yield Input(of_field, step)


def transformation(stated: Any) -> Transformation:
    """A transformation of a field."""
    stated = as_dict(stated)
    return Transformation(
        text(stated.get("type")).upper() or "DIRECT",
        text(stated.get("subtype")).upper(),
        stated.get("masking") is True,
        text(stated.get("description")),
    )


def is_complete(facet: Any) -> bool:
    """Whether a job's `lineage` facet states all its lineage, if it has no entry, too."""
    return is_deleted(facet) or isinstance(as_dict(facet).get("entries"), list)


def job_lineage(facet: Any) -> dict[Field, Lineage]:
    """The lineage of each output dataset in a job's `lineage` facet."""
    lineage_of: dict[Field, Lineage] = {}
    for entry in as_list(as_dict(facet).get("entries")):
        entry = as_dict(entry)
        if text(entry.get("type")).upper() == "DATASET" and text(entry.get("name")):
            output = Field(text(entry.get("namespace")), text(entry.get("name")), "")
            _entry(output, lineage_of.setdefault(output, Lineage(None)), entry)
    return lineage_of


def dataset_lineage(output: Field, facet: Any) -> Lineage | None:
    """The lineage in a dataset's own `lineage` facet, which is all that there is; None without."""
    if is_deleted(facet):
        return Lineage({})
    if not isinstance(facet, dict) or not {"inputs", "fields"} & facet.keys():
        return None
    return _entry(output, Lineage({}), facet)


def _entry(output: Field, lineage: Lineage, entry: dict[str, Any]) -> Lineage:
    for source in _lineage_inputs(entry.get("inputs"), "INDIRECT"):
        if source.field.field:
            lineage.dataset.add(source)
        else:
            lineage.datasets.add(source.field)
    if isinstance(entry.get("fields"), dict):
        lineage.fields = lineage.fields or {}
        for column, stated in _columns(output, entry["fields"]):
            inputs = _lineage_inputs(stated.get("inputs"), "DIRECT")
            lineage.fields.setdefault(column, set()).update(inputs)
    elif lineage.dataset:
        lineage.fields = lineage.fields or {}
    return _closed(lineage)


def _lineage_inputs(entries: Any, otherwise: str) -> Iterable[Input]:
    """The inputs that are datasets. A job as an input (constants, other sources) has no field."""
    datasets = [
        e for e in as_list(entries) if text(as_dict(e).get("type")).upper() in {"", "DATASET"}
    ]
    return _inputs(datasets, Transformation(otherwise))


def with_inputs(lineage: Lineage | None, inputs: Iterable[Field]) -> Lineage:
    """The lineage with the event's inputs as inputs of the dataset as a whole, and only so."""
    lineage = lineage or Lineage(None)
    lineage.datasets.update(inputs)
    return lineage


def _closed(lineage: Lineage) -> Lineage:
    """The lineage with the datasets of all its inputs among `datasets`."""
    columns = [*(lineage.fields or {}).values(), lineage.dataset]
    names = {source.field[:2] for inputs in columns for source in inputs}
    lineage.datasets.update(Field(*name, "") for name in names)
    return lineage
