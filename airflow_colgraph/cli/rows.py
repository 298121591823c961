"""Answers that are rows, printed as text, JSON or CSV by `--format`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from airflow_colgraph.cli.options import format_option
from airflow_colgraph.exports.formats.csv import safe

Row = Mapping[str, Any]

ROW_FORMATS = ("table", "json", "csv")

row_format = format_option(ROW_FORMATS, "The output format.")


def print_rows(
    format_: str, columns: Sequence[str], rows: Sequence[Row], lines: Iterable[str]
) -> None:
    """Print the rows as JSON or CSV, or the lines that show them to a person."""
    if format_ == "table":
        for line in lines:
            click.echo(line)
    else:
        click.echo(WRITERS[format_](columns, rows), nl=False)


def _json(columns: Sequence[str], rows: Sequence[Row]) -> str:
    return json.dumps(list(rows), indent=2, ensure_ascii=False) + "\n"


def _csv(columns: Sequence[str], rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([safe(_cell(row[column])) for column in columns])
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A value in one cell: lists a line each, truth values as in JSON, None as nothing."""
    if isinstance(value, bool):
        return str(value).lower()
    return "\n".join(value) if isinstance(value, list) else value


WRITERS: dict[str, Callable[[Sequence[str], Sequence[Row]], str]] = {"json": _json, "csv": _csv}
