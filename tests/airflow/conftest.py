"""One Airflow for all tests of its scheduler: several DAGs are run, then it is stopped."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from dev.demo_airflow import Airflow
from tests.airflow.ran import Run, furnished, wait, wait_for_end
from tests.airflow.resource_manager import LonelyDriver, rest
from tests.spark.postgres import server

DAGS = Path(__file__).parent / "dags"
LOGS = {
    "cases": ("totals", "half", "no_application", "no_spark_submit"),
    "ends": ("deferred", "lost"),
}
AT_ONCE = 50  # tasks
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
        "AIRFLOW__CORE__TASK_SUCCESS_OVERTIME": "300",  # all at once on two cores take their time
        "AIRFLOW__OPENLINEAGE__EXECUTION_TIMEOUT": "240",
    }
    with Airflow(home / "airflow", DAGS, variables, triggerer=True) as airflow:
        airflow.start()
        runs = {dag: airflow.trigger(dag) for dag in ("cases", "ends")}
        wait((home / "stopped").exists)
        airflow.set_state("ends", runs["ends"], "stopped", "success")
        # Resumed any sooner, its first half's end would be taken for its own, which Airflow fails.
        wait(lambda: DEFERRED in (home / "airflow" / "scheduler.log").read_text())
        (home / "resume").touch()
        wait_for_end(home, "ends.waived")
        airflow.set_state("ends", runs["ends"], "waived", "success")
        states = {dag: airflow.wait(dag, run, seconds=400) for dag, run in runs.items()}
        airflow.set_state("ends", runs["ends"], "corrected", "failed")
        runs["many"] = airflow.trigger("many")
        states["many"] = airflow.wait("many", runs["many"], seconds=400)
        wait_for_end(home, "ends.corrected", "FAIL")
        wait_for_end(home, "many.mapped", times=AT_ONCE)
        for dag in runs:
            wait_for_end(home, dag)
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
