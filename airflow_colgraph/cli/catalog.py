"""`colgraph find`, `fields`, `history` and `diff`: the store's catalog on the command line."""

from __future__ import annotations

from typing import Any

import click

from airflow_colgraph.cli.errors import BadInput, print_warning
from airflow_colgraph.cli.options import name_option, namespace_option
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import (
    open_store,
    require_datasets,
    store_errors,
    store_option,
)
from airflow_colgraph.exports.formats.text_tree import field_label, transformation_label
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.compare import Delta, between
from airflow_colgraph.store.model.lineage_body import Statement
from airflow_colgraph.store.query import dataset_details, listing, pagination
from airflow_colgraph.store.query.history import Chapter, difference
from airflow_colgraph.store.query.history import history as chapters
from airflow_colgraph.store.query.lookup import find_dataset, known_field
from airflow_colgraph.store.query.task_runs import other_names_over_time

DATASET_COLUMNS = ("namespace", "name", "field", *listing.Dataset._fields[2:])
DIFFERENCE_COLUMNS = ("change", "field", "before", "after")
NO_FIELDS = "No field of the dataset is known."


def _also(names: list[str]) -> str:
    return f"  (also {', '.join(names)})" if names else ""


def edge_label(edge: Statement) -> str:
    """An edge as a line: the output field, the input field, the transformation."""
    how = transformation_label(edge.transformation)
    return f"{edge.output.field or '*'} <- {field_label(edge.input)}  {how}"


@click.command()
@click.argument("text")
@click.option("--limit", type=click.IntRange(1, pagination.MOST), default=20, show_default=True)
@row_format
@store_option
@click.pass_context
def find(context: click.Context, text: str, limit: int, format_: str) -> None:
    """Find datasets and fields whose name contains TEXT.

    Example: colgraph find amount
    """
    with store_errors(), open_store(context).connection() as connection:
        require_datasets(connection)
        datasets = listing.datasets(connection, text, limit=limit)
        columns = listing.columns(connection, text, limit=limit)
    empty: dict[str, Any] = dict.fromkeys(DATASET_COLUMNS)
    rows = [{**empty, **dataset._asdict()} for dataset in datasets]
    rows += [{**empty, **column._asdict()} for column in columns]
    lines = [
        f"{dataset.namespace} {dataset.name}{_also(dataset.other_names)}" for dataset in datasets
    ]
    lines += [field_label(column) for column in columns]
    print_rows(format_, DATASET_COLUMNS, rows, lines or [f"No name contains {text!r}."])


@click.command()
@namespace_option
@name_option
@row_format
@store_option
@click.pass_context
def fields(context: click.Context, namespace: str, name: str, format_: str) -> None:
    """List a dataset's fields: type, first and last time, and those that were dropped.

    Example: colgraph fields --name /lake/mart
    """
    with store_errors(), open_store(context).connection() as connection:
        infos = dataset_details.fields(connection, find_dataset(connection, namespace, name))
    lines = (
        f"{info.name}  {info.type or '?'}  {info.created_at or '?'} to {info.updated_at or '?'}"
        f"{'  dropped' if info.dropped else ''}"
        for info in infos
    )
    rows = [info._asdict() for info in infos]
    print_rows(format_, dataset_details.FieldInfo._fields, rows, lines if rows else [NO_FIELDS])


@click.command()
@namespace_option
@name_option
@click.option("--field", default="", help="The field. Default: the whole dataset.")
@click.option("--start", default="0", metavar="TIME", help="Only what was reported from TIME on.")
@click.option("--end", default="now+1d", metavar="TIME", help="Only what was reported before TIME.")
@row_format
@store_option
@click.pass_context
def history(
    context: click.Context,
    namespace: str,
    name: str,
    field: str,
    start: str,
    end: str,
    format_: str,
) -> None:
    """Show each distinct lineage of a field over time, the oldest first.

    Example: colgraph history --name /lake/mart --field total --start now-90d
    """
    with store_errors(), open_store(context).connection() as connection:
        dataset = find_dataset(connection, namespace, name)
        field = known_field(connection, dataset, field).field
        times = clock.parse(start), clock.parse(end)
        if times[0] > times[1]:
            raise BadInput(f"Start {start} is after end {end}.")
        versions = chapters(connection, dataset, field, *times)
        renamed = other_names_over_time(connection, dataset)
    lines = []
    for version in versions:
        lines.append(
            f"{version.first_at} to {version.last_at}  {version.runs} runs of {version.job or '-'}"
        )
        lines += [f"  {edge_label(edge)}" for edge in version.edges] or ["  has no inputs"]
    rows = [
        {**version._asdict(), "edges": list(map(edge_label, version.edges))} for version in versions
    ]
    print_rows(format_, Chapter._fields, rows, lines or ["No run has reported its lineage."])
    for text in renamed:
        print_warning(f"{name} was {text}.")


@click.command()
@namespace_option
@name_option
@click.option("--before", required=True, metavar="TIME", help="The earlier time.")
@click.option("--after", default="now", show_default=True, metavar="TIME", help="The later time.")
@row_format
@store_option
@click.pass_context
def diff(
    context: click.Context, namespace: str, name: str, before: str, after: str, format_: str
) -> None:
    """Show what changed in a dataset's lineage and schema between two times.

    Example: colgraph diff --name /lake/mart --before now-7d
    """
    with store_errors(), open_store(context).connection() as connection:
        dataset = find_dataset(connection, namespace, name)
        end = clock.parse(after)
        delta = difference(connection, dataset, clock.parse(before), end)
        if not any(delta.counts.values()) and not chapters(connection, dataset, end=end + 1):
            raise BadInput(f"No run had reported how {dataset.name} is made at {clock.iso(end)}.")
    lines = [f"{kind} {field or '*'}: {between(*texts)}" for kind, field, *texts in delta.changes]
    lines += [f"- {edge_label(edge)}" for edge in delta.removed]
    lines += [f"+ {edge_label(edge)}" for edge in delta.added]
    print_rows(format_, DIFFERENCE_COLUMNS, changes(delta), lines or ["Nothing has changed."])


def changes(delta: Delta) -> list[dict[str, str | None]]:
    """The kinds of changes and the edges as rows: the field, and what it was and is."""
    rows: list[tuple[str, str, str | None, str | None]] = [
        *delta.changes,
        *(("edge removed", edge.output.field, edge_label(edge), None) for edge in delta.removed),
        *(("edge added", edge.output.field, None, edge_label(edge)) for edge in delta.added),
    ]
    return [dict(zip(DIFFERENCE_COLUMNS, row, strict=True)) for row in rows]
