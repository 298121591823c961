"""The canonical form and checksum of a lineage body, and the edges in it. Pure.

A lineage body is what one run reported about one dataset that it wrote: the inputs of each field
and of the dataset as a whole, its schema and the operations. Equal statements have equal bytes, in
whichever order the event lists them, so a run that repeats them adds no body. A change of the
canonical form needs a new VERSION: bodies of different versions can coexist.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

VERSION = 1


@lru_cache(16_384)
def key(*names: str) -> int:
    """The id of what the names identify: 64 bits of a hash, equal in every store and process."""
    text = b"\0".join(name.encode("utf-8", "surrogatepass") for name in names)
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)


class Field(NamedTuple):
    """A field of a dataset; the dataset as a whole when `field` is empty."""

    namespace: str
    name: str
    field: str

    @property
    def id(self) -> int:
        """The field's id in every store."""
        return key(*self) if self.field else key(self.namespace, self.name)

    @property
    def dataset(self) -> Field:
        """The whole dataset that the field is of."""
        return Field(self.namespace, self.name, "") if self.field else self


class Transformation(NamedTuple):
    """An OpenLineage transformation; type DATASET: an edge between whole datasets."""

    type: str
    subtype: str = ""
    masking: bool = False
    description: str = ""

    @property
    def id(self) -> int:
        """The transformation's id in every store."""
        return key(self.type, self.subtype, str(int(self.masking)), self.description)

    @property
    def is_copy(self) -> bool:
        """Whether the output is the input unchanged, a struct part by part."""
        return self.type == "DIRECT" and self.subtype == "IDENTITY" and not self.masking


class Input(NamedTuple):
    """One way in which an output depends on a field, or on a dataset as a whole."""

    field: Field
    transformation: Transformation


class LineageBody(NamedTuple):
    """A body in canonical form, compressed as it is stored, and its checksum."""

    packed: bytes
    checksum: bytes

    @property
    def id(self) -> int:
        """The lineage body's id: the first half of the checksum."""
        return int.from_bytes(self.checksum[:8], "big", signed=True)


def make(body: Mapping[str, Any]) -> LineageBody:
    """The canonical form of a body whose lists are already in their canonical order."""
    data = orjson.dumps({"v": VERSION, **body}, option=orjson.OPT_SORT_KEYS)
    return LineageBody(zlib.compress(data), blake2b(data, digest_size=16).digest())


def unpack(packed: bytes) -> dict[str, Any]:
    """The body in `LineageBody.packed`."""
    body: dict[str, Any] = orjson.loads(zlib.decompress(packed))
    return body


def output_body(
    output: Field,
    inputs: set[tuple[str, str]],
    fields: Mapping[str, set[Input]] | None,
    dataset: set[Input],
    schema: list[list[str]] | None,
    operations: list[Any],
    digests: Mapping[str, list[list[str]]] | None = None,
    unordered: Collection[tuple[str, str]] = (),
) -> dict[str, Any]:
    """The body that one run reported of one output. `fields` None: no column lineage.

    `unordered`: inputs whose rows the run may have read before or after it wrote them itself.
    """
    rare: dict[str, Any] = {"digests": digests} if digests is not None else {}
    if unordered:
        rare["unordered"] = sorted(unordered)
    return {
        **rare,
        "output": [output.namespace, output.name],
        "inputs": sorted(inputs),
        "fields": None
        if fields is None
        else [[name, _rows(sources)] for name, sources in sorted(fields.items())],
        "dataset": _rows(dataset),
        "schema": schema,
        "operations": sorted(operations, key=_operation_order),
    }


def _rows(inputs: set[Input]) -> list[list[Any]]:
    return sorted([*field, *transformation] for field, transformation in inputs)


def _operation_order(operation: Any) -> tuple[str, bytes]:
    name = operation.get("name") if isinstance(operation, dict) else ""
    return str(name), orjson.dumps(operation, option=orjson.OPT_SORT_KEYS)


class Statement(NamedTuple):
    """One edge of a lineage body."""

    output: Field
    input: Field
    transformation: Transformation


def statements(body: Mapping[str, Any]) -> Iterator[Statement]:
    """Every edge of a body: of its fields, of the dataset's rows, and between datasets."""
    output = Field(body["output"][0], body["output"][1], "")
    for name, rows in body["fields"] or ():
        field = _field(*output[:2], name)
        for row in rows:
            yield Statement(field, *_input(row))
    for row in body["dataset"]:
        yield Statement(output, *_input(row))
    for namespace, name in body["inputs"]:
        yield Statement(output, _field(namespace, name, ""), _transformation("DATASET"))


def _input(row: list[Any]) -> Input:
    return Input(_field(*row[:3]), _transformation(*row[3:]))


# Many edges have the same ends and steps, and caches keep them: each is there once.
_field = lru_cache(16_384)(Field)
_transformation = lru_cache(4_096)(Transformation)


def named_fields(body: Mapping[str, Any]) -> set[Field]:
    """Every field and dataset that the body of an output mentions; none in another body."""
    if "output" not in body:
        return set()
    output = Field(body["output"][0], body["output"][1], "")
    named = {output}
    named.update(output._replace(field=name) for name, _ in body["fields"] or ())
    named.update(output._replace(field=row[0]) for row in body["schema"] or ())
    for statement in statements(body):
        named.add(statement.input)
        named.add(statement.input.dataset)
    return named
