"""`colgraph db key`: who may use the REST API from other machines."""

from __future__ import annotations

import click

from airflow_colgraph.cli.store import opened, said
from airflow_colgraph.store.admin import api_keys


@click.group()
def key() -> None:
    """Make, list and revoke API keys for `colgraph serve`."""


@key.command()
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(api_keys.SCOPES),
    default=("read",),
    show_default=True,
    help="What the key allows; may be given twice.",
)
@click.pass_context
def add(context: click.Context, name: str, scopes: tuple[str, ...]) -> None:
    """Make a key called NAME and print it: it is shown only now.

    Example: colgraph db key add airflow --scope ingest
    """
    with said():
        click.echo(api_keys.add(opened(context), name, scopes))


@key.command("list")
@click.pass_context
def list_keys(context: click.Context) -> None:
    """List the keys' names and scopes.

    Example: colgraph db key list
    """
    with said():
        for one in api_keys.every(opened(context)):
            state = f"revoked {one.revoked_at}" if one.revoked_at else "valid"
            click.echo(f"{one.name}  {' '.join(one.scopes)}  {state}")


@key.command()
@click.argument("name")
@click.pass_context
def revoke(context: click.Context, name: str) -> None:
    """Make the key called NAME useless.

    Example: colgraph db key revoke airflow
    """
    with said():
        api_keys.revoke(opened(context), name)
