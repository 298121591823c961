"""`colgraph upstream` and `downstream`: the lineage of a field across jobs."""

from __future__ import annotations

from typing import Any

import click
from sqlalchemy.engine import Connection

from airflow_colgraph.cli.errors import print_warning
from airflow_colgraph.cli.options import all_of, format_option
from airflow_colgraph.cli.store_access import (
    open_store,
    planned_option,
    store_errors,
    store_option,
)
from airflow_colgraph.exports.field_lookup import find_fields
from airflow_colgraph.exports.formats.registry import GRAPH_FORMATS, draws
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.query.gone_columns import with_gone_columns
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.task_runs import other_names_over_time

_lineage_options = all_of(
    click.option("--namespace", metavar="NS", help="The dataset's namespace, e.g. s3://lake."),
    click.option("--name", required=True, help="The dataset's name, e.g. mart/daily."),
    click.option(
        "--field",
        help="The field: its name, DataHub path (/items/sku) or URN. Default: every field.",
    ),
    click.option(
        "--depth", type=click.IntRange(1), default=graph.DEPTH, show_default=True, help="Hops."
    ),
    click.option(
        "--start",
        metavar="TIME",
        help="Only what was reported from TIME on: 2026-11-20T10:00Z, seconds or now-7d.",
    ),
    click.option("--end", metavar="TIME", help="Only what was reported before TIME."),
    click.option("--at", metavar="TIME", help="The lineage as of TIME."),
    click.option(
        "--indirect",
        is_flag=True,
        help="Also INDIRECT edges: filters, joins, conditions.",
    ),
    click.option(
        "--limit",
        type=click.IntRange(1),
        default=graph.LIMIT,
        show_default=True,
        help="The maximum number of edges; the output says if there are more.",
    ),
    click.option(
        "--run-aware",
        is_flag=True,
        help="Only edges that contributed to the value at --at (default: now): each hop as of "
        "the run that wrote it. Downstream: only runs after --at.",
    ),
    click.option(
        "--collapse",
        metavar="REGEX",
        help="Leave out datasets whose name matches, e.g. '/tmp/|_staging$', and connect their "
        "inputs with their outputs.",
    ),
    planned_option,
    format_option(
        GRAPH_FORMATS, "The output format; table is a tree of fields, transformations and tasks."
    ),
)
"""The options of `upstream` and `downstream`."""


def _ask(context: click.Context, direction: str, asked: dict[str, Any]) -> None:
    format_ = asked.pop("format_")
    start = Field(*(asked.pop(part) or "" for part in ("namespace", "name", "field")))
    ask = graph.upstream if direction == "upstream" else graph.downstream
    with store_errors():
        store = open_store(context)
        (start,) = find_fields(store, [start])
        answer = ask(store, *start, **asked)
        if draws(format_):
            answer = store.ask(lambda connection: with_gone_columns(connection, answer))
        renamed = [] if answer.edges else store.ask(lambda asked: _other_names(asked, start))
    click.echo(GRAPH_FORMATS[format_].render(answer), nl=False)
    for text in renamed:
        print_warning(f"{start.name} was {text}.")
    if answer.truncated and format_ != "table":
        print_warning(f"truncated: {answer.unexplored} fields were not followed; raise --limit.")


def _other_names(connection: Connection, start: Field) -> list[str]:
    return other_names_over_time(connection, find_dataset(connection, *start[:2]))


@click.command()
@_lineage_options
@store_option
@click.pass_context
def upstream(context: click.Context, /, **asked: Any) -> None:
    """Trace a field upstream, across jobs, to its sources.

    Example: colgraph upstream --namespace file --name /lake/mart --field total
    """
    _ask(context, "upstream", asked)


@click.command()
@_lineage_options
@store_option
@click.pass_context
def downstream(context: click.Context, /, **asked: Any) -> None:
    """Trace a field downstream, across jobs.

    Example: colgraph downstream --name /lake/orders --field amount --indirect --format csv
    """
    _ask(context, "downstream", asked)
