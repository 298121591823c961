"""`colgraph why`: what changed upstream of a field."""

from __future__ import annotations

from collections.abc import Iterator

import click

from airflow_colgraph.cli.errors import BadInput, print_warning
from airflow_colgraph.cli.options import namespace_option
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import (
    open_store,
    planned_option,
    store_errors,
    store_option,
)
from airflow_colgraph.exports.formats.text_tree import field_label
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import DEPTH
from airflow_colgraph.store.query.lookup import dotted_field
from airflow_colgraph.store.query.why import NOT_KNOWN, Reason, Why, moment
from airflow_colgraph.store.query.why import why as changes_upstream


@click.command()
@click.argument("field", metavar="DATASET.FIELD")
@click.option("--since", required=True, metavar="RUN|TIME", help="The earlier time, or a run's id.")
@click.option(
    "--until", default="now", show_default=True, metavar="RUN|TIME", help="The later time."
)
@namespace_option
@click.option(
    "--depth", type=click.IntRange(1), default=DEPTH, show_default=True, help="Hops upstream."
)
@planned_option
@row_format
@store_option
@click.pass_context
def why(
    context: click.Context,
    field: str,
    since: str,
    until: str,
    namespace: str,
    depth: int,
    format_: str,
) -> None:
    """Show what changed upstream of DATASET.FIELD since a time or a run.

    Causes come before their consequences, the likeliest first: changes of lineage, columns, types,
    sources, code and numbers of rows, and runs that failed or are missing.

    Example: colgraph why /lake/mart.total --since now-2d
    """
    with store_errors(), open_store(context).connection() as connection:
        start = dotted_field(connection, field, namespace)
        times = (moment(connection, text) for text in (since, until))
        answer = changes_upstream(connection, start, *times, depth=depth)
    if NOT_KNOWN in answer.notes and not answer.reasons:
        raise BadInput(f"No lineage of {field} is known at {answer.since}.")
    rows = [reason._asdict() for reason in answer.reasons]
    print_rows(format_, Reason._fields, rows, _lines(answer))
    for note in answer.notes:
        print_warning(note)


def _lines(answer: Why) -> Iterator[str]:
    if not answer.reasons:
        yield f"Nothing has changed upstream between {answer.since} and {answer.until}."
    for reason in answer.reasons:
        field = Field(reason.namespace, reason.name, reason.field or "")
        place = field_label(field).removesuffix(": *")
        hops = f"{reason.distance} hop{'' if reason.distance == 1 else 's'} upstream"
        yield f"{reason.rank}. {reason.kind}  {place}  {hops}"
        words = " -> ".join(filter(None, (reason.before, reason.after)))
        if words:
            yield f"   {words}"
        yield f"   at {reason.at}{f' by {reason.job}' if reason.job else ''}{_more(reason)}"


def _more(reason: Reason) -> str:
    run = f", run {reason.run}" if reason.run else ""
    because = f"; follows from {reason.because}" if reason.because else ""
    return f"{run}{because}" + ("" if reason.reached else "; has not reached the value yet")
