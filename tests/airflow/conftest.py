"""One Airflow for all tests of its scheduler: several DAGs are run, then it is stopped."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dev.demo_airflow import Airflow, environment
from tests.airflow.ran import Event, Ran, read
from tests.airflow.resource_manager import ResourceManager

HERE = Path(__file__).parent
FAKE = HERE.parent / "operators" / "fake_spark_submit.py"
ORDERS = [{"id": 1, "customer": "a", "amount": 2.5}, {"id": 2, "customer": "b", "amount": -1}]
LOGS = {
    "cases": ("totals", "half", "no_application", "no_spark_submit"),
    "ends": ("deferred", "lost"),
}


def wait(until: Callable[[], bool], seconds: float = 240) -> None:
    """Wait until something is so; what it is not, the tests will tell."""
    end = time.monotonic() + seconds
    while not until() and time.monotonic() < end:
        time.sleep(0.2)


def ended(events: list[Event], job: str, *kinds: str) -> bool:
    """Whether the events say that the job failed or completed."""
    kinds = kinds or ("COMPLETE", "FAIL")
    return any(e["job"]["name"] == job and e["eventType"] in kinds for e in events)


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The DAGs cases, ends and many have run."""
    home = tmp_path_factory.mktemp("cases")
    with ResourceManager(home / "lost.json") as yarn:
        return run(home, yarn)


def run(home: Path, yarn: ResourceManager) -> Ran:
    """Start Airflow, run the DAGs, stop it."""
    file, store = home / "events.jsonl", f"sqlite:///{home}/store.db"
    (home / "orders.json").write_text("\n".join(map(json.dumps, ORDERS)))
    (home / "many").mkdir()
    (home / "bin").mkdir()
    shutil.copyfile(FAKE, home / "bin" / "spark2-submit")
    (home / "bin" / "spark2-submit").chmod(0o755)
    transports = {
        "file": {"type": "file", "log_file_path": str(file), "append": True},
        "store": {"type": "airflow_colgraph.transport.StoreTransport", "url": store},
    }
    extra = {"deploy-mode": "cluster", "yarn_resourcemanager_webapp_address": yarn.address}
    dags = HERE / "dags"
    variables = {
        "PATH": f"{home / 'bin'}{os.pathsep}{environment(home, dags)['PATH']}",
        "CASES_HOME": str(home),
        "HADOOP_CONF_DIR": str(home),
        "AIRFLOW_CONN_YARN": json.dumps({"conn_type": "spark", "host": "yarn", "extra": extra}),
        "AIRFLOW__CORE__PARALLELISM": "12",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_POOL_SIZE": "50",
        "AIRFLOW__CORE__TASK_SUCCESS_OVERTIME": "300",  # all at once on two cores take their time
        "AIRFLOW__OPENLINEAGE__EXECUTION_TIMEOUT": "240",
        "AIRFLOW__OPENLINEAGE__NAMESPACE": "tests",
        "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(
            {"type": "composite", "continue_on_failure": True, "transports": transports}
        ),
    }
    with Airflow(home / "airflow", dags, variables, triggerer=True) as airflow:
        airflow.start()
        runs = {dag: airflow.trigger(dag) for dag in ("cases", "ends")}
        wait((home / "stopped").exists)
        airflow.set_state("ends", runs["ends"], "stopped", "success")
        wait(lambda: ended(read(file), "ends.waived"))
        airflow.set_state("ends", runs["ends"], "waived", "success")
        states = {dag: airflow.wait(dag, run, seconds=400) for dag, run in runs.items()}
        airflow.set_state("ends", runs["ends"], "corrected", "failed")
        runs["many"] = airflow.trigger("many")
        states["many"] = airflow.wait("many", runs["many"], seconds=400)
        wait(lambda: ended(read(file), "ends.corrected", "FAIL"))
        for dag in runs:  # the scheduler's event comes after the state
            wait(lambda dag=dag: ended(read(file), dag))
        logs = {
            name: "\n".join(airflow.log_of(dag, runs[dag], name))
            for dag, names in LOGS.items()
            for name in names
        }
        plugins = airflow.ask("GET", "/api/v2/plugins?limit=100")["plugins"]
        providers = airflow.ask("GET", "/api/v2/providers?limit=200")["providers"]
    return Ran(
        home,
        states,
        read(file),
        logs,
        [plugin["name"] for plugin in plugins],
        [provider["package_name"] for provider in providers],
        store,
        yarn.asked,
    )
