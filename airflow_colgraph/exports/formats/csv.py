"""A graph answer as CSV, a row per edge and job. Pure: an answer in, text out."""

from __future__ import annotations

import csv as lines
import io

from airflow_colgraph.store.model.lineage_graph import Graph

EDGE = (
    "input_namespace",
    "input_name",
    "input_field",
    "output_namespace",
    "output_name",
    "output_field",
    "type",
    "subtype",
    "masking",
    "description",
    "job_namespace",
    "job",
    "dag_id",
    "task_id",
)
TIMES = ("first_seen", "last_seen", "closed_at")
COLUMNS = ("direction", "depth", *EDGE, "run", *TIMES)


def csv(graph: Graph) -> str:
    """The answer as RFC 4180 CSV with a header; an empty field is the dataset as a whole.

    A text that a spreadsheet would run as a formula is preceded by an apostrophe.
    """
    text = io.StringIO()
    writer = lines.writer(text)
    writer.writerow(COLUMNS)
    for edge in graph.edges:
        kind, subtype, masking, description = edge.transformation
        for report in edge.reported_by:
            row = [edge.direction, edge.depth, *edge.input, *edge.output]
            row += [kind, subtype, str(masking).lower(), description]
            row += report.job if report.job else [None] * 4
            row += [
                report.run and report.run.id,
                report.first_seen,
                report.last_seen,
                report.closed_at,
            ]
            writer.writerow([safe(value) for value in row])
    return text.getvalue()


def safe(value: object) -> object:
    """The value; a text that would be a formula is preceded by an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value
