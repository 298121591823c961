"""dbt on DuckDB between two Spark jobs, by a real scheduler: one answer crosses all three."""

# ruff: noqa: E501 -- an answer as it is printed

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.exports.formats.text_tree import text_tree
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from dev.demo_airflow import Airflow, environment
from tests.airflow.ran import store_url, transport, wait_for_end

pytestmark = [pytest.mark.airflow, pytest.mark.neighbours, pytest.mark.xdist_group("airflow")]

ROOT = Path(__file__).parents[2]
DBT = ROOT / ".venvs/dbt/bin"
HERE = Path(__file__).parent
LANDING = {
    "customers": [{"id": 1, "name": "Ada Lovelace"}, {"id": 2, "name": "Alan Turing"}],
    "orders": [{"id": 7, "customer": 1, "placed_at": "2026-11-20 10:00:00", "status": "paid"}],
    "payments": [{"id": 9, "order_id": 7, "method": "card", "euros": 12.5}],
}
ANSWER = """\
file report: value
└─ duckdb://shop.duckdb shop.main.customers: lifetime_value  DIRECT IDENTITY  <shop.report>
   └─ duckdb://shop.duckdb shop.main.orders: amount  DIRECT AGGREGATION  <shop.main.shop.customers>
      └─ duckdb://shop.duckdb shop.main.stg_payments: amount  DIRECT AGGREGATION  <shop.main.shop.orders>
         └─ duckdb://shop.duckdb shop.raw.payments: cents  DIRECT TRANSFORMATION  <shop.main.shop.stg_payments>
            └─ file landing/payments.json: euros  DIRECT TRANSFORMATION  <shop.load>
"""
Columns = dict[str, dict[str, set[str]]]


@dataclass(frozen=True)
class Ran:
    """A run of the DAG, and the lake that it wrote."""

    lake: Path
    states: dict[str, str]
    log: str

    def upstream(self, name: str, field: str) -> str:
        """What the store knows of a field, for people, with short names."""
        with Store.open(store_url(self.lake)) as store:
            found = graph.upstream(store, "file", f"{self.lake}/{name}", field)
            return text_tree(found).replace(f"{self.lake}/", "")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The DAG has run: Spark, dbt, its events, Spark."""
    subprocess.run(["bash", ROOT / "dev/dbt.sh"], check=True)
    lake = tmp_path_factory.mktemp("shop")
    for folder in ("landing", "raw", "mart"):
        (lake / folder).mkdir()
    for name, rows in LANDING.items():
        (lake / "landing" / f"{name}.json").write_text("\n".join(map(json.dumps, rows)))
    variables = {
        "PATH": os.pathsep.join([environment(lake, lake)["PATH"], str(DBT)]),
        "SHOP_LAKE": str(lake),
        "SHOP_PROJECT": str(HERE / "shop"),
        "COLGRAPH_STORE": store_url(lake),
        "AIRFLOW__OPENLINEAGE__NAMESPACE": "tests",
        "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport(lake)),
    }
    with Airflow(lake / "airflow", HERE / "dags", variables) as airflow:
        airflow.start()
        run = airflow.trigger("shop")
        states = airflow.wait("shop", run, seconds=900)
        log = "\n".join(
            line
            for task in ("load", "dbt", "lineage", "report")
            for line in airflow.log_of("shop", run, task)
        )
        wait_for_end(lake, {"shop.report": 1, "shop": 1})
    return Ran(lake, states, log)


def test_one_answer_crosses_spark_dbt_and_spark(ran: Ran) -> None:
    assert set(ran.states.values()) == {"success"}, ran.log[-6_000:]
    assert ran.upstream("report", "value") == ANSWER


def columns(events: list[dict[str, Any]]) -> Columns:
    """The inputs of each column of each output, by the tables' names."""
    return {
        output["name"].rpartition(".")[2]: {
            name: {
                f"{one['name'].rpartition('.')[2]}.{one['field']}" for one in entry["inputFields"]
            }
            for name, entry in facet["fields"].items()
        }
        for event in events
        if event["eventType"] == "COMPLETE"
        for output in event["outputs"]
        if (facet := output["facets"].get("columnLineage"))
    }


def test_openlineage_dbt_states_less(ran: Ran) -> None:
    """The figures of docs/exports.md: of 20 columns, ours 20 and theirs 1."""
    convert = [
        "colgraph",
        "convert",
        "--from",
        "dbt",
        "--namespace",
        "duckdb:",
        f"{ran.lake}/target",
    ]
    ours = subprocess.run(convert, check=True, capture_output=True, text=True).stdout
    theirs = (ran.lake / "openlineage-dbt.jsonl").read_text()
    right, stated = (columns(list(map(json.loads, text.splitlines()))) for text in (ours, theirs))
    pairs = [(table, name) for table, names in right.items() for name in names]
    assert len(pairs) == 20
    there = [(table, name) for table, name in pairs if name in stated.get(table, {})]
    same = [(table, name) for table, name in there if stated[table][name] == right[table][name]]
    assert (len(there), same) == (8, [("orders", "amount")])
