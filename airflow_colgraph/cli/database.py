"""`colgraph db`: the store's tables, its size, its keys."""

from __future__ import annotations

from typing import IO

import click

from airflow_colgraph.cli.keys import key
from airflow_colgraph.cli.store import opened, said
from airflow_colgraph.store import clock
from airflow_colgraph.store.retention import prune as prune_store
from airflow_colgraph.store.transfer import export as export_store
from airflow_colgraph.store.transfer import load


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
        f"{gone.runs} runs, {gone.occurrences} occurrences, {gone.shapes} lineage bodies "
        f"and {gone.edges} edges are gone"
    )


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
