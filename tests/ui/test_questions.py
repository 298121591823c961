"""The owners' questions on the page, in a real browser."""

from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.store.store import Store
from dev import build_ui
from tests.cli.test_serve import serving
from tests.store.samples import copy_event, event, output, run_id
from tests.ui.conftest import Browse

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]


def log() -> list[dict[str, Any]]:
    """Customers whose e-mail addresses are copied on, and a total whose source changes.

    It does at minute 30. Nobody knows which columns `crm.backup` uses.
    """
    names = ("id", "email", "country", "phone")
    about = {"symlinks": {"identifiers": [{"namespace": "n", "name": "crm.customers"}]}}
    customers = output(
        "/lake/customers", {name: f"/landing/customers.csv.{name}" for name in names}, **about
    )
    mailing = {
        "address": "/lake/customers.email",
        "hash": "/lake/customers.email DIRECT:TRANSFORMATION:masking",
        "domain": "/lake/customers.email DIRECT:TRANSFORMATION",
    }
    events = [
        event("crm.load", 1, [customers]),
        copy_event("crm.mailing", 5, "/lake/mailing", mailing),
        copy_event("crm.export", 8, "/export/newsletter", {"to": "/lake/mailing.address"}),
        event("crm.backup", 9, [output("/backup/customers")], reads=["/lake/customers"]),
    ]
    for number, minute, type_, source in ((1, 10, "int", "net"), (2, 30, "double", "gross")):
        orders = {"id": "/landing/orders.csv.id", "amount": f"/landing/orders.csv.{source}"}
        revenue = {
            "country": "/lake/customers.country",
            "total": "/lake/orders.amount DIRECT:AGGREGATION",
        }
        keys = "/lake/customers.id INDIRECT:JOIN, /lake/orders.id INDIRECT:JOIN"
        for job, later, made in (
            (
                "load",
                0,
                output("/lake/orders", orders, schema=typed({"id": "int", "amount": type_})),
            ),
            (
                "revenue",
                5,
                output(
                    "/mart/revenue",
                    revenue,
                    keys,
                    schema=typed({"country": "string", "total": type_}),
                ),
            ),
        ):
            one = event(f"shop.{job}", minute + later, [made], **of_task(job, number))
            events.append(one)
    return events


def typed(types: dict[str, str]) -> dict[str, Any]:
    """A schema."""
    return {"fields": [{"name": name, "type": type_} for name, type_ in types.items()]}


def of_task(task: str, number: int) -> dict[str, Any]:
    """The run facets of a task of the DAG `shop`."""
    return {
        "airflow": {
            "dag": {"dag_id": "shop"},
            "dagRun": {"run_id": f"manual__{number}"},
            "task": {"task_id": task},
            "taskInstance": {"try_number": 1},
        },
        "parent": {
            "run": {"runId": run_id(1000 + number)},
            "job": {"namespace": "jobs", "name": "shop"},
        },
    }


def test_the_questions_in_a_browser(tmp_path: Path, browse: Browse) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    store = Store.open(url)
    store.add(log())
    store.close()
    build_ui.build()
    with serving(url, "--airflow", "http://airflow.test") as (address, _):
        assert browse("questions.mjs", COLGRAPH_ADDRESS=address) == 7
