"""Ten changes of a job, each run by Spark and checked against the lineage in force."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from airflow_colgraph import __version__
from airflow_colgraph.cli import main
from airflow_colgraph.store.model.compare import between
from tests.amount import of_all
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


RANKED = """
    SELECT o.day, sum(o.amount * 2) AS total, 'eur' AS currency, max(upper(c.region)) AS region,
      sum(o.net) OVER (ORDER BY o.day ROWS 2 PRECEDING) AS running,
      (SELECT max(id) FROM customers WHERE id < 9) AS last
    FROM orders o JOIN customers c ON o.customer = c.id
    WHERE o.status = 'paid' AND o.net > 1
    GROUP BY o.day, o.net
    ORDER BY o.day
"""
ALIKE = {  # what makes no difference
    "formatted": ("o.status = 'paid'", "o.status   =   'paid'"),
    "aliased": ("FROM orders o JOIN", "FROM (SELECT *, amount AS a FROM orders) o JOIN"),
    "conditions swapped": (
        "o.status = 'paid' AND o.net > 1",
        "o.net > 1 AND o.status = 'paid'",
    ),
    "computed in two steps": (
        "sum(o.amount * 2) AS total, 'eur' AS currency, max(upper(c.region)) AS region,",
        "sum(o.twice) AS total, 'eur' AS currency, max(upper(c.region)) AS region,",
    ),
}
STEPS = "FROM (SELECT *, amount * 2 AS twice FROM orders) o JOIN"
UNLIKE = {  # what does, by what is reported of it
    ("amount * 2", "amount * 3"): ["expression-changed daily.total computed in another way"],
    ("sum(o.amount", "avg(o.amount"): ["expression-changed daily.total computed in another way"],
    ("'eur'", "'usd'"): ["expression-changed daily.currency computed in another way"],
    ("upper(", "lower("): ["expression-changed daily.region computed in another way"],
    ("2 PRECEDING", "3 PRECEDING"): ["expression-changed daily.running computed in another way"],
    ("max(id)", "min(id)"): ["expression-changed daily.last computed in another way"],
    ("'paid'", "'open'"): ["expression-changed daily FILTER: in another way"],
    ("id < 9", "id < 8"): ["expression-changed daily FILTER: in another way"],
    (" JOIN", " LEFT JOIN"): ["join-changed daily INNER JOIN -> LEFT JOIN"],
    ("o.customer = c.id", "o.customer < c.id"): [
        "expression-changed daily INNER JOIN: in another way"
    ],
    ("ORDER BY o.day\n", "ORDER BY o.day DESC\n"): [
        "expression-changed daily SORT: in another way"
    ],
    ("ORDER BY o.day\n", "ORDER BY o.day LIMIT 10"): ["rows-changed daily none -> LIMIT 10"],
    ("FROM orders o", "FROM orders TABLESAMPLE (10 PERCENT) o"): [
        "rows-changed daily none -> SAMPLE 0.0 0.1"
    ],
}


def reported(repository: Repository, before: str, after: str) -> list[str]:
    """What a check reports of two versions of a query, in one line each."""
    files = [
        repository.run(repository.root / f"{name}.jsonl", {"daily": query})
        for name, query in (("before", before), ("after", after))
    ]
    *_, last = map(json.loads, files[1].read_text().splitlines())
    ended = {**last, "eventType": "COMPLETE", "inputs": [], "outputs": []}
    files[1].write_text(f"{files[1].read_text()}{json.dumps(ended)}\n")
    ran = CliRunner().invoke(
        main, ["check", "--base", str(files[0]), "--format", "json", str(files[1])]
    )
    changes = json.loads(ran.stdout)["changes"]
    return [
        " ".join(
            [
                change["kind"],
                ".".join(filter(None, ["daily", change["column"]])),
                between(change["before"], change["after"]),
            ]
        )
        for change in changes
    ]


@pytest.mark.sampled
@pytest.mark.parametrize("name", list(ALIKE)[:: of_all(1, 2)])
def test_other_words_for_the_same_are_no_change(repository: Repository, name: str) -> None:
    old, new = ALIKE[name]
    assert old in RANKED
    after = RANKED.replace(old, new)
    if "twice" in new:
        after = after.replace("FROM orders o JOIN", STEPS)
    assert reported(repository, RANKED, after) == []


@pytest.mark.sampled
@pytest.mark.parametrize(("old", "new"), list(UNLIKE)[:: of_all(1, 3)])
def test_the_same_columns_in_another_way(repository: Repository, old: str, new: str) -> None:
    """No earlier test had one without `spark.colgraph.descriptions`: neither side showed it."""
    assert old in RANKED
    assert reported(repository, RANKED, RANKED.replace(old, new)) == UNLIKE[old, new]


SETTINGS = {  # what a function is told beside its arguments, in two versions
    "timestampdiff(MONTH, day, now())": "timestampdiff(YEAR, day, now())",
    "timestampadd(HOUR, 1, day)": "timestampadd(DAY, 1, day)",
    "first(id) OVER w": "first(id) IGNORE NULLS OVER w",
    "any_value(id) OVER (PARTITION BY id)": "any_value(id, true) OVER (PARTITION BY id)",
    "lag(id) OVER w": "lag(id) IGNORE NULLS OVER w",
    "nth_value(id, 2) OVER w": "nth_value(id, 2) IGNORE NULLS OVER w",
    "approx_count_distinct(id, 0.1) OVER (PARTITION BY id)": (
        "approx_count_distinct(id, 0.01) OVER (PARTITION BY id)"
    ),
    "percentile_cont(0.9) WITHIN GROUP (ORDER BY id) OVER (PARTITION BY id)": (
        "percentile_cont(0.9) WITHIN GROUP (ORDER BY id DESC) OVER (PARTITION BY id)"
    ),
    "aggregate(array(id), 1L, (a, b) -> a - b)": "aggregate(array(id), 1L, (a, b) -> b - a)",
    "transform(array(id), a -> transform(array(id), b -> a))": (
        "transform(array(id), a -> transform(array(id), b -> b))"
    ),
}
VARIABLES = {
    "transform(array(id), a -> a + 1)": "transform(array(id), each -> each + 1)",
    "aggregate(array(id), 0L, (a, b) -> b)": "aggregate(array(id), 0L, (b, a) -> a)",
}


def columns_of(texts: Iterable[str]) -> str:
    columns = (f"{text} AS c{place}" for place, text in enumerate(texts))
    return f"SELECT {', '.join(columns)} FROM orders WINDOW w AS (PARTITION BY net ORDER BY day)"


def test_settings_of_functions_are_compared_and_names_of_variables_are_not(
    repository: Repository,
) -> None:
    """They are no arguments in Spark's plan: only the arguments were in a digest."""
    rows = {**SETTINGS, **VARIABLES}
    assert reported(repository, columns_of(rows), columns_of(rows.values())) == [
        f"expression-changed daily.c{place} computed in another way"
        for place in range(len(SETTINGS))
    ]


def test_the_least_number_of_columns_with_a_value_is_compared(repository: Repository) -> None:
    """`na.drop(how="all")` in place of `how="any"` was no change."""
    lake, spark = repository.root / "lake", repository.session.spark
    files = []
    for how in ("any", "all"):
        orders = spark.read.parquet(str(lake / "orders")).select("id", "day")
        orders.na.drop(how).write.mode("overwrite").parquet(str(lake / "kept"))
        events = [{**event, "eventType": "COMPLETE"} for event in repository.session.events()]
        files.append(repository.root / f"{how}.jsonl")
        files[-1].write_text("".join(json.dumps(event) + "\n" for event in events))
    ran = CliRunner().invoke(main, ["check", "--base", *map(str, files)])
    assert "expression-changed" in ran.stdout, ran.output


@pytest.mark.parametrize("shown", ["sha2(concat('{}', email), 256)", "if(email = '{}', 1, 0)"])
def test_another_secret_is_no_change(repository: Repository, shown: str) -> None:
    """A digest is made without secrets, so that none can be found by it."""
    query = f"SELECT {shown} AS hidden FROM (SELECT email{{}} FROM orders)"
    if "if(" in shown:
        query = query.replace("email =", "password =").replace("email{}", "email AS password")
    first, second = (query.replace("{}", text, 1).replace("{}", "") for text in ("one", "two"))
    assert reported(repository, first, second) == []
    assert reported(repository, first, first.replace("one", "")) == []
