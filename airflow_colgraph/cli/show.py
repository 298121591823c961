"""`colgraph show`: the lineage in event files, as text."""

from __future__ import annotations

import sys

import click

from airflow_colgraph.collector.events.render import render
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.queries import with_tables


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def show(files: tuple[str, ...]) -> None:
    """Print the lineage in OpenLineage event files: one JSON document a line.

    A FILE may also be a folder of part files, or a URI on a file system that Spark can read. Lines
    that are no events are named on standard error and left out; then the exit code is 1. A last
    line that a job is just writing is one of them. A file that is not there makes the exit code 2.

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
            click.echo(f"colgraph: {file} is not there.", err=True)
            code = 2
            continue
        except OSError as error:
            name = sinks.without_userinfo(file) if "://" in file else file
            click.echo(f"colgraph: {name} cannot be read: {error.strerror or error}", err=True)
            code = 2
            continue
        events += reading.events
        for number, why in reading.bad:
            click.echo(f"{file}:{number}: {why}", err=True)
        code = max(code, 1 if reading.bad else 0)
    text = render(with_tables(events))
    if text:
        click.echo(text)
    sys.exit(code)
