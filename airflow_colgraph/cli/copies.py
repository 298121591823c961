"""`colgraph copies`: where a field's value has been copied to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
from airflow_colgraph.store.query.copies import LIMIT, ORIGINS, THROUGH, Copies, Copy, beyond
from airflow_colgraph.store.query.copies import copies as copies_of
from airflow_colgraph.store.query.lookup import dotted_field

HINTS = {
    "transformation": "values computed from these: --through transformation",
    "aggregation": "aggregates of these: --through aggregation",
    ORIGINS: "the value by what it was copied from: --origins",
}
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
        asked: dict[str, Any] = {
            "through": through,
            "origins": origins,
            "at": clock.parse(at),
            "limit": limit,
        }
        answer = copies_of(connection, start, **asked)
        is_hinted = format_ == "table" and not answer.truncated
        hints = beyond(connection, start, answer, **asked) if is_hinted else {}
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
    for choice, count in hints.items():
        fields = "1 more field has" if count == 1 else f"{count} more fields have"
        click.echo(f"colgraph: {fields} {HINTS[choice]}", err=True)


def _lines(answer: Copies) -> Iterator[str]:
    for copy in answer.copies:
        yield field_label(Field(*copy[:3])) + "".join(f" = {name}" for name in copy.other_names)
        if copy.hops:
            run = f", run {copy.run}" if copy.run else ""
            yield f"  written {copy.written_at} by {copy.job or '-'}{run}"
            yield "  from " + " -> ".join(map(field_label, copy.path[:-1]))
