"""`colgraph connect-server`: a Spark Connect server with the collector beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from airflow_colgraph.cli.errors import print_error
from airflow_colgraph.cli.submit import (
    NOT_FOUND,
    find_spark_submit,
    is_local,
    run,
    spark_defaults,
    spark_home,
)
from airflow_colgraph.collector.connect_protocol import SERVER
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.operators import submit_command
from airflow_colgraph.operators.collector_archive import compiled_archive, launcher
from airflow_colgraph.operators.submit_arguments import NotPossible

CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
JAR = "spark-connect_*.jar"


@click.command("connect-server", context_settings={"allow_interspersed_args": False})
@click.option(
    "--output",
    metavar="FILE|URI",
    help="Where the OpenLineage events of sessions go that no Airflow task has opened, as with"
    " `colgraph submit`.  [default: nowhere]",
)
@click.argument("args", metavar="-- SPARK_SUBMIT_OPTIONS...", nargs=-1, type=click.UNPROCESSED)
def connect_server(output: str | None, args: tuple[str, ...]) -> None:
    """Start a Spark Connect server that reports the lineage of its clients.

    A task of `ColgraphPySparkOperator` or `@task.colgraph_pyspark` whose connection is a Spark
    Connect one gets the lineage of its own session. The server runs until it is interrupted.

    \b
    Example:
      colgraph connect-server -- --master local[2]
      colgraph connect-server --output events.jsonl -- --conf spark.connect.grpc.binding.port=15003
    """
    spark_submit = find_spark_submit()
    jar = find_jar(spark_submit) if spark_submit else None
    if spark_submit is None or jar is None:
        print_error(
            "a spark-submit of Spark 4.0 or newer, with Spark Connect in its jars, was not found."
            " Install Spark, set SPARK_HOME, or run `pip install pyspark`."
        )
        sys.exit(NOT_FOUND)
    command = submit_command.parse([*args, "--class", CLASS, str(jar)])
    if command.application != str(jar):
        raise click.UsageError(
            "Only options of spark-submit can be given: the server has no application."
        )
    ours = {SERVER: "true"}
    if output:
        ours[submit_command.SINK] = (
            str(sinks.local_path(output).absolute()) if is_local(output) else output
        )
    defaults = spark_defaults(command, spark_submit)
    try:
        words = submit_command.add_collector(
            command,
            defaults,
            submit_command.place(command, defaults, os.environ),
            ours=ours,
            archive=str(compiled_archive()),
            launcher=str(launcher()),
        )
    except (NotPossible, OSError) as error:
        print_error(f"the server cannot have the collector: {error}")
        sys.exit(1)
    sys.exit(run([spark_submit, *words]))


def find_jar(spark_submit: str) -> Path | None:
    """The jar of Spark Connect's server, in the Spark that spark-submit is of."""
    return next(spark_home(spark_submit).glob(f"jars/{JAR}"), None)
