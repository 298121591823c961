"""`colgraph ingest`: OpenLineage events into the store."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import click
import orjson

from airflow_colgraph.cli.errors import BadInput, print_error, print_warning
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.collector.sinks import hadoop
from airflow_colgraph.collector.sinks.file import is_local
from airflow_colgraph.collector.sinks.ndjson import UNFINISHED
from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.store import Store

BATCH = 200  # events in one transaction

Problems = list[tuple[int, str]]


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
@store_option
@click.pass_context
def ingest(context: click.Context, files: tuple[str, ...], quiet: bool) -> None:
    """Add the OpenLineage events in FILEs (one JSON event a line; - is standard input).

    A FILE may be a folder of part files, such as a spool of events that were not delivered, or a
    URI of any Hadoop file system. Events may be repeated and out of order. A line that is no
    OpenLineage event is reported on standard error and left out; the exit code is then 1. Malformed
    parts of an event's facets are left out with a warning. The last line of a file may be one that
    its job is still writing: ingest the file again later. Without any event the exit code is 2.

    Example: colgraph ingest --store sqlite:///lineage.db events.jsonl
    """
    names = [name for file in files for name in _names(file)]
    kept = bad = partly = 0
    with store_errors():
        store = open_store(context, create=True)
        for file in names:
            for count, problems, warnings in _ingest(store, file, quiet):
                kept += count
                bad += len(problems)
                partly += len(warnings)
                for line, why in problems:
                    print_error(f"{file}, line {line}: {why}")
                for line, why in warnings:
                    print_warning(f"{file}, line {line}: a part is left out. {why}")
    if not kept and not bad:
        raise BadInput(f"{', '.join(files)}: there are no events, so nothing was added.")
    if not quiet:
        skipped = f", {bad} lines skipped" if bad else ""
        click.echo(f"{kept} events added{f', {partly} of them in part' if partly else ''}{skipped}")
    sys.exit(1 if bad else 0)


def _names(file: str) -> list[str]:
    """The file itself, or the part files in a folder and below it, in the order of their names."""
    if file == "-" or Path(file).is_file() or not is_local(file):
        return [file]
    if not Path(file).is_dir():
        raise BadInput(f"{file} does not exist.")
    parts = sorted(Path(file).rglob("part-*"), key=lambda part: part.name)
    if not parts:
        raise BadInput(f"{file} is a folder without part files (part-*). Name the files in it.")
    return list(map(str, parts))


def _open(file: str) -> IO[bytes]:
    if file == "-" or Path(file).is_file():
        return click.open_file(file, "rb")
    try:
        return BytesIO(hadoop.read(file))
    except OSError as error:
        raise BadInput(str(error)) from None


def _ingest(store: Store, file: str, quiet: bool) -> Iterator[tuple[int, Problems, Problems]]:
    with _open(file) as stream:
        lines: Iterable[tuple[int, bytes]] = enumerate(_progress(stream, file, quiet), 1)
        events: list[tuple[int, Any]] = []
        problems: Problems = []
        for number, line in lines:
            if not line.strip():
                continue
            try:
                events.append((number, orjson.loads(line)))
            except orjson.JSONDecodeError as error:
                torn = "" if line.endswith(b"\n") else UNFINISHED
                problems.append((number, f"not JSON: {str(error).splitlines()[0]}{torn}."))
            if len(events) >= BATCH or len(problems) >= BATCH:
                yield _add(store, events, problems)
                events, problems = [], []
        yield _add(store, events, problems)


def _add(
    store: Store, events: list[tuple[int, Any]], problems: Problems
) -> tuple[int, Problems, Problems]:
    """The number of events that are added, the lines that are not, and those in part, in order."""
    refused, malformed = store.add_valid(with_tables([event for _, event in events]))
    lines = [number for number, _ in events]
    refused_lines = [(lines[position], why) for position, why in refused]
    in_part = [(lines[position], why) for position, why in malformed]
    return len(events) - len(refused), sorted(problems + refused_lines), in_part


def _progress(stream: IO[bytes], file: str, quiet: bool) -> Iterator[bytes]:
    """The stream's lines, with a bar on a terminal."""
    if quiet or not sys.stderr.isatty() or not Path(file).is_file():
        yield from stream
        return
    size = Path(file).stat().st_size
    with click.progressbar(length=size, label=Path(file).name, file=sys.stderr) as bar:
        for line in stream:
            yield line
            bar.update(len(line))
