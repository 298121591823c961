"""SQL tasks in a real Airflow: each with its own lineage, none held up or failed by it.

`make test` runs them by `airflow dags test`, `make neighbours` also by a real scheduler.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from dev.demo_airflow import Airflow, environment
from tests.airflow.ran import Run, dags_test, outputs, store_url, transport, wait_for_end
from tests.spark.postgres import postgres

pytestmark = [pytest.mark.airflow, pytest.mark.postgres, pytest.mark.xdist_group("airflow")]

DAGS = Path(__file__).with_name("sql_dags")
TABLES = """
CREATE TABLE orders (oid INT, cid INT, amount NUMERIC, state TEXT, day DATE);
CREATE TABLE customers (cid INT, name TEXT);
CREATE TABLE mart (id INT, name TEXT, total NUMERIC);
CREATE TABLE kept (name TEXT, state TEXT);
INSERT INTO orders VALUES (1, 1, 50, 'x', '2026-01-01');
CREATE PROCEDURE refresh(secret TEXT) LANGUAGE sql AS $$ DELETE FROM kept $$;
"""
DONE = ("two", "temporary", "merged", "copied", "called", "slow", "broken", "by_hook", "emitted")
TWO = """\
postgres.mart
  id   <- postgres.orders.oid      DIRECT:IDENTITY
  name <- postgres.customers.name  DIRECT:IDENTITY
  *    <- postgres.customers.cid   INDIRECT:JOIN
  *    <- postgres.orders.cid      INDIRECT:JOIN
  *    <- postgres.orders.state    INDIRECT:FILTER

postgres.kept
  name  <- postgres.customers.name  DIRECT:IDENTITY
  state <- postgres.orders.state    DIRECT:IDENTITY"""
TEXTS = {
    "temporary": """\
postgres.made
  m <- postgres.orders.oid     DIRECT:TRANSFORMATION masking
  s <- postgres.orders.state   DIRECT:TRANSFORMATION
  * <- postgres.orders.amount  INDIRECT:FILTER""",
    "merged": """\
postgres.mart
  id    <- postgres.mart.id        DIRECT:IDENTITY
  id    <- postgres.orders.oid     DIRECT:IDENTITY
  name  <- postgres.mart.name      DIRECT:IDENTITY
  total <- postgres.orders.amount  DIRECT:IDENTITY
  *     <- postgres.mart.id        INDIRECT:JOIN
  *     <- postgres.orders.oid     INDIRECT:JOIN""",
    "copied": """\
/dev/null
  id  <- postgres.mart.id    DIRECT:IDENTITY
  who <- postgres.mart.name  DIRECT:IDENTITY""",
    "by_hook": """\
postgres.days
  day   <- postgres.orders.day     DIRECT:IDENTITY
  total <- postgres.orders.amount  DIRECT:AGGREGATION
  *     <- postgres.orders.day     INDIRECT:GROUP_BY

postgres.kept
  name <- postgres.customers.name  DIRECT:IDENTITY""",
    "slow": """\
postgres.kept
  name <- postgres.customers.name  DIRECT:IDENTITY""",
    "called": "",
    "broken": "",
}


EMITTED = """\
postgres.public.kept
  name <- postgres.public.customers.name  DIRECT:TRANSFORMATION
  *    <- postgres.public.customers.cid   INDIRECT:FILTER"""


def by_command(home: Path, variables: dict[str, str]) -> dict[str, str]:
    """The states of the tasks of one `airflow dags test`."""
    log = dags_test(sys.executable, environment(home / "airflow", DAGS, **variables), "sql_tasks")
    (home / "log.txt").write_text(log)
    return {}


def by_scheduler(home: Path, variables: dict[str, str]) -> dict[str, str]:
    """The states of the tasks of a run by a scheduler."""
    with Airflow(home / "airflow", DAGS, variables) as airflow:
        airflow.start()
        run = airflow.trigger("sql_tasks")
        states = airflow.wait("sql_tasks", run, seconds=900)
        ends = {f"sql_tasks.{name}": 1 for name in (*DONE, "failing")}
        wait_for_end(home, {**ends, "sql_tasks": 1})
        log = [line for name in DONE for line in airflow.log_of("sql_tasks", run, name)]
    (home / "log.txt").write_text("\n".join(log))
    return states


@pytest.fixture(
    scope="module",
    params=[by_command, pytest.param(by_scheduler, marks=pytest.mark.neighbours)],
)
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    home = tmp_path_factory.mktemp("sql")
    with postgres(TABLES) as port:
        variables = {
            "AIRFLOW_CONN_SHOP": f"postgres://postgres:s3cret@127.0.0.1:{port}/postgres",
            "AIRFLOW__COLGRAPH__SQL_TASKS": "True",
            "AIRFLOW__COLGRAPH__DEADLINE_SECONDS": "8",
            "AIRFLOW__OPENLINEAGE__NAMESPACE": "tests",
            "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport(home)),
        }
        states = request.param(home, variables)
        (home / "port").write_text(str(port))
    if states:
        assert {name: states[name] for name in DONE} == dict.fromkeys(DONE, "success")
        assert states["failing"] == "failed"
    return Run(home, "sql_tasks", (home / "log.txt").read_text())


def text_of(ran: Run, event: dict[str, Any]) -> str:
    """The lineage of an event, without the datasets' namespaces and the default schema."""
    lines = [line.partition("  (")[0] for line in ran.text(event).split("\n")]
    return "\n".join(lines)


def test_two_inserts_in_one_task_stay_apart(ran: Run) -> None:
    (event,) = ran.of("two", "COMPLETE")
    assert text_of(ran, event).startswith(TWO), ran.log[-4_000:]


@pytest.mark.parametrize("name", TEXTS)
def test_each_task_has_its_own_lineage(ran: Run, name: str) -> None:
    (event,) = ran.of(name, "COMPLETE")
    assert text_of(ran, event) == TEXTS[name], ran.log[-4_000:]


def test_a_task_that_fails_has_nothing_of_what_was_rolled_back(ran: Run) -> None:
    (event,) = ran.of("failing", "FAIL")
    assert outputs(event) == []


def test_what_is_not_known_is_reported(ran: Run) -> None:
    (called,) = ran.of("called", "COMPLETE")
    diagnostics = called["run"]["facets"]["colgraph_diagnostics"]
    (opaque,) = diagnostics["opaque"]
    assert (opaque["class"], opaque["count"]) == ("CALL", 1)
    assert opaque["where"]  # the place in the task's text
    assert re.search(r"the schemas are unknown: it took more than [\d.]+ seconds", ran.log)
    assert "not yet" in ran.log


def test_no_dataset_of_any_task_is_without_a_name(ran: Run) -> None:
    named = 0
    for event in (one for name in (*DONE, "failing") for one in ran.of(name)):
        for dataset in (*event["inputs"], *event["outputs"]):
            fields = dataset["facets"].get("columnLineage", {}).get("fields", {}).values()
            found = [dataset, *(entry for field in fields for entry in field["inputFields"])]
            assert all(one["name"] and one["namespace"] for one in found)
            named += len(found)
    assert named > 20


def test_no_event_of_a_task_has_a_literal(ran: Run) -> None:
    tasks = [event for name in ("two", "temporary", "merged") for event in ran.of(name, "COMPLETE")]
    assert len(tasks) == 3
    assert all("s3cret" not in json.dumps([e["inputs"], e["outputs"]]) for e in tasks)


def test_a_statement_that_a_task_emits_itself_has_columns(ran: Run) -> None:
    (event,) = ran.of("emitted.manual_query.1", "COMPLETE")
    (found,) = with_tables([event])
    assert text_of(ran, found) == EMITTED
    with Store.open(store_url(ran.home)) as store:
        (kept,) = {one["name"] for one in event["outputs"]}
        graphed = graph.upstream(store, event["outputs"][0]["namespace"], kept, "name")
    jobs = {one.job.name for edge in graphed.edges for one in edge.reported_by if one.job}
    assert "sql_tasks.emitted.manual_query.1" in jobs


def test_one_question_crosses_the_tasks(ran: Run) -> None:
    with Store.open(store_url(ran.home)) as store:
        found = graph.upstream(store, "file", "/dev/null", "who")
    chain = {
        (edge.input.name.removeprefix("postgres.public."), edge.input.field) for edge in found.edges
    }
    assert {("mart", "name"), ("customers", "name")} <= chain
