"""`colgraph copies`: where a field's value has been copied to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial

import click

from airflow_colgraph.cli.errors import print_warning
from airflow_colgraph.cli.options import namespace_option
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import (
    open_store,
    planned_option,
    store_errors,
    store_option,
)
from airflow_colgraph.exports.formats.text_tree import field_label
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.copies import LIMIT, THROUGH, Copies, Copy
from airflow_colgraph.store.query.copies import copies as copies_of
from airflow_colgraph.store.query.lookup import dotted_field

MADE = {"transformation": "values computed from", "aggregation": "aggregates of"}
COLUMNS = (*Copy._fields[:-1], "path")


@click.command()
@click.argument("field", metavar="DATASET.FIELD")
@namespace_option
@click.option(
    "--through",
    type=click.Choice(list(THROUGH)),
    default="identity",
    show_default=True,
    help="Which steps keep the value: only copies, also values computed from it, also aggregates.",
)
@click.option(
    "--origins", is_flag=True, help="Also search from the fields that it was copied from."
)
@click.option(
    "--at", default="now", show_default=True, metavar="TIME", help="What held the value at TIME."
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=LIMIT,
    show_default=True,
    help="The maximum number of fields; a warning says if there are more.",
)
@planned_option
@row_format
@store_option
@click.pass_context
def copies(
    context: click.Context,
    field: str,
    namespace: str,
    through: str,
    origins: bool,
    at: str,
    limit: int,
    format_: str,
) -> None:
    """List every field that holds the value of DATASET.FIELD without masking.

    For each: the dataset's names, the way of the value, and the last run that wrote it. Jobs that
    read one of the datasets by unknown columns are named in a warning.

    Example: colgraph copies /lake/customers.email --through transformation --format csv
    """
    with store_errors(), open_store(context).connection() as connection:
        start = dotted_field(connection, field, namespace)
        ask = partial(copies_of, connection, start, at=clock.parse(at), limit=limit)
        answer = ask(through=through, origins=origins)
        hints = [] if answer.truncated else list(_further(ask, answer, through, origins))
    rows = [{**copy._asdict(), "path": list(map(field_label, copy.path))} for copy in answer.copies]
    print_rows(format_, COLUMNS, rows, _lines(answer))
    for reader in answer.unknown:
        where = f"{reader.namespace} {reader.name}" if reader.name else "nothing that is known"
        print_warning(
            f"{reader.job or 'a job'} reads {reader.source_namespace} {reader.source_name} by "
            f"unknown columns and writes {where}."
        )
    if answer.truncated:
        print_warning("truncated: there are more fields; raise --limit.")
    for hint in hints:
        click.echo(f"colgraph: {hint}", err=True)


def _further(
    ask: Callable[..., Copies], answer: Copies, through: str, origins: bool
) -> Iterator[str]:
    """Where the copies end although the value goes on, and the option that goes on."""
    fields = {copy[:3] for copy in answer.copies}
    choices = list(THROUGH)
    for wider in choices[choices.index(through) + 1 :]:
        more = {copy[:3] for copy in ask(through=wider, origins=origins).copies} - fields
        fields |= more
        if more:
            yield f"{_fields(more)} {MADE[wider]} these: --through {wider}"
    if not origins:
        more = {copy[:3] for copy in ask(through=through, origins=True).copies} - fields
        if more:
            yield f"{_fields(more)} the value by what it was copied from: --origins"


def _fields(more: Collection[tuple[str, str, str]]) -> str:
    return "1 more field has" if len(more) == 1 else f"{len(more)} more fields have"


def _lines(answer: Copies) -> Iterator[str]:
    for copy in answer.copies:
        yield field_label(Field(*copy[:3])) + "".join(f" = {name}" for name in copy.other_names)
        if copy.hops:
            run = f", run {copy.run}" if copy.run else ""
            yield f"  written {copy.written_at} by {copy.job or '-'}{run}"
            yield "  from " + " -> ".join(map(field_label, copy.path[:-1]))
