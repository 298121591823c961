"""`colgraph find`, `fields`, `history` and `diff`: what the store knows, on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click

from airflow_colgraph.cli.store import opened, said
from airflow_colgraph.exports.formats.text_tree import field_label, transformation_label
from airflow_colgraph.store import catalog, clock, described, paged
from airflow_colgraph.store.find import find_dataset
from airflow_colgraph.store.history import difference
from airflow_colgraph.store.history import history as chapters
from airflow_colgraph.store.shape import Statement

_namespace = click.option("--namespace", default="", metavar="NS", help="The dataset's namespace.")
_name = click.option("--name", required=True, help="The dataset's name.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _print(rows: Iterable[Any], as_json: bool, text: Iterable[str]) -> None:
    if as_json:
        click.echo(json.dumps(list(rows), indent=2, ensure_ascii=False))
        return
    for line in text:
        click.echo(line)


def statement(edge: Statement) -> str:
    """An edge as a line: what is made, of what, how."""
    how = transformation_label(edge.transformation)
    return f"{edge.output.field or '*'} <- {field_label(edge.input)}  {how}"


@click.command()
@click.argument("text")
@click.option("--limit", type=click.IntRange(1, paged.MOST), default=20, show_default=True)
@_json
@click.pass_context
def find(context: click.Context, text: str, limit: int, as_json: bool) -> None:
    """Find datasets and fields whose name contains TEXT.

    Example: colgraph find amount
    """
    with said(), opened(context).connection() as connection:
        datasets = catalog.datasets(connection, text, limit=limit)
        columns = catalog.columns(connection, text, limit=limit)
    rows = [{**one._asdict(), "field": None} for one in datasets]
    rows += [one._asdict() for one in columns]
    lines = [f"{one.namespace} {one.name}" for one in datasets]
    lines += [field_label(one) for one in columns]
    _print(rows, as_json, lines or [f"Nothing is called like {text!r}."])


@click.command()
@_namespace
@_name
@_json
@click.pass_context
def fields(context: click.Context, namespace: str, name: str, as_json: bool) -> None:
    """List a dataset's fields: type, first and last time, and those that are gone.

    Example: colgraph fields --name /lake/mart
    """
    with said(), opened(context).connection() as connection:
        found = described.fields(connection, find_dataset(connection, namespace, name))
    lines = (
        f"{one.name}  {one.type or '?'}  {one.created_at or '?'} to {one.updated_at or '?'}"
        f"{'  dropped' if one.dropped else ''}"
        for one in found
    )
    _print([one._asdict() for one in found], as_json, lines)


@click.command()
@_namespace
@_name
@click.option("--field", default="", help="The field; without it the whole dataset.")
@click.option("--start", default="0", metavar="TIME", help="Only what runs said from TIME on.")
@click.option("--end", default="now+1d", metavar="TIME", help="Only what runs said before TIME.")
@_json
@click.pass_context
def history(
    context: click.Context,
    namespace: str,
    name: str,
    field: str,
    start: str,
    end: str,
    as_json: bool,
) -> None:
    """Show each distinct way in which a field was made, the oldest first.

    Example: colgraph history --name /lake/mart --field total --start now-90d
    """
    with said(), opened(context).connection() as connection:
        dataset = find_dataset(connection, namespace, name)
        found = chapters(connection, dataset, field, clock.parse(start), clock.parse(end))
    lines = []
    for one in found:
        lines.append(f"{one.first_at} to {one.last_at}  {one.runs} runs of {one.job or '-'}")
        lines += [f"  {statement(edge)}" for edge in one.edges] or ["  made of no field"]
    rows = [{**one._asdict(), "edges": [statement(edge) for edge in one.edges]} for one in found]
    _print(rows, as_json, lines or ["No run has said how it is made."])


@click.command()
@_namespace
@_name
@click.option("--before", required=True, metavar="TIME", help="The earlier time.")
@click.option("--after", default="now", show_default=True, metavar="TIME", help="The later time.")
@_json
@click.pass_context
def diff(
    context: click.Context, namespace: str, name: str, before: str, after: str, as_json: bool
) -> None:
    """Show what changed in a dataset's lineage and schema between two times.

    Example: colgraph diff --name /lake/mart --before now-7d
    """
    with said(), opened(context).connection() as connection:
        dataset = find_dataset(connection, namespace, name)
        found = difference(connection, dataset, clock.parse(before), clock.parse(after))
    lines = [f"- {statement(edge)}" for edge in found.removed]
    lines += [f"+ {statement(edge)}" for edge in found.added]
    lines += [f"- field {field}  {kind}" for field, kind in found.fields_removed]
    lines += [f"+ field {field}  {kind}" for field, kind in found.fields_added]
    lines += [f"~ field {field}  {old} -> {new}" for field, old, new in found.types_changed]
    _print(lines, as_json, lines or ["Nothing has changed."])
