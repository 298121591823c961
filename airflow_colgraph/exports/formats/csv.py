"""A graph answer as CSV, a row per edge and job. Pure: an answer in, text out."""

from __future__ import annotations

import csv as lines
import io

from airflow_colgraph.store.model.lineage_graph import COLUMNS, Graph

_MASKING = COLUMNS.index("masking")


def csv(graph: Graph) -> str:
    """The answer as RFC 4180 CSV with a header; an empty field is the dataset as a whole.

    A text that a spreadsheet would run as a formula is preceded by an apostrophe.
    """
    text = io.StringIO()
    writer = lines.writer(text)
    writer.writerow(COLUMNS)
    for row in graph.rows():
        masking = str(row[_MASKING]).lower()
        writer.writerow(map(safe, (*row[:_MASKING], masking, *row[_MASKING + 1 :])))
    return text.getvalue()


def safe(value: object) -> object:
    """The value; a text that would be a formula is preceded by an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value
