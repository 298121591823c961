"""`colgraph rerun`: the tasks that have to run again because columns have changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from airflow_colgraph.check.rerun import NO_LINEAGE, Plan
from airflow_colgraph.check.task_runs import rerun_plan
from airflow_colgraph.cli.errors import print_warning
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query.lookup import dotted_field

COLUMNS = ("step", "dag_id", "run_id", "task_id", "reason")


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
@click.option("--dry-run", is_flag=True, required=True, help="Only print the plan.")
@row_format
@store_option
@click.pass_context
def rerun(
    context: click.Context,
    changed: tuple[str, ...],
    namespace: str,
    since: str | None,
    dry_run: bool,
    format_: str,
) -> None:
    """Plan which tasks have to run again as columns have changed, over all DAGs.

    By the lineage of the runs themselves, in the order in which they need each other. Tasks without
    lineage that come after an affected one in its DAG run are included.

    Example: colgraph rerun --changed /lake/orders.amount --since now-2d --dry-run
    """
    with store_errors(), open_store(context).connection() as connection:
        fields = [dotted_field(connection, one, namespace) for one in changed]
        found = rerun_plan(connection, fields, None if since is None else clock.parse(since))
    print_rows(format_, COLUMNS, list(_rows(found)), _lines(found))
    for job in found.others:
        print_warning(f"{job} is affected and is no Airflow task: run it by other means.")
    for dag_id in found.unordered:
        print_warning(
            f"The order of the tasks of {dag_id} is not in the store, so their times stand for it; "
            "`colgraph db keep-events` keeps it."
        )


def _rows(found: Plan) -> Iterator[dict[str, Any]]:
    for number, step in enumerate(found.steps, 1):
        for task, reason in step.tasks:
            values = (number, step.dag_id, step.run_id, task, reason)
            yield dict(zip(COLUMNS, values, strict=True))


def _lines(found: Plan) -> Iterator[str]:
    for number, step in enumerate(found.steps, 1):
        yield f"{number}. {step.dag_id}  {step.run_id}"
        for task, reason in step.tasks:
            yield f"   {task}  {reason}"
    silent = [task for step in found.steps for task, why in step.tasks if why == NO_LINEAGE]
    without = f", {len(silent)} of them without lineage" if silent else ""
    tasks = f"{found.count} task{'' if found.count == 1 else 's'}{without}"
    yield f"{tasks}; clearing with downstream would take {found.downstream}."
