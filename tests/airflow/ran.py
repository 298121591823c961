"""What the tests that run DAGs share: what a run needs in its home, and what came of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from airflow_colgraph.collector.events.render import render
from airflow_colgraph.exports.formats.text_tree import text_tree
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from dev.demo_airflow import environment
from dev.waiting import ENDS, Event, read_events, wait_for_ends
from tests.openlineage.event_validator import valid

FAKE = Path(__file__).parents[1] / "operators" / "fake_spark_submit.py"
ORDERS = '{"id": 1, "customer": "a", "amount": 2.5}\n{"id": 2, "customer": "b", "amount": -1}\n'
# What dags/jobs/totals.py does with them, whose files are in NAMESPACE.
LINEAGE = """\
staging  (NAMESPACE staging)
  amount   <- orders.json.amount    DIRECT:IDENTITY
  customer <- orders.json.customer  DIRECT:TRANSFORMATION masking
  id       <- orders.json.id        DIRECT:IDENTITY
  *        <- orders.json.amount    INDIRECT:FILTER

mart  (NAMESPACE mart)
  customer <- staging.customer  DIRECT:IDENTITY
  n        <-
  total    <- staging.amount    DIRECT:AGGREGATION
  *        <- staging.customer  INDIRECT:GROUP_BY"""


@dataclass(frozen=True)
class Run:
    """A run of a DAG in a home that was `furnished`."""

    home: Path
    dag: str
    log: str

    @cached_property
    def events(self) -> list[Event]:
        """All events of the run, which nothing is wrong with."""
        return valid(read_events(self.home / "events.jsonl"))

    def of(self, task: str, *kinds: str, dag: str = "") -> list[Event]:
        """The events of a task, in their order; without a task the DAG's."""
        name = ".".join(filter(None, [dag or self.dag, task]))
        kinds = kinds or ("START", *ENDS)
        return [e for e in self.events if e["job"]["name"] == name and e["eventType"] in kinds]

    def text(self, event: Event) -> str:
        """An event's lineage for people, with short names."""
        return render([event]).replace(f"{self.home}/", "")

    def upstream(self, name: str, field: str) -> str:
        """What the store knows of a field, for people, with short names."""
        with Store.open(store_url(self.home)) as store:
            return text_tree(graph.upstream(store, "file", name, field)).replace(
                f"{self.home}/", ""
            )


def furnished(home: Path, *programs: Path) -> dict[str, str]:
    """Data and a fake spark-submit in a home, and the variables that say where they are.

    `programs` are folders whose programs come before this environment's.
    """
    (home / "orders.json").write_text(ORDERS)
    (home / "bin").mkdir()
    shutil.copyfile(FAKE, home / "bin" / "spark2-submit")
    (home / "bin" / "spark2-submit").chmod(0o755)
    path = [home / "bin", *programs, environment(home, home)["PATH"]]
    return {
        "PATH": os.pathsep.join(map(str, path)),
        "CASES_HOME": str(home),
        "AIRFLOW__OPENLINEAGE__NAMESPACE": "tests",
        "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport(home)),
    }


def store_url(home: Path) -> str:
    """The store of the runs in a home."""
    return f"sqlite:///{home}/store.db"


def transport(home: Path) -> dict[str, Any]:
    """OpenLineage's configuration: events go to a file in the home, and to the store there."""
    file = {"type": "file", "log_file_path": f"{home}/events.jsonl", "append": True}
    store = {"type": "airflow_colgraph.transport.StoreTransport", "url": store_url(home)}
    both = {"file": file, "store": store}
    return {"type": "composite", "continue_on_failure": True, "transports": both}


def dags_test(python: str | Path, variables: dict[str, str], dag: str) -> str:
    """What `airflow dags test` prints, with a new database. Tasks of the DAG may fail."""
    migrated = _airflow(python, variables, "db", "migrate")
    assert migrated.returncode == 0, migrated.stdout[-5_000:]
    return _airflow(python, variables, "dags", "test", dag).stdout


def _airflow(
    python: str | Path, variables: dict[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, "-m", "airflow", *arguments],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )


def wait_for_end(home: Path, jobs: dict[str, int], *kinds: str) -> None:
    """Wait for the events that say how jobs ended, and how often: they come after the states."""
    wait_for_ends(home / "events.jsonl", store_url(home), jobs, kinds or ENDS)


def outputs(event: Event) -> list[str]:
    """The names of an event's outputs."""
    return [dataset["name"] for dataset in event["outputs"]]
