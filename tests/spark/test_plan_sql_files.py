"""`colgraph plan` of files in SQL text, and of tables by path and by JDBC that are not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_colgraph.testing.text import of_events, parse
from bench.plan import colgraph, tree
from tests.spark.jars import jars

pytestmark = [pytest.mark.spark, pytest.mark.jars, pytest.mark.xdist_group("plan")]

JOB = """
import sys
from pyspark.sql import SparkSession

home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()

def write(name, *statements):
    for statement in statements[:-1]:
        spark.sql(statement.format(home=home))
    spark.sql(statements[-1].format(home=home)).write.parquet(f"{home}/out/{name}")

# files that are there
write("csv", "SELECT _c1 FROM csv.`{home}/items` WHERE _c0 > 1")
write("json", "WITH people AS (SELECT * FROM json.`{home}/people`), "
      "named AS (SELECT name FROM people) "
      "SELECT name FROM named WHERE name IN (SELECT _c0 FROM csv.`{home}/items`)")
write("view", "CREATE TEMP VIEW items USING csv OPTIONS (path '{home}/items', header 'true')",
      "CREATE VIEW persons AS SELECT upper(name) AS who FROM json.`{home}/people`",
      "SELECT sku, who FROM items CROSS JOIN persons")
write("table", "CREATE TABLE sold USING csv OPTIONS (path '{home}/items', header 'true', "
      "inferSchema 'true')", "CREATE TABLE people USING json LOCATION '{home}/people'",
      "SELECT qty + 1 AS more, age FROM sold, people")
spark.catalog.createTable("listed", path=f"{home}/items", source="csv", header="true")
write("catalog", "SELECT qty FROM listed")

# files that the job has written, and that only --schemas names
rows = spark.sql("SELECT id, name FROM parquet.`{home}/lake/none`".format(home=home))
rows.write.json(f"{home}/own/json")
rows.write.option("header", "true").csv(f"{home}/own/csv")
write("own", "CREATE TEMP VIEW own USING csv OPTIONS (path '{home}/own/csv', header 'true')",
      "SELECT j.name, o.id FROM own o JOIN json.`{home}/own/json` j ON o.id = j.id")
write("none", "CREATE TABLE none USING orc LOCATION '{home}/lake/none'", "SELECT name FROM none")

# tables that only --schemas names, by path and by JDBC
lake = f"{home}/lake"
spark.sql(f"MERGE INTO delta.`{lake}/target` t USING json.`{home}/people` s ON t.name = s.name "
          "WHEN NOT MATCHED THEN INSERT (name) VALUES (s.name)")
spark.sql(f"INSERT INTO delta.`{lake}/log` SELECT age, name FROM json.`{home}/people`")
spark.read.format("delta").load(f"{lake}/source").select("id").write.json(f"{home}/out/delta")
write("located", "CREATE TABLE located USING delta LOCATION '{home}/lake/located'",
      "SELECT name FROM located")
spark.read.format("xml").option("rowTag", "r").load(f"{lake}/xml").write.json(f"{home}/out/xml")
orders = spark.read.jdbc("jdbc:postgresql://nowhere/shop", "public.orders")
orders.selectExpr("id * 2 AS id").write.json(f"{home}/out/jdbc")
"""
OUTPUTS = {
    "csv": "_c1 <- /items._c1 DIRECT:IDENTITY\n* <- /items._c0 INDIRECT:FILTER",
    "json": """
        name <- /people.name DIRECT:IDENTITY
        * <- /people.name INDIRECT:FILTER
        * <- /items._c0 INDIRECT:FILTER
    """,
    "view": "sku <- /items.sku DIRECT:IDENTITY\nwho <- /people.name DIRECT:TRANSFORMATION",
    "table": "more <- /items.qty DIRECT:TRANSFORMATION\nage <- /people.age DIRECT:IDENTITY",
    "catalog": "qty <- /items.qty DIRECT:IDENTITY",
    "own": """
        name <- /own/json.name DIRECT:IDENTITY
        id <- /own/csv.id DIRECT:IDENTITY
        * <- /own/csv.id INDIRECT:JOIN
        * <- /own/json.id INDIRECT:JOIN
    """,
    "none": "name <- /lake/none.name DIRECT:IDENTITY",
    "delta": "id <- /lake/source.id DIRECT:IDENTITY",
    "located": "name <- /lake/located.name DIRECT:IDENTITY",
    "xml": "id <- /lake/xml.id DIRECT:IDENTITY",
    "jdbc": "id <- shop.public.orders.id DIRECT:TRANSFORMATION",
}
TABLES = {
    "target": "name <- /people.name DIRECT:IDENTITY",
    "log": "id <- /people.age DIRECT:IDENTITY\nname <- /people.name DIRECT:IDENTITY",
}
DESCRIBED = {
    **dict.fromkeys(("none", "target", "log", "source", "located"), "id BIGINT, name STRING"),
    "xml": "id BIGINT",
}
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.ui.enabled": "false",
}


def test_files_in_sql_text_have_their_columns(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name, text in (("items", "sku,qty\na,1\n"), ("people", '{"name": "x", "age": 1}\n')):
        (home / name).mkdir(parents=True)
        (home / name / "part-0").write_text(text)
    (tmp_path / "job.py").write_text(JOB)
    described = {f"{home}/lake/{name}": columns for name, columns in DESCRIBED.items()}
    described["public.orders"] = "id BIGINT"
    (tmp_path / "schemas.json").write_text(json.dumps(described))
    before = tree(home)
    words = ["--schemas", "schemas.json", "--output", "events.jsonl"]
    properties = {**DELTA, "spark.sql.warehouse.dir": f"{home}/wh"}
    conf = ["--jars", ",".join(jars("delta-spark_4.1_2.13", "delta-storage"))]
    conf += [word for name, value in properties.items() for word in ("--conf", f"{name}={value}")]
    done = colgraph("plan", *words, "--", *conf, str(tmp_path / "job.py"), str(home), cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "colgraph: Spark has read and written 0 rows" in done.stderr
    assert tree(home) == before
    lines = (tmp_path / "events.jsonl").read_text().splitlines()
    outputs = of_events(map(json.loads, lines), str(home))
    told = {name: outputs[f"/out/{name}"] for name in OUTPUTS}
    assert told == {name: parse(text)[""] for name, text in OUTPUTS.items()}
    for name, text in TABLES.items():
        assert parse(text)[""] <= outputs[f"/lake/{name}"]
