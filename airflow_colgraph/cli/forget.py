"""`colgraph forget` and `colgraph audit`: delete what must not be kept, and who did what."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click
from sqlalchemy.engine import Connection

from airflow_colgraph import delivery
from airflow_colgraph.cli.errors import BadInput, print_warning
from airflow_colgraph.cli.options import by_option, login
from airflow_colgraph.cli.progress import progress
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.spools import open_spool
from airflow_colgraph.store.admin import audit as log
from airflow_colgraph.store.admin import forget as admin
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.redact_body import mentions
from airflow_colgraph.store.model.selection import Selection
from airflow_colgraph.store.query import selected

Select = Callable[[Connection], Selection]


@click.command()
@click.option("--dataset", metavar="NAME", help="A dataset, under all its names.")
@click.option("--namespace", metavar="NS", help="All datasets and jobs of NS, or that of the name.")
@click.option("--job", metavar="NAME", help="A job, with all its runs.")
@click.option("--run", metavar="ID", help="One run, by its UUID.")
@click.option(
    "--match-column-text",
    "text",
    metavar="TEXT",
    help="TEXT in expressions, descriptions and facets: each text that has it is hidden.",
)
@by_option
@click.option("--yes", is_flag=True, help="Do it. Without it only the plan is printed.")
@store_option
@click.pass_context
def forget(
    context: click.Context,
    dataset: str | None,
    namespace: str | None,
    job: str | None,
    run: str | None,
    text: str | None,
    by: str | None,
    yes: bool,
) -> None:
    """Delete a dataset, job, run, namespace or text from the store: its lineage too.

    First the plan: how much would be deleted, and what else may hold it. With --yes it is done, and
    the audit log has a row (see `colgraph audit`). What other jobs reported of a dataset is removed
    from their lineage, and their edges are derived again.

    Servers and tasks go on meanwhile: each transaction is short. It can be stopped and run again.

    Example: colgraph forget --namespace s3://lake --dataset mart/customers
    """
    select, words = _selection(dataset, namespace, job, run, text)
    with store_errors():
        store = open_store(context)
        with store.connection() as connection:
            what = select(connection)
        if yes:
            with progress("rows") as show:
                done = admin.forget(store, what, by or login(), show)
            click.echo(f"forgotten: {done.text}")
        else:
            click.echo(f"would be forgotten: {admin.plan(store, what).text}")
    _print_spooled(delivery.configured_spool(), words)
    click.echo(
        "not touched: sinks of jobs, backups, warehouses, and other catalogs to which the store"
        " was exported"
    )
    if not yes:
        click.echo("nothing is changed; run it again with --yes")


def _print_spooled(uri: str, word: str) -> None:
    """Say how many events in the spool name it."""
    try:
        spool = open_spool(uri)
        files = spool.kept()
        waiting = sum(
            _has(content, word)
            for start in range(0, len(files), delivery.BATCH)
            for content in spool.read(files[start : start + delivery.BATCH])
        )
    except OSError as error:
        print_warning(f"the spool is not looked at: {error}")
        return
    if waiting:
        click.echo(
            f"not touched: {waiting} events in the spool {spool.name} name it; remove them there"
        )


def _selection(
    dataset: str | None,
    namespace: str | None,
    job: str | None,
    run: str | None,
    text: str | None,
) -> tuple[Select, str]:
    """What is asked for, and the word that names it in events."""
    wanted = [
        (name, select)
        for name, select in (
            (dataset, selected.of_dataset),
            (job, selected.of_job),
        )
        if name is not None
    ]
    others: list[tuple[str, Select]] = []
    if run is not None:
        others.append((run, partial(selected.of_run, run=run)))
    if text is not None:
        others.append((text, partial(selected.of_text, text=text)))
    if namespace is not None and not wanted:
        others.append((namespace, partial(selected.of_namespace, namespace=namespace)))
    for name, of_named in wanted:
        others.append((name, partial(of_named, namespace=namespace or "", name=name)))
    if len(others) != 1:
        raise BadInput(
            "Expected one of --dataset, --namespace, --job, --run and --match-column-text; "
            "--namespace may also go with --dataset or --job."
        )
    ((word, chosen),) = others
    return chosen, word


def _has(content: bytes | None, word: str) -> bool:
    return any(mentions(event, word) for event in delivery.reading_of(content).events)


@click.command()
@click.option("--start", default="0", metavar="TIME", help="Only from TIME on, e.g. now-90d.")
@click.option(
    "--action",
    "kinds",
    multiple=True,
    metavar="ACTION",
    help="Only rows of this action, e.g. forget, tags-add or read; may be given again.",
)
@row_format
@store_option
@click.pass_context
def audit(context: click.Context, start: str, kinds: tuple[str, ...], format_: str) -> None:
    """List who forgot, retired, pruned, changed tags or keys, or read tagged columns.

    Reads are listed of servers with --audit-reads; see docs/security.md.

    Example: colgraph audit --start now-90d --action read
    """
    with store_errors(), open_store(context).connection() as connection:
        actions = log.read(connection, clock.parse(start), kinds)
    rows: list[dict[str, Any]] = [action._asdict() for action in actions]
    lines = (f"{a.at}  {a.by}  {a.action} {a.subject}: {a.result}" for a in actions)
    print_rows(format_, log.Action._fields, rows, lines)
