"""Tags out of DataHub's metadata change proposals, as its file sink writes them.

Of a dataset's aspects `globalTags`, `editableSchemaMetadata` (what people set on fields) and
`schemaMetadata` (what sources say of fields) are read. A `schemaMetadata` that our own export wrote
is left out: its tags include those that travelled.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from airflow_colgraph.exports.datahub.documents import AspectError, documents_in
from airflow_colgraph.exports.datahub.platform import Mapping as Sites
from airflow_colgraph.exports.datahub.platform import from_datahub
from airflow_colgraph.exports.datahub.urn import UrnError, decode, parse_dataset
from airflow_colgraph.exports.lineage_model import Lineage, Tagged
from airflow_colgraph.exports.path_forms import downgrade
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.tags import Tag, parse_tag

SOURCE = "DATAHUB"
TAG = "urn:li:tag:"
FIELDS = {"editableSchemaMetadata": "editableSchemaFieldInfo", "schemaMetadata": "fields"}

Json = Mapping[str, Any]


def tags_of(text: str | bytes, mapping: Sites, at: int) -> Lineage:
    """The tags in JSON proposals: a list, or one a line. They hold from `at` on.

    A dataset with an aspect and without a tag is in the lineage, too.
    """
    tags_by_dataset: dict[Dataset, set[tuple[str, str, str, str]]] = {}
    for where, document in documents_in(text):
        urn, name, aspect = _proposal(document, where)
        if name != "globalTags" and (name not in FIELDS or _is_ours(aspect)):
            continue
        try:
            dataset = Dataset(*from_datahub(parse_dataset(urn), mapping))
        except UrnError as error:
            raise AspectError(f"{where}: {error}") from None
        tags = tags_by_dataset.setdefault(dataset, set())
        for field, tag in _tags(name, aspect, where):
            tags.add((field, *tag, SOURCE))
    tagged = (
        Tagged(dataset, at, tuple(sorted(tags)))
        for dataset, tags in sorted(tags_by_dataset.items())
    )
    return Lineage(tagged=tuple(tagged))


def _proposal(document: Any, where: str) -> tuple[str, str, Json]:
    """The entity, the aspect's name and the aspect; of what is no dataset an empty name."""
    if not isinstance(document, dict) or "aspectName" not in document:
        raise AspectError(f"{where} is no metadata change proposal: it has no 'aspectName'.")
    urn, aspect = document.get("entityUrn"), document.get("aspect")
    if document.get("entityType") != "dataset" or not isinstance(urn, str):
        return "", "", {}
    if document.get("changeType") == "DELETE" or not isinstance(aspect, dict):
        return urn, str(document["aspectName"]), {}
    body = aspect.get("json")
    if body is None:
        try:
            body = json.loads(aspect.get("value") or "{}")
        except (TypeError, ValueError):
            raise AspectError(f"{where}: the aspect's value is not JSON.") from None
    return urn, str(document["aspectName"]), body if isinstance(body, dict) else {}


def _tags(name: str, aspect: Json, where: str) -> Iterator[tuple[str, Tag]]:
    if name == "globalTags":
        yield from (("", tag) for tag in _listed(aspect, where))
        return
    for column in aspect.get(FIELDS[name]) or ():
        if isinstance(column, dict) and isinstance(column.get("fieldPath"), str):
            field = downgrade(column["fieldPath"])
            yield from ((field, tag) for tag in _listed(column.get("globalTags") or {}, where))


def _listed(aspect: Json, where: str) -> Iterator[Tag]:
    for entry in aspect.get("tags") or ():
        urn = entry.get("tag") if isinstance(entry, dict) else None
        if not isinstance(urn, str) or not urn.startswith(TAG):
            raise AspectError(f"{where}: {str(urn)[:80]!r} is not a tag. Expected {TAG}NAME.")
        try:
            yield parse_tag(decode(urn.removeprefix(TAG)))
        except QuestionError as error:
            raise AspectError(f"{where}: {error}") from None


def _is_ours(aspect: Json) -> bool:
    """Whether `proposals` wrote the schema: its raw schema is the list of OpenLineage's facet."""
    platform = aspect.get("platformSchema")
    other = platform.get("com.linkedin.schema.OtherSchema") if isinstance(platform, dict) else None
    raw = other.get("rawSchema") if isinstance(other, dict) else None
    return isinstance(raw, str) and raw.startswith('[{"name":')
