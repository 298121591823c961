"""`colgraph rerun`: run the tasks again whose inputs have changed, and only those."""

from __future__ import annotations

import click

from airflow_colgraph.check.clear import Airflow, RerunError
from airflow_colgraph.check.clear import rerun as run_again
from airflow_colgraph.check.rerun import Step
from airflow_colgraph.check.rerun_text import COLUMNS, lines, rows, warnings
from airflow_colgraph.check.task_runs import plan_of
from airflow_colgraph.cli.errors import Failed, print_warning
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option


@click.command()
@click.option(
    "--changed",
    metavar="DATASET.FIELD",
    multiple=True,
    required=True,
    help="A column that has changed; may be given again.",
)
@click.option("--namespace", default="", metavar="NS", help="The datasets' namespace.")
@click.option(
    "--since",
    metavar="TIME",
    help="Every run since TIME that used the changed values. Default: each task's latest DAG run.",
)
@click.option(
    "--interval",
    metavar="START/END",
    help="Only DAG runs whose data interval overlaps this one, e.g. 2026-11-01/2026-11-08.",
)
@click.option("--dry-run", is_flag=True, help="Only print the plan.")
@click.option(
    "--airflow",
    metavar="URL",
    help="Clear the tasks in the Airflow 3 at URL, a step at a time, waiting for each DAG run.",
)
@click.option(
    "--token",
    envvar="COLGRAPH_AIRFLOW_TOKEN",
    default="",
    help="Airflow's bearer token; preferably set COLGRAPH_AIRFLOW_TOKEN instead.",
)
@row_format
@store_option
@click.pass_context
def rerun(
    context: click.Context,
    changed: tuple[str, ...],
    namespace: str,
    since: str | None,
    interval: str | None,
    dry_run: bool,
    airflow: str | None,
    token: str,
    format_: str,
) -> None:
    """Run the tasks again that depend on changed columns, over all DAGs, and only those.

    By the lineage of the runs themselves, in the order in which they need each other. Tasks without
    lineage that come after an affected one in its DAG run are included.

    \b
    Example:
      colgraph rerun --changed /lake/orders.amount --since now-2d --dry-run
      colgraph rerun --changed /lake/orders.amount --interval 2026-11-01/2026-11-08 --dry-run
      colgraph rerun --changed /lake/orders.amount --airflow http://localhost:8080
    """
    if dry_run == bool(airflow):
        raise click.UsageError("Expected one of --dry-run and --airflow URL.")
    with store_errors(), open_store(context).connection() as connection:
        plan = plan_of(connection, changed, namespace, since, interval)
    print_rows(format_, COLUMNS, rows(plan), lines(plan))
    for text in warnings(plan):
        print_warning(text)
    if airflow:
        try:
            run_again(plan, Airflow(airflow, token), _tell)
        except RerunError as error:
            raise Failed(str(error)) from None


def _tell(number: int, step: Step) -> None:
    click.echo(f"step {number}: {step.dag_id} {step.run_id} is cleared", err=True)
