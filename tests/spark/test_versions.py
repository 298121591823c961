"""The cases on the oldest and on the newest Spark, each in an environment of its own.

`make versions` runs them on every Spark, the one between that all other tests run on as well.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from bench.plan import colgraph
from tests.collector.cases.loader import all_cases, can_say
from tests.spark import test_pandas_in_driver
from tests.spark.test_python_functions import EXPECTED, OF_SPARK_4, OPAQUE, outputs_of

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[2]
PINNED = sorted(
    (file.stem.rpartition("-")[2] for file in ROOT.glob("dev/constraints-spark-*.txt")),
    key=lambda version: [*map(int, version.split("."))],
)
ENDS = [
    pytest.param(version, marks=pytest.mark.xdist_group(f"spark-{version}"))
    for version in (PINNED[0], PINNED[-1])
]


PROGRAM = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.sql("CREATE TABLE t USING parquet AS SELECT id, id * 2 AS b FROM range(3)")
spark.newSession().table("t").where("id > 1").write.json("out")

# a catalog that is only read
spark.sql("CREATE TABLE derby.app.made AS SELECT id, b FROM t")
spark.sql("ALTER TABLE derby.app.made ADD COLUMN c BIGINT")
spark.sql('''MERGE INTO derby.app.made d USING t ON d.id = t.id
    WHEN MATCHED THEN UPDATE SET c = t.b WHEN NOT MATCHED THEN INSERT (id, b) VALUES (t.id, t.b)''')
spark.sql("UPDATE derby.app.made SET c = c + 1 WHERE b = 1")
spark.sql("DELETE FROM derby.app.made WHERE c > 1")
spark.table("derby.app.made").writeTo("derby.app.again").createOrReplace()
spark.sql("ALTER TABLE derby.app.again RENAME TO app.last")
tables = spark.sql("SHOW TABLES IN derby.app").collect()
assert sorted(table.tableName for table in tables) == ["last", "made"], tables
assert sorted(table.name for table in spark.catalog.listTables("derby.app")) == ["last", "made"]
spark.table("derby.app.last").rdd.map(tuple).toDF("id long, b long, c long").write.json("kept")
"""


def environment_of(version: str) -> dict[str, str]:
    """The environment in which a Spark version runs, with its Python."""
    where = "import pyspark, sys; print(pyspark.__path__[0], sys.executable)"
    command = ["bash", str(ROOT / "dev/spark_version.sh"), version, "-c", where]
    asked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    home, python = asked.stdout.split()
    path = f"{home}/bin{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "SPARK_HOME": home, "PYSPARK_PYTHON": python, "PATH": path}


@pytest.mark.long
@pytest.mark.parametrize("version", ENDS[:1])
def test_python_functions_are_told_as_on_the_newest(version: str, tmp_path: Path) -> None:
    """Its plans name no kind of function for an aggregation, and its Python is the oldest."""
    told = outputs_of(tmp_path, "submit", environment_of(version))
    expected = {
        name: (lines, OPAQUE.get(name, []))
        for name, lines in EXPECTED.items()
        if name not in OF_SPARK_4
    }
    assert {name: told.get(name) for name in expected} == expected


@pytest.mark.long
@pytest.mark.parametrize("version", ENDS[:1])
def test_text_in_the_driver_is_told_as_on_the_newest(version: str, tmp_path: Path) -> None:
    told = outputs_of(tmp_path, "submit", environment_of(version), test_pandas_in_driver.PROGRAM)
    expected = {name: (lines, []) for name, lines in test_pandas_in_driver.EXPECTED.items()}
    assert {name: told.get(name) for name in expected} == expected


CATALOG = "--conf=spark.sql.catalog.derby"
DERBY = (
    f"{CATALOG}=org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
    f"{CATALOG}.url=jdbc:derby:memory:shop;create=true",
    f"{CATALOG}.driver=org.apache.derby.jdbc.EmbeddedDriver",
)


@pytest.mark.long
@pytest.mark.parametrize("version", ENDS)
def test_a_plan_writes_nothing(version: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = colgraph(
        *("plan", "--output", "-", "--format", "table", "--", *DERBY, "program.py"),
        cwd=tmp_path,
        environment=environment_of(version),
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Spark has read and written 0 rows" in done.stderr
    assert "b  <- default.t.b   DIRECT:IDENTITY" in done.stdout
    assert "c  <- app.made.c   DIRECT:TRANSFORMATION" in done.stdout
    assert "c  <- app.last.c   DIRECT:IDENTITY" in done.stdout
    assert not (tmp_path / "out").exists()


CASE = "tests/spark/test_cases.py::test_the_lineage_is_exactly_the_cases"


@pytest.mark.long
@pytest.mark.parametrize("version", ENDS)
def test_a_sample_of_the_cases_holds(version: str, tmp_path: Path) -> None:
    command = ["bash", str(ROOT / "dev/spark_version.sh"), version, "-m", "pytest", "-q"]
    options = ["-p", "no:cacheprovider", f"--basetemp={tmp_path}"]
    # What a version cannot say may depend on the cases before it, which a sample leaves out.
    sample = [case for case in all_cases()[::24] if can_say(version, case)]
    options += [f"{CASE}[{case.name}]" for case in sample]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    ran = subprocess.run(
        [*command, *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    summary = ran.stdout.rstrip().rpartition("\n")[2]
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-2000:]
    passed = re.match(r"(\d+) passed(?!.* skipped)", summary)
    assert passed, summary
    assert int(passed[1]) == len(sample)
