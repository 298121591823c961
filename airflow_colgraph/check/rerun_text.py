"""The plan of a rerun for people and for programs. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from airflow_colgraph.check.rerun import NO_LINEAGE, Plan

SHOWN = 10  # jobs in a warning
COLUMNS = ("step", "dag_id", "run_id", "task_id", "reason")


def rows(plan: Plan) -> list[dict[str, Any]]:
    """A row for each task, in order, with the number of its step."""
    return [
        dict(zip(COLUMNS, (number, step.dag_id, step.run_id, task, reason), strict=True))
        for number, step in enumerate(plan.steps, 1)
        for task, reason in step.tasks
    ]


def lines(plan: Plan) -> Iterator[str]:
    """The steps with their tasks, then how many there are; or that there are none."""
    for number, step in enumerate(plan.steps, 1):
        yield f"{number}. {step.dag_id}  {step.run_id}"
        for task, reason in step.tasks:
            yield f"   {task}  {reason}"
    if not plan.steps:
        of_interval = " of a DAG run of this data interval" if plan.left_out is not None else ""
        yield f"No task{of_interval or ' in the store'} has used these columns."
        return
    silent = [task for step in plan.steps for task, why in step.tasks if why == NO_LINEAGE]
    without = f", {len(silent)} of them without lineage" if silent else ""
    tasks = f"{_counted(plan.count, 'task')}{without}"
    yield f"{tasks}; clearing with downstream would take {plan.downstream}."


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def warnings(plan: Plan) -> Iterator[str]:
    """What the plan cannot do, or is not sure of."""
    if plan.others:
        names = ", ".join(plan.others[:SHOWN])
        more = f" and {len(plan.others) - SHOWN} more" if plan.others[SHOWN:] else ""
        are = "is affected and is no Airflow task: run it"
        if len(plan.others) > 1:
            are = "are affected and are no Airflow tasks: run them"
        yield f"{names}{more} {are} by other means."
    if plan.left_out:
        yield (
            f"{_counted(plan.left_out, 'DAG run')} of other data intervals, or that read what "
            "those wrote, used the values, too, and will not run again."
        )
    if plan.without_interval:
        yield f"The plan has {_counted(plan.without_interval, 'DAG run')} without a data interval."
    for dag_id in plan.unordered:
        yield (
            f"The order of the tasks of {dag_id} is not in the store, so their times stand for it; "
            "`colgraph db keep-events` keeps it."
        )
