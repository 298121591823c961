import shutil
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from airflow_colgraph.warehouse.session import start
from tests.spark.jars import jars
from tests.store.conftest import (  # noqa: F401
    migrated_postgres,
    migrated_sqlite,
    postgres_store_url,
    postgres_url,
    store,
)
from tests.warehouse.broker.process import Broker, broker

CONF = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    # Tables of a few rows: planning and compiling are all their time.
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
# The connectors of the tests marked `jars`, which are left out where there is no Maven.
CONNECTORS = ("delta-spark_4.1_2.13", "delta-storage", "iceberg-spark-runtime-4.1_2.13")
CONNECTORS += ("spark-sql-kafka-0-10_2.13", "spark-token-provider-kafka-0-10_2.13")
CONNECTORS += ("kafka-clients", "commons-pool2")


@pytest.fixture(scope="package")
def spark() -> Iterator[SparkSession]:
    """A session without the collector, stopped before other tests of the process start theirs."""
    connectors = {"spark.jars": ",".join(jars(*CONNECTORS))} if shutil.which("mvn") else {}
    session = start({**CONF, **connectors})
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="package")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A Kafka broker."""
    with broker(tmp_path_factory.mktemp("kafka")) as running:
        yield running


@pytest.fixture(scope="package")
def servers(kafka: Broker) -> str:
    """The address of a Kafka broker."""
    return kafka.address
