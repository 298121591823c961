"""Three DAGs of twenty tasks as events of what ran, with the tasks' order."""

from __future__ import annotations

import uuid
from typing import Any

from tests.store.samples import at, copy_event, event

# DAG -> task -> (tasks before it, the dataset that it writes, its columns, what affects rows).
# No dataset: a task without lineage.
FLOW: dict[str, dict[str, tuple[str, str, dict[str, str], str]]] = {
    "ingest": {
        "orders": ("", "orders", {"id": "csv.id", "amount": "csv.amount", "day": "csv.day"}, ""),
        "clients": ("", "clients", {"id": "crm.id", "mail": "crm.mail", "land": "crm.land"}, ""),
        "prices": ("", "prices", {"id": "feed.id", "price": "feed.price"}, ""),
        "typed_orders": ("orders", "typed", {"id": "orders.id", "amount": "orders.amount"}, ""),
        "check_orders": ("typed_orders", "", {}, ""),
        "days": ("orders", "days", {"day": "orders.day"}, ""),
        "notify": ("check_orders days clients", "", {}, ""),
    },
    "mart": {
        "wide": (
            "",
            "wide",
            {"id": "typed.id", "amount": "typed.amount", "land": "clients.land"},
            "clients.id INDIRECT:JOIN",
        ),
        "by_land": ("wide", "by_land", {"land": "wide.land", "total": "wide.amount"}, ""),
        "by_day": ("", "by_day", {"day": "days.day"}, ""),
        "mails": ("", "mails", {"mail": "clients.mail"}, ""),
        "margins": ("", "margins", {"id": "prices.id", "margin": "prices.price"}, ""),
        "publish": ("by_land", "", {}, ""),
        "audit": ("mails", "", {}, ""),
    },
    "report": {
        "daily": ("", "daily", {"total": "by_land.total"}, ""),
        "filtered": ("", "filtered", {"id": "margins.id"}, "by_day.day INDIRECT:FILTER"),
        "letters": ("", "letters", {"mail": "mails.mail"}, ""),
        "dashboard": ("daily filtered", "board", {"total": "daily.total", "id": "filtered.id"}, ""),
        "print": ("letters", "", {}, ""),
        "archive": ("dashboard", "", {}, ""),
    },
}


def behind(dag: str, task: str) -> list[str]:
    """The tasks right after a task."""
    return [name for name, (before, *_) in FLOW[dag].items() if task in before.split()]


def events(day: int = 0) -> list[dict[str, Any]]:
    """A run of each DAG, one after the other, a task a minute."""
    found = []
    for number, (dag, tasks) in enumerate(FLOW.items()):
        for place, (task, (_, dataset, columns, rows)) in enumerate(tasks.items()):
            minute = 1 + day * 1440 + number * 100 + place
            facets = airflow(dag, task, f"run_{day}")
            if dataset:
                one = copy_event(f"{dag}.{task}", minute, dataset, columns, dataset=rows, **facets)
            else:
                one = event(f"{dag}.{task}", minute, [], **facets)
            found.append(one)
        found.append(dag_run(dag, day, 1 + day * 1440 + number * 100 + 50))
    return found


def airflow(dag: str, task: str, run: str) -> dict[str, Any]:
    """The facets of a run of one of these tasks."""
    return task_facets(dag, task, run, behind(dag, task))


def task_facets(
    dag: str, task: str, run: str, behind: list[str], parent_id: str = ""
) -> dict[str, Any]:
    """The facets of a task's run."""
    return {
        "airflow": {
            "dag": {"dag_id": dag},
            "dagRun": {"run_id": run},
            "task": {"task_id": task, "downstream_task_ids": str(behind)},
            "taskInstance": {"try_number": 1},
        },
        "parent": {
            "run": {"runId": parent_id or parent(dag, run)},
            "job": {"namespace": "jobs", "name": dag},
        },
    }


def parent(dag: str, run: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{dag} {run}"))


def dag_run(dag: str, day: int, minute: int) -> dict[str, Any]:
    """The end of a DAG run."""
    return {
        "eventType": "COMPLETE",
        "eventTime": at(minute),
        "run": {"runId": parent(dag, f"run_{day}"), "facets": {}},
        "job": {"namespace": "jobs", "name": dag},
    }
