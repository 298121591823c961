"""A build, a closure and an impact as one Spark application: python -m tests.warehouse.cluster_job.

Arguments: the master's URL, the event logs, the warehouse. Each step is a line on standard output,
printed before it begins; the last two lines are the paths of both answers.
"""

import sys

from airflow_colgraph.warehouse.build import build
from airflow_colgraph.warehouse.closure import closure
from airflow_colgraph.warehouse.impact import impact
from airflow_colgraph.warehouse.question import Question
from airflow_colgraph.warehouse.session import start
from airflow_colgraph.warehouse.starts import named

CONF = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.executor.cores": "1",
    "spark.cores.max": "2",
    "spark.executor.memory": "600m",
    "spark.pyspark.python": sys.executable,
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(master: str, events: str, to: str) -> None:
    """Run all three; the session is stopped at the end."""
    spark = start({**CONF, "spark.master": master})
    spark.sparkContext.setLogLevel("OFF")
    build(spark, [events], to, lambda name, number, steps: say(name))
    closed = closure(spark, to, named(["1a"]), Question("downstream", indirect=True), say)
    say("impact")
    counted = impact(spark, to, indirect=True)
    say(closed)
    say(counted)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
