"""Canaries in every place where people put secrets: none is in any event of the file."""

from pathlib import Path

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
        sealed = ["aes_encrypt(state, ***)", "base64(aes_encrypt(state, ***))"]
        assert list(output["facets"]["columnLineage"]["fields"]) == ["id", *sealed]
    assert "SQLException: jdbc:derby:memory:secrets" in last
    assert '"FAIL"' in last
    assert CANARY not in last
    for event in events:
        assert CANARY not in str(event), event
