"""Canaries in every place where people put secrets: none is in any event of the file."""

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

from airflow_colgraph.collector.driver import listener
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-commands")]

CANARY = "canary7Zq"
KEY = "canary7Zq-key-16"  # what AES takes
URL = f"jdbc:derby:memory:secrets;create=true;user=app;password={CANARY}"  # Spark ships Derby


def test_no_secret_is_in_an_event(tmp_path: Path) -> None:
    settings = {
        "spark.hadoop.fs.s3a.secret.key": CANARY,
        "spark.hadoop.fs.azure.account.key.x": CANARY,
        "spark.colgraph.descriptions": "true",
        "spark.colgraph.sinkToken": CANARY,
    }
    session = Session(tmp_path, settings)
    spark = session.spark
    orders = spark.table("raw.orders")

    jdbc = {"url": URL, "user": "app", "password": CANARY}
    orders.write.format("jdbc").options(**jdbc, dbtable="orders").save()
    secret_link = f"https://ann:{CANARY}@h/x?token={CANARY}"
    text = f"""SELECT "id", "state" FROM orders WHERE "state" NOT LIKE '{secret_link}'"""
    for source in ({"dbtable": "orders"}, {"query": text}, {"dbtable": f"({text}) q"}):
        frame = spark.read.format("jdbc").options(**jdbc, **source).load()
        frame.write.mode("overwrite").option("sas.token", CANARY).json(f"{tmp_path}/json")
    spark.sql(
        f"CREATE TABLE mart.outside USING jdbc OPTIONS"
        f" (url '{URL}', dbtable 'orders', user 'app', password '{CANARY}')"
    )
    spark.sql("INSERT INTO mart.outside SELECT * FROM raw.orders")
    spark.table("mart.outside").createTempView("seen")
    spark.sql(
        "CREATE TABLE mart.sealed AS SELECT id,"
        f" concat('https://ann:{CANARY}@h/', state) AS link,"
        f" 'password={CANARY}' AS given,"
        f" base64(aes_encrypt(state, '{KEY}')) AS sealed FROM seen"
    )
    reader = spark.read.option("access_token", CANARY).option("fs.s3a.access.key", CANARY)
    frame = reader.schema("id LONG, state STRING").json(f"{tmp_path}/json")
    opened = F.expr(f"try_aes_decrypt(unbase64(state), '{KEY}')").alias("opened")
    frame.select("id", opened).write.option("apiKey", CANARY).csv(f"{tmp_path}/csv")
    named = f"SELECT id, aes_encrypt(state, '{KEY}'), base64(aes_encrypt(state, '{KEY}')) FROM seen"
    spark.sql(named).write.parquet(f"{tmp_path}/named")
    spark.read.parquet(f"{tmp_path}/named").write.json(f"{tmp_path}/again")
    events = session.events()
    listener.finish(True, f"SQLException: {URL} refused https://ann:{CANARY}@h?sig={CANARY}")
    session.stop()

    last = session.sink.read_text()
    outputs = [output["name"] for event in events for output in event["outputs"]]
    assert sum(name.endswith("ORDERS") or name.endswith("orders") for name in outputs) >= 2
    assert {name.rpartition("/")[2] for name in outputs} >= {"json", "sealed", "csv"}
    for output in (event["outputs"][0] for event in events[-2:]):
        sealed = ["aes_encrypt(***)", "base64(aes_encrypt(***))"]
        assert list(output["facets"]["columnLineage"]["fields"]) == ["id", *sealed]
    assert "SQLException: jdbc:derby:memory:secrets" in last
    assert '"FAIL"' in last
    assert CANARY not in last
    for event in events:
        assert CANARY not in str(event), event


SALTED = f"""
    id, sha2(concat('{CANARY}', state), 256), sha2(concat('{CANARY}2', state), 256),
    md5('{CANARY}'), crc32(concat(state, '{CANARY})')), state = 'x' AND id = 1 AS plain,
    hash(id, '{CANARY}'), CASE WHEN state = 'x' THEN sha1('{CANARY}') END
"""
NAMES = ["id", "sha2(***)", "sha2(***) (2)", "md5(***)", "crc32(***)", "plain", "hash(***)"]
NAMES += ["CASE WHEN (state = x) THEN sha1(***)"]


def test_a_salt_is_in_no_name_of_a_column_and_the_columns_still_join(tmp_path: Path) -> None:
    """No earlier test had an expression without an alias, other than aes_encrypt."""
    session = Session(tmp_path, {"spark.colgraph.nestedFields": "true"})
    spark = session.spark
    orders = spark.table("raw.orders")
    salted = orders.selectExpr(*(part.strip() for part in split(SALTED)))
    names = salted.columns
    salted.write.parquet(f"{tmp_path}/salted")
    spark.read.parquet(f"{tmp_path}/salted").select(f"`{names[2]}`").write.json(f"{tmp_path}/two")
    spark.sql(f"CREATE TABLE mart.salted AS SELECT {SALTED} FROM raw.orders")
    spark.sql(f"CREATE TABLE mart.again AS SELECT `{names[1]}` AS a, `{names[2]}` FROM mart.salted")
    spark.sql("CREATE VIEW mart.salted_view AS SELECT * FROM mart.salted")
    frame = orders.select("id", F.sha2(F.concat(F.lit(CANARY), "state"), 256)).localCheckpoint()
    frame.select(F.struct("*").alias("whole")).write.parquet(f"{tmp_path}/nested")
    nested = spark.read.parquet(f"{tmp_path}/nested")
    nested.select(f"whole.`{frame.columns[1]}`").write.orc(f"{tmp_path}/part")
    events = session.events()
    with pytest.raises(Exception, match="cannot be resolved") as failure:
        orders.select(f"`{names[1]}`")
    listener.finish(True, f"{type(failure.value).__name__}: {failure.value}")
    session.stop()

    assert CANARY not in session.sink.read_text()
    assert CANARY not in str(events)
    outputs = {e["outputs"][0]["name"].rpartition("/")[2]: e["outputs"][0] for e in events}
    inputs = {e["outputs"][0]["name"].rpartition("/")[2]: e["inputs"] for e in events}
    for name in ("salted", "salted_view"):
        facets = outputs[name]["facets"]
        assert [field["name"] for field in facets["schema"]["fields"]] == NAMES
        assert list(facets["columnLineage"]["fields"]) == NAMES
    read = [field["name"] for field in inputs["again"][0]["facets"]["schema"]["fields"]]
    assert read == NAMES
    lineage = outputs["again"]["facets"]["columnLineage"]["fields"]
    assert sources(lineage) == {"a": ["sha2(***)"], "sha2(***)": ["sha2(***) (2)"]}
    lineage = outputs["two"]["facets"]["columnLineage"]["fields"]
    assert sources(lineage) == {"sha2(***)": ["sha2(***) (2)"]}
    lineage = outputs["part"]["facets"]["columnLineage"]["fields"]
    assert sources(lineage) == {"sha2(***)": ["whole.sha2(***)"]}


def sources(lineage: dict[str, Any]) -> dict[str, list[str]]:
    """The fields that each column comes from."""
    return {
        name: [found["field"] for found in column["inputFields"]]
        for name, column in lineage.items()
    }


def split(items: str) -> list[str]:
    """The items of a SELECT, of which each begins a line or follows a comma and a space."""
    return [item for item in re.split(r",\s+(?![^(]*\))", items) if item.strip()]
