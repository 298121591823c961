"""Edges as rows of a table: CSV, and Parquet by pyarrow."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone
from itertools import islice
from typing import Any, BinaryIO

from airflow_colgraph.exports.formats.csv import safe
from airflow_colgraph.store.model.lineage_graph import EDGE, TIMES
from airflow_colgraph.store.query.stored_edges import StoredEdge

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
BATCH = 50_000
COLUMNS = (*EDGE, *TIMES)


class MissingPyarrow(RuntimeError):
    """Parquet was asked for and pyarrow is not installed."""


def row(edge: StoredEdge) -> tuple[Any, ...]:
    """The values of an edge in the order of COLUMNS; times in milliseconds since 1970.

    An empty field stands for the dataset as a whole; `closed_at` is None while the edge holds.
    """
    job = edge.job
    return (
        *edge.input,
        *edge.output,
        *edge.transformation,
        *((*job[:2], job.dag_id or "", job.task_id or "") if job else (None,) * 4),
        edge.first_seen,
        edge.last_seen,
        edge.closed_at,
    )


def to_csv(edges: Iterable[StoredEdge]) -> Iterator[str]:
    """The edges as lines of CSV, a heading first; times are ISO 8601 in UTC.

    A text that a spreadsheet would run as a formula is preceded by an apostrophe.
    """
    yield _line(COLUMNS)
    for edge in edges:
        *values, first_seen, last_seen, closed_at = row(edge)
        values = [str(v).lower() if isinstance(v, bool) else safe(v) for v in values]
        yield _line([*values, *(_iso(time) for time in (first_seen, last_seen, closed_at))])


def _line(values: Iterable[Any]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(values)
    return text.getvalue()


def _iso(millis: int | None) -> str:
    if millis is None:
        return ""
    moment = EPOCH + timedelta(milliseconds=millis)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_parquet(edges: Iterable[StoredEdge], file: BinaryIO) -> int:
    """Write the edges as Parquet, a batch at a time; the number of them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingPyarrow(
            "Parquet needs pyarrow, which is not installed: pip install 'colgraph[parquet]'."
        ) from None
    schema = pyarrow.schema([(name, _arrow_type(pyarrow, name)) for name in COLUMNS])
    rows, count = map(row, edges), 0
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while batch := list(islice(rows, BATCH)):
            columns = [list(values) for values in zip(*batch, strict=True)]
            writer.write_table(pyarrow.table(columns, schema=schema))
            count += len(batch)
    return count


def _arrow_type(pyarrow: Any, name: str) -> Any:
    if name in TIMES:
        return pyarrow.timestamp("ms", tz="UTC")
    return pyarrow.bool_() if name == "masking" else pyarrow.string()
