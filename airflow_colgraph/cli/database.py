"""`colgraph db`: the store's tables, its size, its keys."""

from __future__ import annotations

from typing import IO

import click
import orjson

from airflow_colgraph.cli.keys import key
from airflow_colgraph.cli.store import opened, said
from airflow_colgraph.store.admin.retention import prune as prune_store
from airflow_colgraph.store.admin.transfer import export as export_store
from airflow_colgraph.store.admin.transfer import load
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query import event_archive


@click.group()
def db() -> None:
    """Look after the store's database.

    The store is --store, else COLGRAPH_STORE, else `[colgraph] store` of Airflow's configuration,
    else the SQLite file ~/.colgraph/colgraph.db.
    """


db.add_command(key)


@db.command()
@click.pass_context
def migrate(context: click.Context) -> None:
    """Make the store's tables, or bring them to this version.

    Example: colgraph --store postgresql://user@host/lineage db migrate
    """
    with said():
        store = opened(context)
    click.echo(f"{store.engine.url.render_as_string(hide_password=True)} is up to date")


@db.command()
@click.option("--before", required=True, metavar="TIME", help="E.g. 2026-01-01 or now-90d.")
@click.pass_context
def prune(context: click.Context, before: str) -> None:
    """Forget what was said before TIME; what the latest lineage needs stays.

    Example: colgraph db prune --before now-90d
    """
    with said():
        gone = prune_store(opened(context), clock.parse(before))
    click.echo(
        f"{gone.runs} runs, {gone.occurrences} occurrences, {gone.lineage_bodies} lineage bodies "
        f"and {gone.edges} edges are gone"
    )


@db.command("keep-events")
@click.option("--off", is_flag=True, help="No longer; those that are there stay.")
@click.pass_context
def keep_events(context: click.Context, off: bool) -> None:
    """Keep whole events too from now on, so that `colgraph db events` can give them back.

    Example: colgraph db keep-events
    """
    with said():
        opened(context).keep_events(not off)
    click.echo(f"whole events are {'no longer ' if off else ''}kept from now on")


@db.command("events")
@click.argument("file", type=click.File("wb"), default="-")
@click.option("--start", default="0", metavar="TIME", help="Only events from TIME on.")
@click.option("--end", default="now+36500d", metavar="TIME", help="Only events before TIME.")
@click.pass_context
def events_(context: click.Context, file: IO[bytes], start: str, end: str) -> None:
    """Write the whole events that the store kept to FILE, a line each, in the order of time.

    They are as they came: `colgraph ingest` or any OpenLineage backend takes them.

    Example: colgraph db events --start now-7d events.jsonl
    """
    with said():
        span = clock.parse(start), clock.parse(end)
        with opened(context).connection() as connection:
            for event in event_archive.read(connection, *span):
                file.write(orjson.dumps(event) + b"\n")


@db.command("export")
@click.argument("file", type=click.File("wb"), default="-")
@click.pass_context
def export_(context: click.Context, file: IO[bytes]) -> None:
    """Write the whole store to FILE (- or nothing: standard output) as lines of JSON.

    Example: colgraph db export lineage.jsonl
    """
    with said():
        file.writelines(export_store(opened(context)))


@db.command("import")
@click.argument("file", type=click.File("rb"))
@click.pass_context
def import_(context: click.Context, file: IO[bytes]) -> None:
    """Add what `colgraph db export` wrote to the store; what is there already stays.

    Example: colgraph --store postgresql://user@host/lineage db import lineage.jsonl
    """
    with said():
        count = load(opened(context), file)
    click.echo(f"{count} rows read")
