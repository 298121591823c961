"""A declarative pipeline of Spark's, run and dry-run by `colgraph pipelines`: every flow's lineage.

`make test` has one run on the pinned Spark; `make versions` has the dry run as well, and both on
every Spark that has pipelines.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pyspark
import pytest

from airflow_colgraph.collector.events import render
from airflow_colgraph.collector.events.render import labels
from tests.collector.cases.loader import lineage_in, normal

pytestmark = [
    pytest.mark.spark,
    pytest.mark.xdist_group("pipelines"),
    pytest.mark.skipif(pyspark.__version__ < "4.1", reason="Spark has pipelines from 4.1 on"),
]

PIPELINE = Path(__file__).with_name("pipelines")
COLGRAPH = [sys.executable, "-c", "from airflow_colgraph.cli import main; main()"]
QUICK = [
    *("--remote", "local[1]", "--conf", "spark.ui.enabled=false"),
    *("--conf", "spark.sql.shuffle.partitions=1"),
    *("--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"),
]
FILES = {
    "orders": {"id": [1, 2], "customer": [1, 1], "amount": [50, 150], "valid": [True, True]},
    "customers": {"id": [1, 2], "name": ["ann", "bob"]},
}

# Each flow: the table that it writes and, below, its whole lineage.
LINEAGE = """
default.orders
    id       <- /files/orders.id        DIRECT:IDENTITY
    customer <- /files/orders.customer  DIRECT:IDENTITY
    amount   <- /files/orders.amount    DIRECT:IDENTITY
    *        <- /files/orders.valid     INDIRECT:FILTER

default.customers
    id   <- /files/customers.id    DIRECT:IDENTITY
    name <- /files/customers.name  DIRECT:TRANSFORMATION

default.totals
    name  <- default.customers.name  DIRECT:IDENTITY
    total <- default.orders.amount   DIRECT:AGGREGATION
    *     <- default.orders.amount   INDIRECT:FILTER
    *     <- default.orders.customer INDIRECT:JOIN, INDIRECT:FILTER
    *     <- default.customers.id    INDIRECT:JOIN, INDIRECT:FILTER
    *     <- default.customers.name  INDIRECT:GROUP_BY

default.doubled
    id     <- default.orders.id      DIRECT:IDENTITY
    amount <- default.orders.amount  DIRECT:TRANSFORMATION

default.ledger
    id    <- default.doubled.id      DIRECT:IDENTITY
    value <- default.doubled.amount  DIRECT:IDENTITY

default.ledger
    id    <- default.orders.id        DIRECT:IDENTITY
    value <- default.orders.amount    DIRECT:IDENTITY
    *     <- default.orders.customer  INDIRECT:FILTER

default.names
    name <- default.customers.name  DIRECT:IDENTITY
    *    <- default.customers.id    INDIRECT:FILTER

default.audit
    id  <- default.orders.id  DIRECT:IDENTITY
    who <-
"""

Flows = Counter[tuple[str, frozenset[str]]]


class Ran(NamedTuple):
    """What came of a command."""

    folder: Path
    code: int
    log: str
    events: list[dict[str, Any]]

    def flows(self) -> Flows:
        """Each output with its lineage, in the form of LINEAGE."""
        label, found = labels(self.events), Flows()
        for event in self.events:
            for output in event["outputs"]:
                lines = render.table(render.lines(output, label))
                text = frozenset(normal(line.replace(str(self.folder), "")) for line in lines)
                found[label(output), text] += 1
        return found


def expected() -> Flows:
    blocks = (block.partition("\n") for block in LINEAGE.strip().split("\n\n"))
    return Flows((name, lineage_in(lines)) for name, _, lines in blocks)


def furnished(folder: Path) -> Path:
    """The pipeline and the files that it reads, in a folder."""
    from pyarrow import Table, parquet

    shutil.copytree(PIPELINE, folder, dirs_exist_ok=True)
    for name, columns in FILES.items():
        (folder / "files" / name).mkdir(parents=True)
        parquet.write_table(Table.from_pydict(columns), folder / "files" / name / "part.parquet")
    specification = folder / "spark-pipeline.yml"  # Spark takes no relative storage
    specification.write_text(specification.read_text().replace("/FOLDER", str(folder)))
    return folder


def ran(folder: Path, command: str) -> Ran:
    ours = ["--output", f"{command}.jsonl", "--job-name", "shop"]
    done = subprocess.run(
        [*COLGRAPH, "pipelines", *ours, "--", command, "--spec", "spark-pipeline.yml", *QUICK],
        cwd=folder,
        env={
            **os.environ,
            # This Spark's programs, and a package that is installed beside the pinned one only.
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_TESTING": "1",  # a free port for the server: else two pipelines meet on 15002
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    lines = (folder / f"{command}.jsonl").read_text().splitlines()
    return Ran(folder, done.returncode, done.stdout, [json.loads(line) for line in lines])


def test_a_run_has_the_lineage_of_every_flow(tmp_path: Path) -> None:
    found = ran(furnished(tmp_path), "run")
    assert found.code == 0, found.log
    assert found.flows() == expected(), found.log
    first, *queries, last = found.events
    assert (first["eventType"], last["eventType"]) == ("START", "COMPLETE")
    assert "colgraph_diagnostics" not in last["run"]["facets"]
    for event in queries:
        diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
        assert (diagnostics["unresolved"], diagnostics["opaque"], diagnostics["truncated"]) == (
            [],
            [],
            "",
        )
    assert "have no lineage" not in found.log
    assert "colgraph: lineage is off" not in found.log
    assert (tmp_path / "spark-warehouse" / "totals").is_dir()


@pytest.mark.versions
def test_a_dry_run_has_the_same_lineage_and_writes_nothing(tmp_path: Path) -> None:
    found = ran(furnished(tmp_path), "dry-run")
    assert found.code == 0, found.log
    assert found.flows() == expected(), found.log
    planned = [event for event in found.events if "run" not in event]
    assert [event["eventType"] for event in found.events if "run" in event] == ["START", "COMPLETE"]
    for event in planned:
        assert event["schemaURL"].endswith("/JobEvent")
        assert event["job"]["name"] == "shop"
        diagnostics = event["job"]["facets"]["colgraph_diagnostics"]
        assert (diagnostics["unresolved"], diagnostics["opaque"], diagnostics["truncated"]) == (
            [],
            [],
            "",
        )
    assert not list(tmp_path.glob("spark-warehouse/*"))


@pytest.mark.versions
def test_a_flow_that_fails_leaves_what_was_written(tmp_path: Path) -> None:
    furnished(tmp_path)
    broken = "CREATE MATERIALIZED VIEW broken AS SELECT assert_true(id > 1) AS a FROM customers;"
    (tmp_path / "transformations" / "broken.sql").write_text(broken)
    found = ran(tmp_path, "run")
    assert found.code != 0
    views = Flows({flow: 1 for flow in expected() if flow[0] == "default.names"})
    assert found.flows() == expected() - views, found.log  # a view has no query to be heard
    assert found.events[-1]["eventType"] == "FAIL"
