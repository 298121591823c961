"""Iceberg as Spark's own catalog, where one application drops what another has made.

No earlier test dropped a table that its own session had not made, nor had Iceberg there.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.spark.jars import jars

pytestmark = [
    pytest.mark.spark,
    pytest.mark.jars,
    pytest.mark.xdist_group("spark-iceberg"),
    pytest.mark.long,
]

CATALOG = "spark.sql.catalog.spark_catalog"
PROGRAM = """
import sys
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
for text in sys.argv[1:]:
    try:
        spark._jsparkSession.sql(text[4:]) if text.startswith("JVM ") else spark.sql(text)
    except AnalysisException as error:
        print(error.getCondition())
"""


class Change(NamedTuple):
    """What became of a dataset, and its symlink."""

    name: str
    became: str
    link: tuple[str, str]


def ran(folder: Path, *texts: str, **options: str) -> tuple[list[Change], str]:
    """What an application that runs some SQL texts reports, and what it prints."""
    program, output = folder / "program.py", folder / "events.ndjson"
    program.write_text(PROGRAM)
    conf = {
        "spark.ui.enabled": "false",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        CATALOG: "org.apache.iceberg.spark.SparkCatalog",
        f"{CATALOG}.type": "hadoop",
        f"{CATALOG}.warehouse": f"{folder}/lake",
        **{f"{CATALOG}.{name}": value for name, value in options.items()},
    }
    flags = [f"--conf={name}={value}" for name, value in conf.items()]
    flags += ["--master", "local[1]", "--jars", ",".join(jars("iceberg-spark-runtime-4.1_2.13"))]
    colgraph = [Path(sys.executable).with_name("colgraph"), "submit", "--output", output, "--"]
    command = [*colgraph, *flags, program, *texts]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    events = [json.loads(line) for line in output.read_text().splitlines()]
    output.unlink()
    return [change(each, folder) for event in events for each in event["outputs"]], done.stdout


def change(dataset: dict[str, Any], folder: Path) -> Change:
    facets = dataset["facets"]
    (link,) = facets["symlinks"]["identifiers"]
    became = facets.get("lifecycleStateChange", {}).get("lifecycleStateChange", "")
    identity = (link["namespace"].replace(f"{folder}/", ""), link["name"])
    return Change(dataset["name"].replace(f"{folder}/", ""), became, identity)


def of_table(name: str, became: str) -> Change:
    return Change(f"lake/default/{name}", became, ("file:lake", f"default.{name}"))


def test_a_table_is_dropped_by_another_application_than_made_it(tmp_path: Path) -> None:
    makes = [f"CREATE TABLE {name} USING iceberg AS SELECT 1 AS a" for name in "tuvw"]
    changes, _ = ran(tmp_path, "CREATE NAMESPACE IF NOT EXISTS default", *makes)
    assert changes == [of_table(name, "CREATE") for name in "tuvw"]
    changes, printed = ran(
        tmp_path,
        "DROP TABLE t",
        "DROP TABLE IF EXISTS t",
        "DROP TABLE t",
        "-- perhaps\nDROP TABLE IF EXISTS default.nosuch",
        "INSERT INTO u SELECT 2",
        "DROP TABLE IF EXISTS u",
        makes[1],
        "DROP TABLE IF EXISTS u",
        "JVM DROP TABLE v",
        "JVM DROP TABLE IF EXISTS w",  # of which nobody knows whether it was there
        "JVM DROP TABLE IF EXISTS nosuch",
        makes[3],
        "JVM DROP TABLE IF EXISTS w",
    )
    assert "TABLE_OR_VIEW_NOT_FOUND" in printed
    assert changes == [
        of_table("t", "DROP"),
        of_table("u", ""),
        of_table("u", "DROP"),
        of_table("u", "CREATE"),
        of_table("u", "DROP"),
        of_table("v", "DROP"),
        of_table("w", "CREATE"),
        of_table("w", "DROP"),
    ]
