"""Tests import Airflow with a home of their own: never the one of whoever runs them."""

import os
import shutil
import tempfile

import pytest

AIRFLOW_HOME = tempfile.mkdtemp(prefix="colgraph-tests-")
for name in [name for name in os.environ if name.startswith(("AIRFLOW_", "COLGRAPH_"))]:
    del os.environ[name]
os.environ["AIRFLOW_HOME"] = AIRFLOW_HOME
os.environ["AIRFLOW_CONN_SPARK_DEFAULT"] = '{"conn_type": "spark", "host": "local[1]"}'
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(AIRFLOW_HOME, ignore_errors=True)
