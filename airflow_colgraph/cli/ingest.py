"""`colgraph ingest`: OpenLineage events into the store."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from airflow_colgraph.cli.errors import BadInput, print_error, print_warning
from airflow_colgraph.cli.event_documents import Document, files_of, read_documents
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.store import Store

BATCH = 200  # events in one transaction

Problems = list[tuple[str, str]]  # a place, such as `line 3`, and what is wrong there


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
@store_option
@click.pass_context
def ingest(context: click.Context, files: tuple[str, ...], quiet: bool) -> None:
    """Add the OpenLineage events in FILEs (- is standard input).

    A FILE has one JSON event a line, a JSON list of events, or events over several lines, and may
    be compressed (gzip, bzip2, xz). It may be a folder: then the files in it and below it are read
    whose names begin with part- or end with .json, .jsonl or .ndjson, e.g. a spool of events that
    were not delivered. It may be a URI of any Hadoop file system.

    Events may be repeated and out of order. A line that is no OpenLineage event is reported on
    standard error and left out; the exit code is then 1. Malformed parts of an event's facets are
    left out with a warning. The last line of a file may be one that its job is still writing:
    ingest the file again later. Without any event the exit code is 2.

    Example: colgraph ingest --store sqlite:///lineage.db events.jsonl
    """
    names = [name for file in files for name in files_of(file)]
    kept = bad = partly = 0
    with store_errors():
        store = open_store(context, create=True)
        for file in names:
            for count, problems, warnings in _ingest(store, file, quiet):
                kept += count
                bad += len(problems)
                partly += len(warnings)
                for place, why in problems:
                    print_error(f"{file}, {place}: {why}")
                for place, why in warnings:
                    print_warning(f"{file}, {place}: a part is left out. {why}")
    if not kept and not bad:
        raise BadInput(f"{', '.join(files)}: there are no events, so nothing was added.")
    if not quiet:
        skipped = f", {bad} lines skipped" if bad else ""
        click.echo(f"{kept} events added{f', {partly} of them in part' if partly else ''}{skipped}")
    sys.exit(1 if bad else 0)


def _ingest(store: Store, file: str, quiet: bool) -> Iterator[tuple[int, Problems, Problems]]:
    batch: list[Document] = []
    for document in read_documents(file, bar=not quiet):
        batch.append(document)
        if len(batch) >= BATCH:
            yield _add(store, batch)
            batch = []
    yield _add(store, batch)


def _add(store: Store, batch: Sequence[Document]) -> tuple[int, Problems, Problems]:
    """The number of events that are added, the places that are not, and those in part, in order."""
    read = [document for document in batch if not document.problem]
    refused, malformed = store.add_valid(with_tables([document.value for document in read]))
    reasons = {read[position].place: why for position, why in refused}
    problems = [
        (document.place, document.problem or reasons[document.place])
        for document in batch
        if document.problem or document.place in reasons
    ]
    in_part = [(read[position].place, why) for position, why in malformed]
    return len(read) - len(refused), problems, in_part
