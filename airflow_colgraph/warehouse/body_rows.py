"""Lineage bodies as rows, in Spark's Python workers: their edges and the names in them.

Each body is read once, whichever runs repeat it: a build gives only those here that are not in its
table yet. No database, no pyspark.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from airflow_colgraph.store.model.intervals import edge_key
from airflow_colgraph.store.model.lineage_body import (
    Field,
    LineageBody,
    named_fields,
    statements,
    unpack,
)
from airflow_colgraph.warehouse.row_schema import BODY, arrow_schema

if TYPE_CHECKING:
    import pyarrow

Row = dict[str, Any]

KINDS = ("DIRECT", "INDIRECT", "DATASET")
MOST_SEEN = 1_000_000  # ids that a worker remembers


def parse(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of bodies: for `DataFrame.mapInArrow`, on columns `checksum` and `packed`."""
    import pyarrow

    schema = arrow_schema(BODY)
    rows = BodyRows()
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("packed", "checksum"))
        rows_of_bodies = [
            rows.of_body(LineageBody(packed, bytes.fromhex(checksum)))
            for packed, checksum in zip(*columns, strict=True)
        ]
        yield pyarrow.RecordBatch.from_pylist(rows_of_bodies, schema=schema)


class Seen:
    """What a worker has named, so that it names it once; it forgets when that gets too much."""

    def __init__(self) -> None:
        """Nothing is seen yet."""
        self.ids: set[tuple[str, int]] = set()

    def is_new(self, kind: str, id: int) -> bool:
        """Whether this is the first time."""
        if (kind, id) in self.ids:
            return False
        if len(self.ids) >= MOST_SEEN:
            self.ids.clear()  # a name twice is the same name
        self.ids.add((kind, id))
        return True


class BodyRows:
    """The rows of one worker's bodies; a name is in the first row that mentions it."""

    def __init__(self) -> None:
        """Nothing is seen yet."""
        self._seen = Seen()

    def of_body(self, packed: LineageBody) -> Row:
        """The row of a body."""
        body = unpack(packed.packed)
        stated = list(statements(body)) if "output" in body else []
        edges = sorted({edge_key(statement) for statement in stated})
        return {
            "id": packed.id,
            "checksum": packed.checksum.hex(),
            "body": canonical_json(packed),
            "has_columns": body.get("fields") is not None,
            "edges": [{**edge._asdict(), "kind": KINDS[edge.kind]} for edge in edges],
            "fields": [
                row for field in sorted(named_fields(body)) for row in field_rows(self._seen, field)
            ],
            "transformations": [
                {"id": statement.id, **statement._asdict()}
                for statement in {statement.transformation for statement in stated}
                if self._seen.is_new("transformation", statement.id)
            ],
        }


def canonical_json(body: LineageBody) -> str:
    """The text that a store keeps compressed, and whose checksum is the body's."""
    return zlib.decompress(body.packed).decode()


def field_rows(seen: Seen, field: Field) -> Iterator[Row]:
    """The rows of a field and of its dataset, of those that are new."""
    return (field_row(each) for each in (field, field.dataset) if seen.is_new("field", each.id))


def field_row(field: Field) -> Row:
    """A field, or with the empty name its whole dataset, with the ids that every store has."""
    return {"id": field.id, "dataset": field.dataset.id, **field._asdict()}
