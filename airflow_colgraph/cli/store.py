"""`colgraph ingest`, `upstream` and `downstream`: the store on the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click
import orjson

from airflow_colgraph.exports.field_lookup import find_fields
from airflow_colgraph.exports.formats.csv import csv
from airflow_colgraph.exports.formats.dot import dot
from airflow_colgraph.exports.formats.graph_json import graph_json
from airflow_colgraph.exports.formats.mermaid import mermaid
from airflow_colgraph.exports.formats.text_tree import text_tree
from airflow_colgraph.queries import with_tables
from airflow_colgraph.store import graph
from airflow_colgraph.store.errors import EventError, QuestionError, StoreError, UnknownNode
from airflow_colgraph.store.ingest import facts
from airflow_colgraph.store.location import default_url
from airflow_colgraph.store.shape import Field
from airflow_colgraph.store.store import Store

FORMATS: dict[str, Callable[[graph.Graph], str]] = {
    "table": text_tree,
    "json": lambda found: json.dumps(graph_json(found), indent=2, ensure_ascii=False) + "\n",
    "mermaid": mermaid,
    "dot": dot,
    "csv": csv,
}
BATCH = 200  # events in one transaction


@contextmanager
def said() -> Iterator[None]:
    """The store's errors as one line; wrong usage (exit code 2) if the question was wrong."""
    try:
        yield
    except (QuestionError, UnknownNode) as error:
        click.echo(f"colgraph: {error}", err=True)
        sys.exit(2)
    except StoreError as error:
        raise click.ClickException(str(error)) from None


def opened(context: click.Context) -> Store:
    """The store that `--store` names, else the configured or the default one."""
    return Store.open(context.obj or default_url())


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.pass_context
def ingest(context: click.Context, files: tuple[str, ...], quiet: bool) -> None:
    """Add the OpenLineage events in FILEs (one JSON event a line; - is standard input).

    Events may come again and in any order. A line that is no OpenLineage event is named on
    standard error and left out; the exit code is then 1.

    Example: colgraph --store sqlite:///lineage.db ingest events.jsonl
    """
    for file in files:
        if file != "-" and not Path(file).is_file():
            click.echo(f"colgraph: there is no file {file}.", err=True)
            sys.exit(2)
    kept = bad = 0
    with said():
        store = opened(context)
        for file in files:
            for count, problems in _ingest(store, file, quiet):
                kept += count
                bad += len(problems)
                for line, why in problems:
                    click.echo(f"colgraph: {file}, line {line}: {why}", err=True)
    if not quiet:
        click.echo(f"{kept} events added" + (f", {bad} lines left out" if bad else ""))
    sys.exit(1 if bad else 0)


Problems = list[tuple[int, str]]


def _ingest(store: Store, file: str, quiet: bool) -> Iterator[tuple[int, Problems]]:
    with click.open_file(file, "rb") as stream:
        lines: Iterable[tuple[int, bytes]] = enumerate(_progress(stream, file, quiet), 1)
        events: list[Any] = []
        problems: Problems = []
        for number, line in lines:
            if not line.strip():
                continue
            try:
                event = orjson.loads(line)
                facts(event)
                events.append(event)
            except orjson.JSONDecodeError as error:
                problems.append((number, f"not JSON: {str(error).splitlines()[0]}."))
            except EventError as error:
                problems.append((number, str(error)))
            if len(events) >= BATCH or len(problems) >= BATCH:
                yield store.add(with_tables(events)), problems
                events, problems = [], []
        yield store.add(with_tables(events)), problems


def _progress(stream: IO[bytes], file: str, quiet: bool) -> Iterator[bytes]:
    """The stream's lines, with a bar on a terminal."""
    if quiet or file == "-" or not sys.stderr.isatty():
        yield from stream
        return
    size = Path(file).stat().st_size
    with click.progressbar(length=size, label=Path(file).name, file=sys.stderr) as bar:
        for line in stream:
            yield line
            bar.update(len(line))


def _question(command: Callable[..., None]) -> Callable[..., None]:
    """The options of `upstream` and `downstream`."""
    options = [
        click.option("--namespace", metavar="NS", help="The dataset's namespace, e.g. s3://lake."),
        click.option("--name", required=True, help="The dataset's name, e.g. mart/daily."),
        click.option(
            "--field",
            help="The field, by name, DataHub path (/items/sku) or URN; else every field.",
        ),
        click.option(
            "--depth", type=click.IntRange(1), default=graph.DEPTH, show_default=True, help="Hops."
        ),
        click.option(
            "--start",
            metavar="TIME",
            help="Only what runs said from TIME on: 2026-11-20T10:00Z, seconds or now-7d.",
        ),
        click.option("--end", metavar="TIME", help="Only what runs said before TIME."),
        click.option("--at", metavar="TIME", help="What held at TIME."),
        click.option("--indirect", is_flag=True, help="Also fields that decide on rows or values."),
        click.option(
            "--limit",
            type=click.IntRange(1),
            default=graph.LIMIT,
            show_default=True,
            help="Edges at most; that some are left out is said.",
        ),
        click.option(
            "--timely",
            is_flag=True,
            help="Only what really fed the value (at --at, else now): each hop as it was when the "
            "run ran. Downstream: only runs after --at.",
        ),
        click.option(
            "--collapse",
            metavar="REGEX",
            help="Leave out datasets with such names, e.g. '/tmp/|_staging$', and connect what "
            "went into them with what came out.",
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(list(FORMATS)),
            default="table",
            show_default=True,
            help="table: a tree with transformations and the tasks that did them.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _ask(context: click.Context, direction: str, asked: dict[str, Any]) -> None:
    form = asked.pop("form")
    start = Field(*(asked.pop(part) or "" for part in ("namespace", "name", "field")))
    ask = graph.upstream if direction == "upstream" else graph.downstream
    with said():
        store = opened(context)
        (start,) = find_fields(store, [start])
        found = ask(store, *start, **asked)
    click.echo(FORMATS[form](found), nl=False)
    if found.truncated and form != "table":
        click.echo(
            f"colgraph: truncated: {found.unexplored} fields were not followed; raise --limit.",
            err=True,
        )


@click.command()
@_question
@click.pass_context
def upstream(context: click.Context, /, **asked: Any) -> None:
    """Show what a field is made of, across jobs, back to where the data comes from.

    Example: colgraph upstream --namespace file --name /lake/mart --field total
    """
    _ask(context, "upstream", asked)


@click.command()
@_question
@click.pass_context
def downstream(context: click.Context, /, **asked: Any) -> None:
    """Show what is made of a field, across jobs.

    Example: colgraph downstream --name /lake/orders --field amount --indirect --format csv
    """
    _ask(context, "downstream", asked)
