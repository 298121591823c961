"""`colgraph serve`: the REST API (and the page) over the store."""

from __future__ import annotations

import gc
import ipaddress
import sys

import click

from airflow_colgraph.cli.store import opened, said


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option("--keys", is_flag=True, help="Ask for API keys on this machine too.")
@click.option(
    "--rate",
    type=click.IntRange(1),
    metavar="N",
    help="Requests that a key (without keys: an address) may send in a minute; more get 429. "
    "6000 if keys are asked for, else as many as one likes.",
)
@click.option(
    "--airflow",
    envvar="COLGRAPH_AIRFLOW",
    metavar="URL",
    help="Airflow's address, for links to the tasks that ran. Also: COLGRAPH_AIRFLOW.",
)
@click.pass_context
def serve(
    context: click.Context,
    host: str,
    port: int,
    keys: bool,
    rate: int | None,
    airflow: str | None,
) -> None:
    """Serve the store over REST until interrupted.

    On a loopback address nobody is asked who they are; elsewhere every request needs an API key
    (see `colgraph db key add --help`).

    Example: colgraph --store sqlite:///lineage.db serve --port 8765
    """
    try:
        import uvicorn

        from airflow_colgraph.api.access import everyone
        from airflow_colgraph.api.api_key_auth import require_api_key
        from airflow_colgraph.api.app import create_app
        from airflow_colgraph.api.rate_limit import PER_MINUTE, rate_limited
    except ImportError as error:
        click.echo(
            f"colgraph: serving needs the extra 'api' ({error}): "
            "pip install 'airflow-colgraph[api]'.",
            err=True,
        )
        sys.exit(2)
    with said():
        store = opened(context)
        guarded = keys or not is_loopback(host)
        authorize = require_api_key(store) if guarded else everyone
        if guarded or rate:
            authorize = rate_limited(authorize, rate or PER_MINUTE)
        app = create_app(store, authorize, airflow)
        where = store.engine.url.render_as_string(hide_password=True)
    # What the server remembers is no garbage: to look through it again and again takes more time
    # than to answer.
    gc.set_threshold(100_000, 50, 100)
    shown = f"[{host}]" if ":" in host else host
    who = "with API keys" if guarded else "without API keys, for this machine only"
    click.echo(f"colgraph serves {where} on http://{shown}:{port} {who}", err=True)
    uvicorn.run(app, host=host, port=port, log_level="warning", server_header=False)
