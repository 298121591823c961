"""The warehouse needs neither a database nor, before it is called, Spark."""

import subprocess
import sys
from pathlib import Path

import pytest

import airflow_colgraph.warehouse
from airflow_colgraph.publish.target import KEPT, SWAPPED
from airflow_colgraph.store.db import tables

MODULES = sorted(
    f"airflow_colgraph.warehouse.{file.stem}"
    for file in Path(airflow_colgraph.warehouse.__file__).parent.glob("*.py")
    if file.stem != "__init__"
)


@pytest.mark.parametrize("unwanted", ["sqlalchemy", "alembic", "pyspark", "pyarrow", "airflow"])
def test_importing_the_warehouse_imports_none_of(unwanted: str) -> None:
    code = f"import sys, {', '.join(MODULES)}; sys.exit({unwanted!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_publish_knows_each_table_of_the_store() -> None:
    """A new table is replaced by what the warehouse has, or it is kept; not forgotten."""
    names = sorted(table.name for table in (*SWAPPED, *KEPT))
    assert names == sorted(tables.metadata.tables)
