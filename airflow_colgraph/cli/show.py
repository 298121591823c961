"""`colgraph show`: the lineage in event files."""

from __future__ import annotations

import sys
from typing import Any

import click

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.event_files import read_events
from airflow_colgraph.cli.options import format_option
from airflow_colgraph.collector.events.render import render
from airflow_colgraph.exports.formats.registry import GRAPH_FORMATS
from airflow_colgraph.queries import with_tables


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@format_option(GRAPH_FORMATS, "The output format; all but table show one graph, as upstream does.")
def show(files: tuple[str, ...], format_: str) -> None:
    """Print the lineage in OpenLineage event files: one JSON document a line.

    A FILE may also be a folder of part files, or a URI on a file system that Spark can read; - is
    standard input. Lines that are no events are reported on standard error and left out; the exit
    code is then 1. A last line that a job is still writing is one of them. For a missing file, or
    without any lineage, the exit code is 2.

    \b
    Example:
      colgraph show colgraph-events.jsonl
      colgraph show --format mermaid colgraph-events.jsonl
    """
    events, code = read_events(files)
    text = text_of(with_tables(events), format_) if render(events) else ""
    if text:
        click.echo(text)
    elif not code:
        count = f"{len(events)} events have no lineage" if events else "there are no events"
        raise BadInput(f"{', '.join(files)}: {count}.")
    sys.exit(code)


def text_of(events: list[dict[str, Any]], format_: str) -> str:
    """The events' lineage; as a graph by way of a store in memory."""
    if format_ == "table":
        return render(events)
    # SQLAlchemy takes longer to import than most files take to print.
    from airflow_colgraph.check.run import in_memory
    from airflow_colgraph.cli.store_access import store_errors
    from airflow_colgraph.store.query.stored_edges import as_graph, edges

    with store_errors(), in_memory(events).connection() as connection:
        graph = as_graph(edges(connection, current=True), indirect=True)
    return GRAPH_FORMATS[format_].render(graph).rstrip("\n")
