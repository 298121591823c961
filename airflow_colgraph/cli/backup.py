"""`colgraph db backup` and `colgraph db restore`."""

from __future__ import annotations

from pathlib import Path

import click

from airflow_colgraph.cli.options import FILE
from airflow_colgraph.cli.progress import progress
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.store.admin.backup import PARTS, back_up
from airflow_colgraph.store.admin.backup import restore as restore_store

without_option = click.option(
    "--without",
    multiple=True,
    type=click.Choice(sorted(PARTS)),
    help="Leave out API keys, or whole events that were kept; may be repeated.",
)


@click.command()
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


@click.command()
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
