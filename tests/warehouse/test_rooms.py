"""The warehouse needs neither a database nor, before it is called, Spark."""

import subprocess
import sys
from pathlib import Path

import pytest

import airflow_colgraph.warehouse

MODULES = sorted(
    f"airflow_colgraph.warehouse.{file.stem}"
    for file in Path(airflow_colgraph.warehouse.__file__).parent.glob("*.py")
    if file.stem != "__init__"
)


@pytest.mark.parametrize("unwanted", ["sqlalchemy", "alembic", "pyspark", "pyarrow", "airflow"])
def test_importing_the_warehouse_imports_none_of(unwanted: str) -> None:
    code = f"import sys, {', '.join(MODULES)}; sys.exit({unwanted!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
