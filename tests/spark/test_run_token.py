"""A real task with a real Spark job reports to a real server, with a token for its run only."""

import json
from pathlib import Path

import httpx
import pytest

from airflow_colgraph import run_tokens
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from tests.cli.test_serve import serving
from tests.operators.conftest import CACHED
from tests.operators.test_inject import context
from tests.store.samples import copy_event

pytestmark = pytest.mark.spark

# Copies a table, and notes what every user of the machine sees of the JVM.
JOB = """
import os, sys
from pyspark.sql import SparkSession

folder = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
command = open(f"/proc/{os.getppid()}/cmdline").read()
open(f"{folder}/command", "w").write(command)
spark.range(3).write.parquet(f"{folder}/raw")
spark.read.parquet(f"{folder}/raw").selectExpr("id AS key").write.parquet(f"{folder}/mart")
"""


def test_a_job_reports_with_a_token_of_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, key = f"sqlite:///{tmp_path}/store.db", run_tokens.new_key()
    with Store.open(url) as store:
        api_keys.add_signer(store, "airflow", run_tokens.public_key(key))
        (tmp_path / "job.py").write_text(JOB)
        with serving(url, "--keys") as (address, _):
            endpoint = f"{address}/api/v1/lineage"
            monkeypatch.setenv("AIRFLOW__COLGRAPH__SINK", endpoint)
            monkeypatch.setenv("AIRFLOW__COLGRAPH__SINK_KEY", key)
            for option in CACHED:
                option.cache_clear()
            ColgraphSparkSubmitOperator(
                task_id="load",
                name="load",
                application=str(tmp_path / "job.py"),
                application_args=[str(tmp_path)],
                conf={"spark.master": "local[1]", "spark.ui.enabled": "false"},
            ).execute(context())
            token = inject({}, context())["spark.colgraph.sinkToken"]
            for option in CACHED:
                option.cache_clear()
            headers = {"Authorization": f"Bearer {token}"}
            other = httpx.post(endpoint, json=copy_event("other", 1, "x", {}), headers=headers)
            without = httpx.post(endpoint, json=copy_event("other", 1, "x", {}))
        (edge,) = upstream(store, "file", f"{tmp_path}/mart", "key").edges
    assert (edge.input.name, edge.input.field) == (f"{tmp_path}/raw", "id")
    assert [one.job.name for one in edge.reported_by if one.job] == ["shop.group.load.spark"]
    why = "The token is only for the job 'shop.group.load.spark' in 'default'."
    assert (other.status_code, json.loads(other.text)) == (403, {"error": why})
    assert without.status_code == 401
    command = (tmp_path / "command").read_text()
    assert endpoint in command
    assert ".eyJ" not in command  # where a token's claims begin
