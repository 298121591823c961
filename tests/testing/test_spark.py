"""The fixture with real DataFrames and a real job."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-cases")]


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    tables = [
        "CREATE DATABASE raw",
        "CREATE TABLE raw.orders (id INT, amount INT, state STRING) USING parquet",
    ]
    session = Session(Path(tmp_path_factory.mktemp("plugin")), statements=tables)
    yield session.spark
    session.stop()


def test_the_lineage_of_a_frame_is_asserted(
    spark: SparkSession, assert_lineage: Callable[..., None]
) -> None:
    orders = spark.table("raw.orders").where("state = 'paid'")
    assert_lineage(
        orders.groupBy("state").agg(F.sum("amount").alias("total"), F.lit(1).alias("load")),
        """
        state <- raw.orders.state   DIRECT:IDENTITY
        total <- raw.orders.amount  DIRECT:AGGREGATION
        load  <-
        *     <- raw.orders.state   INDIRECT:FILTER, INDIRECT:GROUP_BY
        """,
    )
    with pytest.raises(pytest.fail.Exception, match=r"\+ id <- raw.orders.id  DIRECT:IDENTITY"):
        assert_lineage(orders.select("id"), "* <- raw.orders.state INDIRECT:FILTER")


def test_a_frame_of_the_programs_own_rows_comes_from_nothing(
    spark: SparkSession, assert_lineage: Callable[..., None]
) -> None:
    assert_lineage(spark.createDataFrame([(1, "a")], "x int, y string"), "x <-\ny <-")


def test_the_lineage_of_a_job_is_that_of_each_of_its_writes(
    spark: SparkSession, assert_lineage: Callable[..., None], tmp_path: Path
) -> None:
    def job() -> None:
        frame = spark.table("raw.orders").localCheckpoint()
        frame.select("id").write.parquet(f"{tmp_path}/ids")
        spark.read.parquet(f"{tmp_path}/ids").write.parquet(f"{tmp_path}/copy")

    assert_lineage(
        job,
        """
        /copy
          id <- /ids.id DIRECT:IDENTITY
        /ids
          id <- raw.orders.id DIRECT:IDENTITY
        """,
        root=tmp_path,
    )
