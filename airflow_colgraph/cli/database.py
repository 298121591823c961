"""`colgraph db`: the store's schema, size, whole events, copies and API keys."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import click
import orjson

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.keys import key
from airflow_colgraph.cli.options import FILE, login
from airflow_colgraph.cli.progress import progress
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.store.admin.api_keys import every
from airflow_colgraph.store.admin.backup import PARTS, back_up
from airflow_colgraph.store.admin.backup import restore as restore_store
from airflow_colgraph.store.admin.retention import prune as prune_store
from airflow_colgraph.store.admin.retention import prune_reads
from airflow_colgraph.store.admin.size import TableSize, sizes
from airflow_colgraph.store.admin.transfer import export as export_store
from airflow_colgraph.store.admin.transfer import load
from airflow_colgraph.store.default_url import default_url
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query import event_archive
from airflow_colgraph.store.store import Store


@click.group()
def db() -> None:
    """Manage the store's database.

    The store is --store, else COLGRAPH_STORE, else `[colgraph] store` of Airflow's configuration,
    else the SQLite file ~/.colgraph/colgraph.db.
    """


db.add_command(key)


without_option = click.option(
    "--without",
    multiple=True,
    type=click.Choice(sorted(PARTS)),
    help="Leave out API keys, or whole events that were kept; may be repeated.",
)


@db.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@without_option
@store_option
@click.pass_context
def backup(context: click.Context, file: Path, without: tuple[str, ...]) -> None:
    """Copy the store, as it is at one moment, to the new SQLite FILE, while servers go on.

    FILE is a store: any command reads it with --store sqlite:///FILE.

    Example: colgraph db backup lineage-2026-11-27.db
    """
    with store_errors(), progress("rows") as show:
        rows = back_up(open_store(context), file, without, show)
    click.echo(f"{rows} rows copied to {file}")


@db.command()
@click.argument("file", type=FILE)
@click.option("--replace", is_flag=True, help="Delete what is in the store first.")
@without_option
@store_option
@click.pass_context
def restore(context: click.Context, file: Path, replace: bool, without: tuple[str, ...]) -> None:
    """Fill an empty store with FILE, which `colgraph db backup` wrote: all of it or nothing.

    Servers may run on the store meanwhile: they notice it. Events that came after the backup are
    not in it, so send them again.

    Example: colgraph db restore lineage-2026-11-27.db --store postgresql://user@host/lineage
    """
    with store_errors(), progress("rows") as show:
        store = open_store(context, create=True)
        rows = restore_store(store, file, without, replace=replace, progress=show)
    click.echo(f"{rows} rows restored to {store.shown_url}")


@db.command()
@store_option
@click.pass_context
def migrate(context: click.Context) -> None:
    """Create the store's tables, or upgrade them to this version.

    The tables of a SQLite file are also upgraded by whatever uses them. Those of PostgreSQL are
    upgraded by this command only.

    Example: colgraph db migrate --store postgresql://user@host/lineage
    """
    with store_errors():
        store = Store(context.obj or default_url())
        store.migrate()
    click.echo(f"{store.shown_url} is up to date")


@db.command()
@click.option("--before", metavar="TIME", help="E.g. 2026-01-01 or now-90d.")
@click.option(
    "--reads-before",
    metavar="TIME",
    help="Delete who read tagged columns before TIME from the audit log, and nothing else of it.",
)
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    metavar="NS",
    help="With --before: only of jobs' outputs in this namespace of datasets; may be repeated.",
)
@store_option
@click.pass_context
def prune(
    context: click.Context,
    before: str | None,
    reads_before: str | None,
    namespaces: tuple[str, ...],
) -> None:
    """Delete what was reported before TIME; what lineage from TIME on needs is kept.

    With --reads-before old rows of `serve --audit-reads` are deleted, too, or only these.
    Servers and tasks go on meanwhile: each transaction is short. It can be stopped and run again.

    Example: colgraph db prune --before now-90d --reads-before now-400d
    """
    if before is None and reads_before is None:
        raise BadInput("Expected --before TIME, --reads-before TIME or both.")
    if namespaces and before is None:
        raise BadInput("--namespace needs --before TIME.")
    times = {"--before": before, "--reads-before": reads_before}
    with store_errors():
        ends = {name: clock.past(name, text) for name, text in times.items() if text}
        store = open_store(context)
        if "--before" in ends:
            _prune_lineage(store, ends["--before"], namespaces)
        if "--reads-before" in ends:
            count = prune_reads(store, ends["--reads-before"], login())
            click.echo(f"{count} audited reads deleted")


def _prune_lineage(store: Store, before: int, namespaces: tuple[str, ...]) -> None:
    with progress("outputs of jobs") as show:
        gone = prune_store(store, before, show, login(), namespaces)
    click.echo(
        f"{gone.runs} runs, {gone.occurrences} occurrences, {gone.lineage_bodies} lineage bodies "
        f"and {gone.edges} edges deleted"
    )


@db.command()
@click.option("--before", default="now-90d", show_default=True, metavar="TIME", help="See OLD.")
@row_format
@store_option
@click.pass_context
def size(context: click.Context, before: str, format_: str) -> None:
    """Show the space of each table with its indexes, the largest first.

    OLD are the rows from before TIME: `colgraph db prune --before TIME` deletes those that the
    latest lineage does not need. Of the audit log they are reads, for --reads-before.

    Example: colgraph db size --before now-180d
    """
    with store_errors():
        rows = [row._asdict() for row in sizes(open_store(context), clock.parse(before))]
    total = sum(row["bytes"] for row in rows)
    lines = (
        f"{row['bytes']:>16,}  {row['rows']:>14,}  {row['old_rows']:>12,}  {row['table']}"
        for row in rows
    )
    head = f"{'BYTES':>16}  {'ROWS':>14}  {'OLD':>12}  TABLE"
    print_rows(format_, TableSize._fields, rows, [head, *lines, f"{total:>16,}  in all"])


@db.command("keep-events")
@click.option("--off", is_flag=True, help="Stop storing whole events; stored ones are kept.")
@store_option
@click.pass_context
def keep_events(context: click.Context, off: bool) -> None:
    """Keep whole events too from now on, for `colgraph db events`.

    Example: colgraph db keep-events
    """
    with store_errors():
        open_store(context, create=True).keep_events(not off)
    click.echo(f"whole events are {'no longer ' if off else ''}stored from now on")


@db.command("events")
@click.argument("file", type=click.File("wb"), default="-")
@click.option("--start", default="0", metavar="TIME", help="Only events from TIME on.")
@click.option("--end", default="now+36500d", metavar="TIME", help="Only events before TIME.")
@store_option
@click.pass_context
def events_(context: click.Context, file: IO[bytes], start: str, end: str) -> None:
    """Write the whole events that the store kept to FILE, a line each, in the order of time.

    They are unchanged: `colgraph ingest` or any OpenLineage backend takes them.

    Example: colgraph db events --start now-7d events.jsonl
    """
    with store_errors():
        span = clock.parse(start), clock.parse(end)
        with open_store(context).connection() as connection:
            if next(event_archive.read(connection, limit=1), None) is None:
                raise BadInput("The store has no whole events. See `colgraph db keep-events`.")
            for event in event_archive.read(connection, *span):
                file.write(orjson.dumps(event) + b"\n")


@db.command("export")
@click.argument("file", type=click.File("wb"), default="-")
@store_option
@click.pass_context
def export_(context: click.Context, file: IO[bytes]) -> None:
    """Write the store's lineage to FILE (- or nothing: standard output) as lines of JSON.

    Whole events that the store keeps are included, API keys are not.

    Example: colgraph db export lineage.jsonl
    """
    with store_errors():
        store = open_store(context)
        file.writelines(export_store(store))
        keys = [key for key in every(store) if key.revoked_at is None]
    if keys:
        names = ", ".join(key.name for key in keys)
        click.echo(f"{len(keys)} API keys are not exported: {names}", err=True)


@db.command("import")
@click.argument("file", type=click.File("rb"))
@store_option
@click.pass_context
def import_(context: click.Context, file: IO[bytes]) -> None:
    """Add what `colgraph db export` wrote to the store; what is there already stays.

    Example: colgraph db import --store postgresql://user@host/lineage lineage.jsonl
    """
    with store_errors():
        count = load(open_store(context, create=True), file)
    if not count:
        raise BadInput(f"{file.name}: there are no rows, so nothing was added.")
    click.echo(f"{count} rows read")
