"""One Airflow for all tests of its scheduler: several DAGs are run, then it is stopped."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from dev.demo_airflow import Airflow
from dev.waiting import wait_for, whole_lines
from tests.airflow.ran import Run, furnished, wait_for_end
from tests.airflow.resource_manager import LonelyDriver, rest
from tests.spark.postgres import server

DAGS = Path(__file__).parent / "dags"
LOGS = {
    "cases": ("totals", "half", "no_application", "no_spark_submit"),
    "ends": ("deferred", "lost"),
}
AT_ONCE = 8  # tasks: three processes each
# How often each task ends, by its events.
ENDS = {
    "cases.totals": 1,
    "cases.half": 1,
    "cases.no_application": 1,
    "cases.no_spark_submit": 1,
    "cases.retried": 2,
    "cases.mapped": 3,
    "ends.skipped": 1,
    "ends.skipped_after": 1,
    "ends.deferred": 1,
    "ends.waived": 2,
    "ends.stopped": 1,
    "ends.corrected": 2,
    "ends.lost": 2,
    "many.mapped": AT_ONCE,
}
DEFERRED = "state success for task instance TaskInstanceKey(dag_id='ends', task_id='deferred'"


@dataclass(frozen=True)
class Ran(Run):
    """What came of the runs of all DAGs."""

    states: dict[str, dict[str, str]]
    logs: dict[str, str]
    plugins: list[str]
    providers: list[str]
    asked: list[str]


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The DAGs cases, ends and many have run."""
    home = tmp_path_factory.mktemp("cases")
    driver = LonelyDriver(home / "lost.json")
    with rest(driver.state) as manager, server() as database:
        return run(home, driver, manager, database)


def run(home: Path, driver: LonelyDriver, manager: str, database: str) -> Ran:
    """Start Airflow, run the DAGs, stop it."""
    (home / "many").mkdir()
    extra = {"deploy-mode": "cluster", "yarn_resourcemanager_webapp_address": manager}
    variables = {
        **furnished(home),
        "HADOOP_CONF_DIR": str(home),
        "AIRFLOW_CONN_YARN": json.dumps({"conn_type": "spark", "host": "yarn", "extra": extra}),
        "AIRFLOW__CORE__PARALLELISM": str(AT_ONCE),
        # Of SQLite so many tasks at once want more than it has to give.
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": database,
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_ASYNC": database,
        "AIRFLOW__DATABASE__SQL_ALCHEMY_POOL_SIZE": "20",
    }
    with Airflow(home / "airflow", DAGS, variables, triggerer=True) as airflow:
        airflow.start()
        runs = {dag: airflow.trigger(dag) for dag in ("cases", "ends")}
        stopped = home / "stopped"
        wait_for(lambda: "" if stopped.exists() else "the job of ends.stopped to run")
        airflow.set_state("ends", runs["ends"], "stopped", "success")
        # Resumed any sooner, its first half's end would be taken for its own, which Airflow fails.
        log = home / "airflow" / "scheduler.log"
        wait_for(lambda: "" if DEFERRED in "".join(whole_lines(log)) else f"{DEFERRED} in {log}")
        (home / "resume").touch()
        wait_for_end(home, {"ends.waived": 1})
        airflow.set_state("ends", runs["ends"], "waived", "success")
        states = {dag: airflow.wait(dag, run, seconds=900) for dag, run in runs.items()}
        airflow.set_state("ends", runs["ends"], "corrected", "failed")
        runs["many"] = airflow.trigger("many")
        states["many"] = airflow.wait("many", runs["many"], seconds=900)
        wait_for_end(home, {"ends.corrected": 1}, "FAIL")
        wait_for_end(home, {**ENDS, **dict.fromkeys(runs, 1)})
        logs = {
            name: "\n".join(airflow.log_of(dag, runs[dag], name))
            for dag, names in LOGS.items()
            for name in names
        }
        plugins = airflow.ask("GET", "/api/v2/plugins?limit=100")["plugins"]
        providers = airflow.ask("GET", "/api/v2/providers?limit=200")["providers"]
    return Ran(
        home,
        "cases",
        "",
        states,
        logs,
        [plugin["name"] for plugin in plugins],
        [provider["package_name"] for provider in providers],
        driver.asked,
    )
