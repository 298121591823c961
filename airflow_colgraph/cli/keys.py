"""`colgraph db key`: API keys of the REST API."""

from __future__ import annotations

import click

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.run_tokens import new_key, public_key
from airflow_colgraph.store.admin import api_keys


@click.group()
def key() -> None:
    """Create, list and revoke API keys for `colgraph serve`."""


@key.command()
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice((*api_keys.SCOPES, api_keys.SIGN)),
    default=("read",),
    show_default=True,
    help="What the key allows; may be repeated. A key of the scope sign is for Airflow's "
    "[colgraph] sink_key: it signs tokens, each for the events of one run.",
)
@store_option
@click.pass_context
def add(context: click.Context, name: str, scopes: tuple[str, ...]) -> None:
    """Create a key called NAME and print it; it is shown only once.

    Example: colgraph db key add airflow --scope sign
    """
    if api_keys.SIGN in scopes and set(scopes) != {api_keys.SIGN}:
        raise BadInput("A key of the scope 'sign' has no other. Create another key for them.")
    with store_errors():
        store = open_store(context, create=True)
        if api_keys.SIGN not in scopes:
            click.echo(api_keys.add(store, name, scopes))
            return
        key, public = _signing_key()
        api_keys.add_signer(store, name, public)
        click.echo(key)


def _signing_key() -> tuple[str, bytes]:
    """A new key and its public half."""
    try:
        key = new_key()
        return key, public_key(key)
    except ImportError as error:
        raise BadInput(
            f"Signing needs the extra 'api' ({error}): pip install 'colgraph[api]'."
        ) from None


@key.command("list")
@row_format
@store_option
@click.pass_context
def list_keys(context: click.Context, format_: str) -> None:
    """List the keys' names and scopes.

    Example: colgraph db key list
    """
    with store_errors():
        keys = api_keys.every(open_store(context))
    rows = [{"name": o.name, "scopes": list(o.scopes), "revoked_at": o.revoked_at} for o in keys]
    lines = (
        f"{key.name}  {' '.join(key.scopes)}  "
        f"{f'revoked {key.revoked_at}' if key.revoked_at else 'valid'}"
        for key in keys
    )
    print_rows(format_, ("name", "scopes", "revoked_at"), rows, lines)


@key.command()
@click.argument("name")
@store_option
@click.pass_context
def revoke(context: click.Context, name: str) -> None:
    """Revoke the key called NAME.

    Example: colgraph db key revoke airflow
    """
    with store_errors():
        api_keys.revoke(open_store(context), name)
