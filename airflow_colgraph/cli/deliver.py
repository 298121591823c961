"""`colgraph deliver`: the events of a spool, into the store or to a server."""

from __future__ import annotations

import sys

import click

from airflow_colgraph import delivery
from airflow_colgraph.cli.errors import BadInput, print_error, print_warning
from airflow_colgraph.cli.spool_access import spool_errors
from airflow_colgraph.cli.store_access import store_errors, store_option
from airflow_colgraph.collector.sinks.sink import without_userinfo
from airflow_colgraph.collector.sinks.token import VARIABLE, bearer_token
from airflow_colgraph.delivery import Report, Target
from airflow_colgraph.spools import open_spool
from airflow_colgraph.store.default_url import configured_url, default_url
from airflow_colgraph.store.store import Store


@click.command()
@click.argument("spool", required=False)
@click.option(
    "--to",
    "url",
    metavar="URL",
    help="An http(s) address that takes OpenLineage events. Default: the store.",
)
@click.option(
    "--token-file",
    default="",
    metavar="FILE",
    help=f"The file with the server's token. Default: the environment variable {VARIABLE}.",
)
@click.option(
    "--patience",
    type=click.FloatRange(0),
    default=delivery.PATIENCE,
    show_default=True,
    metavar="SECONDS",
    help="How long the same event is tried again while the store or the server is away.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
@store_option
@click.pass_context
def deliver(
    context: click.Context,
    spool: str | None,
    url: str | None,
    token_file: str,
    patience: float,
    quiet: bool,
) -> None:
    """Deliver the events in the folder SPOOL, the oldest first, and remove them from it.

    SPOOL is where tasks and drivers keep events that the store or the server did not take: a folder
    of this machine, or any URL of fsspec's, e.g. s3://lake/colgraph-spool. Default: `[colgraph]
    spool` of Airflow's configuration, else colgraph-spool in AIRFLOW_HOME.

    An event that is refused for what it is goes to the folder `refused` in SPOOL, with the answer
    beside it. The exit code is 0 if all others are delivered, also if there are none, and 1 if some
    are left: run the command again, e.g. every minute.

    Example: colgraph deliver --store postgresql://user@host/lineage /mnt/shared/colgraph-spool
    """
    with spool_errors():
        folder = open_spool(spool or delivery.configured_spool())
        if not folder.exists():
            if spool:
                raise BadInput(f"{folder.name} is no folder.")
            click.echo(f"there is no spool {folder.name}, so nothing waits")
            return
        with store_errors():
            target = _target(context, url, token_file)
            report = delivery.deliver(folder, target, patience=patience)
        count = folder.dropped()
    if count:
        print_warning(f"{count} events were dropped as the spool was full; see dropped.log there.")
    _print(report, folder.name, quiet)
    sys.exit(1 if report.left else 0)


def _target(context: click.Context, url: str | None, token_file: str) -> Target:
    """What takes the events."""
    if url is None:
        store = Store(context.obj or default_url(), seconds=delivery.STORE_SECONDS)
        if not (context.obj or configured_url()):
            print_warning(f"no store is configured, so the events go to {store.shown_url}.")
        return delivery.into_store(store)
    if not url.startswith(("http://", "https://")):
        raise BadInput(
            f"--to {without_userinfo(url)} is no http(s) address. Expected e.g. "
            "https://lineage.example.org/api/v1/lineage; for a database use --store."
        )
    return delivery.to_server(url, bearer_token(token_file, ""))


def _print(report: Report, name: str, quiet: bool) -> None:
    if not quiet:
        refused = f", {report.refused} refused: see {name}/refused" if report.refused else ""
        click.echo(f"{report.delivered} events delivered{refused}")
    if report.left:
        print_error(f"{report.left} files are left in {name}: {report.why}.")
