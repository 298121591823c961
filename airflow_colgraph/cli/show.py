"""`colgraph show`: the lineage in event files, as text."""

from __future__ import annotations

import sys

import click

from airflow_colgraph.cli.errors import print_error
from airflow_colgraph.collector import sink as sinks
from airflow_colgraph.collector.text import render
from airflow_colgraph.queries import with_tables


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def show(files: tuple[str, ...]) -> None:
    """Print the lineage in OpenLineage event files: one JSON document a line.

    A FILE may also be a folder of part files, or a URI on a file system that Spark can read. Lines
    that are no events are reported on standard error and left out; the exit code is then 1. For a
    missing file it is 2.

    \b
    Example:
      colgraph show colgraph-events.jsonl
    """
    events = []
    code = 0
    for file in files:
        try:
            reading = sinks.read(file)
        except FileNotFoundError:
            print_error(f"{file} is not there.")
            code = 2
            continue
        except OSError as error:
            name = sinks.without_userinfo(file) if "://" in file else file
            print_error(f"{name} cannot be read: {error.strerror or error}")
            code = 2
            continue
        events += reading.events
        for number, why in reading.bad:
            print_error(f"{file}, line {number}: {why}")
        code = max(code, 1 if reading.bad else 0)
    text = render(with_tables(events))
    if text:
        click.echo(text)
    sys.exit(code)
