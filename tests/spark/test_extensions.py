"""The worked example of docs/extensions.md in a real session, and extensions that fail."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_colgraph.collector.events import render as text
from airflow_colgraph.collector.sinks import sink

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-extensions")]

PAGE = Path(__file__).parent.parent.parent / "docs" / "extensions.md"

JOB = """
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceReader

class Crm(DataSource):
    @classmethod
    def name(cls):
        return "crm"
    def schema(self):
        return "name string, ssn string, key string"
    def reader(self, schema):
        return Reader()

class Reader(DataSourceReader):
    def read(self, partition):
        yield ("Ann", "123", "k")

spark = SparkSession.builder.master("local[1]").getOrCreate()
spark.dataSource.register(Crm)
redact = F.udf(lambda value, key: value[:1], "string").asNondeterministic()
spark.udf.register("redact", redact)
frame = spark.read.format("crm").load().selectExpr("name", "redact(ssn, key) AS ssn")
frame.write.parquet("out")
"""


def run(folder: Path, extensions: str) -> tuple[list[str], str]:
    """The lineage lines of the job with `extensions`, and its log."""
    _, module = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.M | re.S)
    (folder / "crm_lineage.py").write_text(module)
    (folder / "broken.py").write_text("import no_such_module\n")
    (folder / "failing.py").write_text(
        "from airflow_colgraph.collector.rule_api import EXPRESSIONS, register\n"
        "@register(EXPRESSIONS, 'PythonUDF')\n"
        "def fails(row, scope, children):\n"
        "    raise RuntimeError('a mistake')\n"
    )
    (folder / "job.py").write_text(JOB)
    colgraph = str(Path(sys.executable).parent / "colgraph")
    files = ",".join(str(folder / f"{name}.py") for name in ("crm_lineage", "broken", "failing"))
    conf = ["--conf", f"spark.colgraph.extensions={extensions}", "--conf", "spark.ui.enabled=false"]
    done = subprocess.run(
        [colgraph, "submit", "--output", "events", "--", "--py-files", files, *conf, "job.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    events = sink.read(str(folder / "events")).events
    written = [event for event in events if event.get("outputs")]
    (output,) = written[-1]["outputs"]
    unresolved = written[-1]["run"]["facets"]["colgraph_diagnostics"]["unresolved"]
    lines = [" ".join(line.split()) for line in text.table(text.lines(output, lambda d: d["name"]))]
    return lines + [entry["class"] for entry in unresolved], done.stderr


def test_the_example_of_the_page(tmp_path: Path) -> None:
    lines, log = run(tmp_path, "crm_lineage")
    assert lines == [
        "name <- people.name DIRECT:IDENTITY",
        "ssn <- people.ssn DIRECT:TRANSFORMATION masking",
    ]
    assert "extension" not in log


def test_an_extension_that_fails_harms_nothing(tmp_path: Path) -> None:
    lines, log = run(tmp_path, "crm_lineage,broken,failing")
    assert lines == [
        "name <- people.name DIRECT:IDENTITY",
        "ssn <- people.ssn DIRECT:TRANSFORMATION masking",
        "extension failing: PythonUDF",
    ]
    assert "the extension broken is left out: ModuleNotFoundError" in log
