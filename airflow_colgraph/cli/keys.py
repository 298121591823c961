"""`colgraph db key`: API keys of the REST API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.options import by_option, extra, login
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.run_tokens import new_key, public_key
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.grants import Limits

COLUMNS = (
    *("name", "scopes", "created_at", "expires_at", "revoked_at", "used_at"),
    *("namespaces", "rate", "max_body", "max_depth"),
)

expires_option = click.option(
    "--expires",
    metavar="TIME",
    help="When the key ends, e.g. 2027-01-01 or now+90d. Default: never.",
)


@click.group()
def key() -> None:
    """Create, list, rotate and revoke API keys for `colgraph serve`."""


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
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    metavar="PATTERN",
    help="A namespace of jobs and datasets that the key may write, or how it begins with a * at "
    "the end; may be repeated. Reading is not limited by it. Default: every namespace.",
)
@click.option(
    "--rate",
    type=click.IntRange(1),
    metavar="N",
    help="The maximum number of requests a minute. Default: that of the server.",
)
@click.option(
    "--max-body",
    type=click.IntRange(1),
    metavar="BYTES",
    help="The maximum size of a request's body, unpacked. Default: that of the server.",
)
@click.option(
    "--max-depth",
    type=click.IntRange(1),
    metavar="HOPS",
    help="The maximum `depth` of a question. Default: that of the server.",
)
@expires_option
@by_option
@store_option
@click.pass_context
def add(
    context: click.Context,
    name: str,
    scopes: tuple[str, ...],
    namespaces: tuple[str, ...],
    rate: int | None,
    max_body: int | None,
    max_depth: int | None,
    expires: str | None,
    by: str | None,
) -> None:
    """Create a key called NAME and print it; it is shown only once.

    The audit log has a row, without the key (see `colgraph audit`).

    Example: colgraph db key add airflow --scope sign
    """
    if api_keys.SIGN in scopes and set(scopes) != {api_keys.SIGN}:
        raise BadInput("A key of the scope 'sign' has no other. Create another key for them.")
    with store_errors():
        limits = Limits(rate, max_body, max_depth)
        end = clock.parse_given(expires)
        store = open_store(context, create=True)
        who = by or login()
        if api_keys.SIGN not in scopes:
            click.echo(api_keys.add(store, name, scopes, end, namespaces, limits, who))
            return
        key, public = _signing_key()
        api_keys.add_signer(store, name, public, end, namespaces, limits, who)
        click.echo(key)


@key.command()
@click.argument("name")
@click.option(
    "--until",
    default="now+7d",
    show_default=True,
    metavar="TIME",
    help="How long the former key stays valid beside the new one.",
)
@expires_option
@by_option
@store_option
@click.pass_context
def rotate(
    context: click.Context, name: str, until: str, expires: str | None, by: str | None
) -> None:
    """Create another key called NAME with the same scopes and print it; it is shown only once.

    The former key stays valid for a while, so that its users change to the new one without a gap.
    It is listed, and can be revoked, as `NAME (created TIME)`.

    Example: colgraph db key rotate airflow --until now+1d
    """
    with store_errors():
        rest = clock.parse(until), clock.parse_given(expires), by or login()
        store = open_store(context)
        if not api_keys.is_signing(store, name):
            click.echo(api_keys.rotate(store, name, *rest))
            return
        key, public = _signing_key()
        api_keys.rotate_signer(store, name, public, *rest)
        click.echo(key)


def _signing_key() -> tuple[str, bytes]:
    """A new key and its public half."""
    with extra("api", "Signing"):
        key = new_key()
        return key, public_key(key)


@key.command("list")
@row_format
@store_option
@click.pass_context
def list_keys(context: click.Context, format_: str) -> None:
    """List the keys: name, scopes, validity, last use, namespaces and limits.

    Example: colgraph db key list
    """
    with store_errors():
        keys = api_keys.every(open_store(context))
    rows = [_row(key) for key in keys]
    lines = ("  ".join(filter(None, _parts(key))) for key in keys)
    print_rows(format_, COLUMNS, rows, lines)


def _row(key: api_keys.Key) -> dict[str, Any]:
    limits = {
        "rate": key.limits.rate,
        "max_body": key.limits.body,
        "max_depth": key.limits.depth,
    }
    namespaces = None if key.namespaces is None else list(key.namespaces)
    row = {**key._asdict(), **limits, "scopes": list(key.scopes), "namespaces": namespaces}
    return {column: row[column] for column in COLUMNS}


def _parts(key: api_keys.Key) -> Iterator[str]:
    yield key.name
    yield " ".join(key.scopes)
    yield _validity(key)
    yield f"used {key.used_at}" if key.used_at else "never used"
    if key.namespaces is not None:
        yield f"writes {' '.join(key.namespaces) or 'nothing'}"
    yield f"{key.limits.rate} requests a minute" if key.limits.rate else ""
    yield f"bodies of {key.limits.body} bytes" if key.limits.body else ""
    yield f"depth {key.limits.depth}" if key.limits.depth else ""


def _validity(key: api_keys.Key) -> str:
    if key.revoked_at:
        return f"revoked {key.revoked_at}"
    return f"valid until {key.expires_at}" if key.expires_at else "valid"


@key.command()
@click.argument("name")
@by_option
@store_option
@click.pass_context
def revoke(context: click.Context, name: str, by: str | None) -> None:
    """Revoke the key called NAME.

    Example: colgraph db key revoke airflow
    """
    with store_errors():
        api_keys.revoke(open_store(context), name, by or login())
