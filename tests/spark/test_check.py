"""Ten changes of a job, each run by Spark and checked against the lineage in force."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from airflow_colgraph import __version__
from airflow_colgraph.cli import main
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-check")]

GOLDEN = Path(__file__).parent / "check"

JOB = """
    SELECT o.day, c.region, sum(o.amount) AS total, count(*) AS n, max(sha2(o.email, 256)) AS email
    FROM orders o JOIN customers c ON o.customer = c.id AND o.country = c.country
    WHERE o.status = 'paid'
    GROUP BY o.day, c.region
"""
REPORT = "SELECT region, sum(total) AS total, max(email) AS email FROM daily GROUP BY region"
AUDIT = "SELECT day, region FROM daily"

TABLES = {
    "orders": "1L id, 1L customer, 'DE' country, 'a@b' email, 1.5D amount, 1.2D net,"
    " DATE'2026-01-01' day, 'paid' status",
    "customers": "1L id, 'DE' country, 'north' region",
}


class Commit(NamedTuple):
    """A commit to the job's repository: what it replaces in the job, and the check's exit code."""

    old: str
    new: str
    code: int


COMMITS = {
    "rename": Commit("AS total", "AS revenue", 1),
    "type": Commit("sum(o.amount) AS", "CAST(sum(o.amount) AS DECIMAL(20, 2)) AS", 1),
    "join-key": Commit(" AND o.country = c.country", "", 1),
    "added-column": Commit("AS total,", "AS total, avg(o.net) AS mean_net,", 0),
    "format": Commit(
        "SELECT o.day, c.region, sum(o.amount) AS total",
        "select\n  o.day AS day,\n  c.region, SUM( amount )   total",
        0,
    ),
    "masking": Commit("sha2(o.email, 256)", "o.email", 1),
    "source": Commit("sum(o.amount)", "sum(o.net)", 0),
    "filter": Commit("'paid'", "'paid' AND o.net > 0", 0),
    "unused": Commit(" count(*) AS n,", "", 0),
    "new-job": Commit("", "", 0),
}


class Repository:
    """The job, as Spark runs it before and after each commit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.session = Session(root, statements=[])
        for name, columns in TABLES.items():
            self.session.spark.sql(f"SELECT {columns}").write.parquet(self.path(name))
        self.session.events()

    def path(self, name: str) -> str:
        return str(self.root / "lake" / name)

    def run(self, file: Path, outputs: dict[str, str]) -> Path:
        """Write each query's rows; the events go to the file."""
        spark = self.session.spark
        for name, query in outputs.items():
            for known in (*TABLES, "daily"):
                if Path(self.path(known)).exists():
                    spark.read.parquet(self.path(known)).createOrReplaceTempView(known)
            spark.sql(query).write.mode("overwrite").parquet(self.path(name))
        file.write_text("".join(json.dumps(event) + "\n" for event in self.session.events()))
        return file


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    found = Repository(tmp_path_factory.mktemp("check"))
    yield found
    found.session.stop()


@pytest.fixture(scope="module")
def config(repository: Repository) -> str:
    """The settings: the job was run in another folder than the one in production."""
    file = repository.root / "colgraph.toml"
    file.write_text(
        "[[check.datasets]]\n"
        f"from = ['file', '{repository.root}/lake/']\nto = ['s3://lake', 'mart/']\n"
    )
    return str(file)


@pytest.fixture(scope="module")
def base(repository: Repository) -> str:
    """The lineage in force, as the tasks in production reported it."""
    outputs = {"daily": JOB, "report": REPORT, "audit": AUDIT}
    file = repository.run(repository.root / "base.jsonl", outputs)
    here = f'"namespace": "file", "name": "{repository.root}/lake/'
    lines = file.read_text().replace(here, '"namespace": "s3://lake", "name": "mart/').splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["outputs"][0]["name"] for event in events] == [f"mart/{name}" for name in outputs]
    for event, name in zip(events, outputs, strict=True):
        event["job"]["name"] = f"shop.{name}"
    file.write_text("".join(json.dumps(event) + "\n" for event in events))
    return str(file)


@pytest.mark.parametrize("name", COMMITS)
def test_a_commit_is_judged(repository: Repository, base: str, config: str, name: str) -> None:
    commit = COMMITS[name]
    assert commit.old in JOB
    outputs = {"daily": JOB.replace(commit.old, commit.new)}
    if name == "new-job":
        outputs["regions"] = "SELECT region, count(*) AS days FROM daily GROUP BY region"
    events = repository.run(repository.root / f"{name}.jsonl", outputs)
    *_, last = map(json.loads, events.read_text().splitlines())
    ended = {**last, "eventType": "COMPLETE", "inputs": [], "outputs": []}
    events.write_text(f"{events.read_text()}{json.dumps(ended)}\n")
    for form, suffix in (("markdown", "md"), ("sarif", "sarif")):
        asked = ["--base", base, "--config", config, "--format", form, "--source", "jobs/daily.py"]
        ran = CliRunner().invoke(main, ["check", *asked, str(events)])
        assert (ran.exit_code, ran.stderr) == (commit.code, ""), ran.output
        golden = GOLDEN / f"{name}.{suffix}"
        assert ran.stdout == golden.read_text().replace("VERSION", __version__)
