"""Tags as OpenMetadata has them: labels of tables, containers and topics, and of their columns.

A tag `pii=email` is the tag `email` of the classification `pii`, which OpenMetadata writes
`pii.email`; `pii` is `pii.true`. Labels that an export sets have the type `Propagated`, and only
such labels, of a classification that the store knows, are taken away again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from airflow_colgraph.exports.datahub.platform import Mapping
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.openmetadata import Names, quoted
from airflow_colgraph.store.model.tags import parse_tag

Json = dict[str, Any]

LABEL_TYPE = "Propagated"
LONGEST = 128  # characters of a tag's fully qualified name
COLUMNS = {  # where an entity of a kind has its columns
    "table": ("columns",),
    "container": ("dataModel", "columns"),
    "topic": ("messageSchema", "schemaFields"),
}
# The query's field for each of these kinds.
FIELDS = {"table": "tags,columns", "container": "tags,dataModel", "topic": "tags"}


class Patch(NamedTuple):
    """The operations of a JSON Patch (RFC 6902), and the columns that the entity does not have."""

    operations: list[Json]
    missing: list[str]


def documents(
    lineage: Lineage, mapping: Mapping, classifications: Collection[str]
) -> Iterator[Json]:
    """The tags of each dataset, also of those that have none, whose labels may have to go.

    `classifications` are the keys of all tags that are or were set in the store; without any,
    nothing is sent. Tags are named by their fully qualified names.
    """
    if not classifications:
        return
    names = Names(lineage, mapping)
    inputs = {made_of for output in lineage.outputs for made_of in output.inputs}
    outputs = {output.dataset for output in lineage.outputs}
    for dataset in sorted({*lineage.tags, *lineage.schemas, *inputs, *outputs}):
        held = lineage.tags.get(dataset, {})
        yield {
            "entity": names.entity(dataset),
            "tags": sorted(map(tag_name, held.get("", ()))),
            "columns": {
                names.column(dataset, field): sorted(map(tag_name, texts))
                for field, texts in sorted(held.items())
                if field and texts
            },
            "classifications": sorted(classifications),
        }


def tag_name(text: str) -> str:
    """The fully qualified name of a tag: `pii=email` is `pii.email`."""
    return ".".join(map(quoted, parse_tag(text)))


def parts_of(name: str) -> tuple[str, str]:
    """The classification and the name in a tag's fully qualified name.

    >>> parts_of('pii."a.b"')
    ('pii', 'a.b')
    """
    first, second = re.findall(r'"(?:[^"\\]|\\.)*"|[^."]+', name)[:2]
    return _plain(first), _plain(second)


def _plain(part: str) -> str:
    return part[1:-1].replace('\\"', '"') if part.startswith('"') else part


def patch(document: Json, entity: Json) -> Patch:
    """What to change of an entity, as the server has it, for the tags of a document.

    Labels that people or other tools have set stay.
    """
    own = set(document["classifications"])
    operations: list[Json] = []
    _relabel("", entity, document["tags"], own, operations)
    columns = {name.casefold(): (name, tags) for name, tags in document["columns"].items()}
    for path, column in _columns(document["entity"]["type"], entity):
        name = str(column.get("fullyQualifiedName", "")).casefold()
        _, tags = columns.pop(name, ("", []))
        _relabel(path, column, tags, own, operations)
    return Patch(operations, [name for name, _ in columns.values()])


def _relabel(path: str, of: Json, wanted: list[str], own: set[str], operations: list[Json]) -> None:
    """Add the operation that gives something the tags it is to have, if they are others."""
    labels = of.get("tags") or []
    kept = [label for label in labels if not _is_own(label, own) or label.get("tagFQN") in wanted]
    there = {label.get("tagFQN") for label in kept}
    new = [_label(name) for name in wanted if name not in there]
    if new or len(kept) < len(labels):
        operations.append({"op": "add", "path": f"{path}/tags", "value": [*kept, *new]})


def _is_own(label: Json, own: set[str]) -> bool:
    if label.get("labelType") != LABEL_TYPE or label.get("source") != "Classification":
        return False
    return parts_of(str(label.get("tagFQN")))[0] in own


def _label(name: str) -> Json:
    label = {"tagFQN": name, "source": "Classification"}
    return {**label, "labelType": LABEL_TYPE, "state": "Confirmed"}


def _columns(kind: str, entity: Json) -> Iterator[tuple[str, Json]]:
    """The columns of an entity with the pointers to them (RFC 6901), those of structs after it."""
    within: Any = entity
    for key in COLUMNS[kind]:
        within = (within or {}).get(key)
    yield from _nested("".join(f"/{key}" for key in COLUMNS[kind]), within or [])


def _nested(path: str, columns: list[Json]) -> Iterator[tuple[str, Json]]:
    for index, column in enumerate(columns):
        yield f"{path}/{index}", column
        yield from _nested(f"{path}/{index}/children", column.get("children") or [])
