"""`colgraph retire`: end the lineage of jobs that will not run again."""

from __future__ import annotations

import click

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.options import by_option, login
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.store.admin.retire import reinstate
from airflow_colgraph.store.admin.retire import retire as retire_jobs
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query import selected


@click.command()
@click.option("--dag", metavar="ID", help="All jobs of a DAG.")
@click.option("--job", metavar="NAME", help="One job; --namespace is its namespace.")
@click.option("--namespace", metavar="NS", help="The namespace of --job.")
@click.option("--at", default="now", show_default=True, metavar="TIME", help="When they ended.")
@click.option("--undo", is_flag=True, help="Let the lineage of retired jobs hold again.")
@by_option
@store_option
@click.pass_context
def retire(
    context: click.Context,
    dag: str | None,
    job: str | None,
    namespace: str | None,
    at: str,
    undo: bool,
    by: str | None,
) -> None:
    """End the lineage of a deleted DAG's or of another job's from a time on.

    Questions about earlier times have the same answers as before. A retired job that runs again
    goes on as if it had not been retired. The audit log has a row (see `colgraph audit`).

    Example: colgraph retire --dag daily_report --at 2026-11-01
    """
    if (dag is None) == (job is None) or (job is None) != (namespace is None):
        raise BadInput("Expected --dag ID, or --namespace NS and --job NAME.")
    with store_errors():
        when = clock.past("--at", at)  # edges that have an end hold no longer
        store = open_store(context)
        with store.connection() as connection:
            if job is not None:
                what = selected.of_job(connection, str(namespace), job)
            else:
                what = selected.of_dag(connection, str(dag))
        who = by or login()
        if undo:
            count, verb = reinstate(store, what, who), "reinstated"
        else:
            count, verb = retire_jobs(store, what, when, who), "retired"
    state = "hold again" if undo else "ended"
    click.echo(f"{verb}: {what.asked}, {len(what.jobs)} jobs, {count} edges {state}")
