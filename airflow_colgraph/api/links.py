"""Addresses of task instances in Airflow's own pages. Pure."""

from __future__ import annotations

from urllib.parse import quote


def task_instance(
    airflow: str, dag_id: str, run_id: str, task_id: str, map_index: int | None = None
) -> str:
    """The page of a task instance; `airflow` is Airflow's address, or the path that it is below.

    >>> task_instance("https://host/team", "shop", "manual__2026-11-20T12:00:00+00:00", "mart", 3)
    'https://host/team/dags/shop/runs/manual__2026-11-20T12%3A00%3A00%2B00%3A00/tasks/mart/mapped/3'
    """
    dag, run, task = (quote(part, safe="") for part in (dag_id, run_id, task_id))
    mapped = "" if map_index is None or map_index < 0 else f"/mapped/{map_index}"
    return f"{airflow.rstrip('/')}/dags/{dag}/runs/{run}/tasks/{task}{mapped}"
