"""A spool in an HDFS: drivers write it by Hadoop, tasks and `colgraph deliver` by its REST API."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_colgraph.spools import task_spool
from airflow_colgraph.store.store import Store
from tests.collector.test_outbox import NUMBER, event, stored
from tests.test_delivery import colgraph
from tests.yarn.cluster import Hdfs, hadoop

pytestmark = [pytest.mark.long, pytest.mark.yarn, pytest.mark.xdist_group("yarn")]
ROOT = Path(__file__).parents[2]
DRIVER = """
import sys
from pyspark.sql import SparkSession
from airflow_colgraph.collector.sinks.spool import Spool
from tests.collector.test_outbox import event
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate()
spool = Spool(sys.argv[1])
for number in range(int(sys.argv[2])):
    spool.keep(event(number))
"""


def test_drivers_and_tasks_share_a_spool(tmp_path: Path) -> None:
    with hadoop(tmp_path, Hdfs) as hdfs, Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        subprocess.run(
            [sys.executable, "-c", DRIVER, f"{hdfs.hdfs}/spool/run", "5"],
            env={**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"},
            check=True,
        )
        url = f"{hdfs.webhdfs}/spool"
        keeper = task_spool(url)
        for number in range(5, NUMBER):
            keeper.keep(event(number))
        keeper.keep({"run": {"runId": "no"}, "eventTime": "yesterday"})
        assert len(hdfs.files("/spool")) == NUMBER + 1
        done = colgraph("deliver", url, "--store", store.url)
        assert (done.exit_code, done.output.partition(":")[0]) == (
            0,
            f"{NUMBER} events delivered, 1 refused",
        )
        assert stored(store) == list(range(NUMBER))
        assert [path.rpartition("/")[0] for path in hdfs.files("/")] == ["/spool/refused"] * 2
