"""A script's lineage as the datasets of an OpenLineage event. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from airflow_colgraph.openlineage.digests import entries
from airflow_colgraph.openlineage.facets import facet
from airflow_colgraph.openlineage.redaction import in_text, shown_names
from airflow_colgraph.sql.database import Place, TableName
from airflow_colgraph.sql.digests import Digests
from airflow_colgraph.sql.relation import Findings, Relation
from airflow_colgraph.sql.script import ScriptLineage
from airflow_colgraph.sql.transformations import NONE, Inputs, Step, union
from airflow_colgraph.sql.writes import Write

Json = dict[str, Any]
Types = Mapping[TableName, Mapping[str, str]]

NOTHING: Mapping[str, int] = MappingProxyType({})
NOWHERE: Mapping[str, list[str]] = MappingProxyType({})
MOST = 10  # places that a kind is shown with


class Named(Protocol):
    """Whatever knows the datasets of a statement's tables."""

    def table(self, name: TableName) -> tuple[str, str]:
        """A table's namespace and name."""


class Naming(NamedTuple):
    """How the tables of a connection are called in OpenLineage."""

    namespace: str
    place: Place

    def table(self, name: TableName) -> tuple[str, str]:
        """A table's namespace and name."""
        return file_named(name) or (self.namespace, ".".join(name))

    def symlinks(self, name: TableName) -> list[tuple[str, str]]:
        """Its other names: Spark's JDBC source names a table of the default schema without it."""
        place = self.place
        if place.levels < 3 or len(name) < 2 or not name[0] or name[-2] != place.schema:
            return []
        return [(self.namespace, ".".join((*name[:-2], name[-1])))]


def step_json(step: Step) -> Json:
    """One entry of `transformations[]`."""
    return {
        "type": step.type,
        "subtype": step.subtype,
        "description": "",
        "masking": step.masking,
    }


def input_fields(inputs: Inputs, naming: Named) -> list[Json]:
    """Input fields with all their transformations, in order."""
    steps_of: dict[tuple[str, str, str], list[Json]] = {}
    for source, step in sorted(inputs):
        key = (*naming.table(source.table), source.column)
        steps_of.setdefault(key, []).append(step_json(step))
    return [
        {"namespace": space, "name": name, "field": field, "transformations": steps}
        for (space, name, field), steps in sorted(steps_of.items())
    ]


def column_lineage(relation: Relation, naming: Named) -> Json | None:
    """The columnLineage facet of what is written; None where no column is known."""
    merged: dict[str, Inputs] = {}
    for name, inputs in relation.columns:
        if name:
            merged[name] = union(merged.get(name, NONE), inputs)
    if not merged and not relation.rows:
        return None
    fields = {name: {"inputFields": input_fields(of, naming)} for name, of in merged.items()}
    return facet("columnLineage", fields=fields, dataset=input_fields(relation.rows, naming))


def dataset(name: TableName, columns: Mapping[str, str | None], naming: Naming) -> Json:
    """A table as a dataset, with its schema if that is known."""
    space, text = naming.table(name)
    facets: Json = {}
    if columns:
        shown = zip(shown_names(columns), columns.values(), strict=True)
        fields = [{"name": column, **({"type": kind} if kind else {})} for column, kind in shown]
        facets["schema"] = facet("schema", fields=fields)
    links = [{"namespace": s, "name": n, "type": "TABLE"} for s, n in naming.symlinks(name)]
    if links:
        facets["symlinks"] = facet("symlinks", identifiers=links)
    return {"namespace": space, "name": text, "facets": facets}


def datasets(
    lineage: ScriptLineage, naming: Naming, types: Types
) -> tuple[list[Json], list[Json], Json | None]:
    """A script's inputs, its outputs, one for each write, and its diagnostics facet."""

    def columns(name: TableName) -> dict[str, str | None]:
        before = {} if name in lineage.made else types.get(name, {})
        stated = {**before, **lineage.types.get(name, {})}
        return {column: stated.get(column) for column in lineage.columns.get(name, before)}

    inputs = [dataset(name, columns(name), naming) for name in lineage.reads]
    inputs += [file_dataset(uri) for uri in dict.fromkeys(lineage.files)]
    outputs = [_output(write, naming, columns(write.table)) for write in lineage.writes]
    if not (lineage.unresolved or lineage.opaque):
        return inputs, outputs, None
    return inputs, outputs, diagnosed(lineage.unresolved, lineage.opaque, where=lineage.where)


def diagnosed(
    unresolved: Mapping[str, int] = NOTHING,
    opaque: Mapping[str, int] = NOTHING,
    truncated: str = "",
    where: Mapping[str, list[str]] = NOWHERE,
) -> Json:
    """The diagnostics facet: what is not known, by its kind, and where it stands."""
    return facet(
        "colgraph_diagnostics",
        unresolved=_counted(unresolved, where),
        opaque=_counted(opaque, where),
        truncated=truncated,
        seconds=0.0,
    )


def _counted(counts: Mapping[str, int], where: Mapping[str, list[str]]) -> list[Json]:
    return [
        {
            "class": name,
            "count": count,
            **({"where": _without_secrets(where[name][:MOST])} if where.get(name) else {}),
        }
        for name, count in sorted(counts.items())
    ]


def _without_secrets(texts: Iterable[str]) -> list[str]:
    return [in_text(text, quoted_only=True) for text in texts]


def with_findings(run: Json, findings: Findings) -> Json:
    """The run of an event with what reading its SQL could not tell, besides what it says itself."""
    if not (findings.unresolved or findings.opaque):
        return run
    ours = diagnosed(findings.unresolved, findings.opaque, where=findings.where)
    facets = run.get("facets") or {}
    theirs = facets.get("colgraph_diagnostics")
    if theirs:
        added = {key: [*(theirs.get(key) or ()), *ours[key]] for key in ("unresolved", "opaque")}
        ours = {**theirs, **added}
    return {**run, "facets": {**facets, "colgraph_diagnostics": ours}}


def _output(write: Write, naming: Naming, columns: Mapping[str, str | None]) -> Json:
    relation = write.relation or Relation()
    listed = () if relation.is_open else relation.columns  # else these may not be all
    schema = columns or dict.fromkeys(name for name, _ in listed if name)
    output = dataset(write.table, schema, naming)
    lineage = column_lineage(relation, naming) if write.relation else None
    if lineage is not None:
        output["facets"]["columnLineage"] = lineage
        if write.digests is not None:
            output["facets"]["colgraph_digests"] = digests_facet(relation, write.digests)
    if write.lifecycle:
        body: Json = {"lifecycleStateChange": write.lifecycle}
        if write.previous:
            space, name = naming.table(write.previous)
            body["previousIdentifier"] = {"namespace": space, "name": name}
        output["facets"]["lifecycleStateChange"] = facet("lifecycleStateChange", **body)
    return output


def digests_facet(relation: Relation, digests: Digests) -> Json:
    """The colgraph_digests facet: the columns have the names that they are written under."""
    names = [name for name, _ in relation.columns]
    is_fitted = digests.is_ordered and len(names) >= len(digests.columns)
    pairs = [
        (names[place] if is_fitted else name, own)
        for place, (name, own) in enumerate(digests.columns)
    ]
    return facet("colgraph_digests", columns=entries(pairs), steps=entries(digests.steps))


OBJECT_STORES = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "azure": "abfss"}


def file_named(name: TableName) -> tuple[str, str] | None:
    """The namespace and name of files that a statement names (see `relation.file_name`)."""
    if not name or name[0]:
        return None
    files = file_dataset(name[1])
    return files["namespace"], files["name"]


def file_dataset(location: str) -> Json:
    """Files by OpenLineage's names: `s3://bucket` and the key, `file` and the path."""
    location = location.split("?")[0]
    match = re.match(r"(\w+)://([^/]*)/?(.*)$", location)
    if match is None:
        return {"namespace": "file", "name": location.rstrip("/") or "/", "facets": {}}
    scheme, authority, path = match.groups()
    authority = authority.rpartition("@")[2] if scheme not in ("abfss", "abfs") else authority
    scheme = OBJECT_STORES.get(scheme.lower(), scheme.lower())
    return {"namespace": f"{scheme}://{authority}", "name": path.strip("/") or "/", "facets": {}}
