"""`colgraph pipelines`: spark-pipelines with the collector, and the lineage as text."""

from __future__ import annotations

import os
import re
import shutil
import sys
from itertools import pairwise
from pathlib import Path

import click

from airflow_colgraph.cli.errors import print_error, print_warning
from airflow_colgraph.cli.submit import (
    NOT_FOUND,
    OUTPUT,
    find_spark_submit,
    is_local,
    run,
    run_and_report,
    spark_defaults,
)
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.operators import pipelines_command
from airflow_colgraph.operators.collector_archive import compiled_archive
from airflow_colgraph.operators.submit_arguments import NotPossible
from airflow_colgraph.operators.submit_command import SINK, Command, Place, place

JOB_NAME = "spark.colgraph.jobName"
SPECIFICATIONS = ("spark-pipeline.yaml", "spark-pipeline.yml")
NAME = re.compile(r"""^name:[ \t]+(?:"([^"\n]+)"|'([^'\n]+)'|([^#\n]+))""", re.M)


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--output",
    metavar="FILE|URI",
    help="Where the OpenLineage events go, as with `colgraph submit`."
    f"  [default: {OUTPUT} in the current folder]",
)
@click.option("--namespace", metavar="NS", help="The namespace of the OpenLineage job.")
@click.option("--job-name", metavar="NAME", help="Its name.  [default: the specification's name]")
@click.option("--quiet", is_flag=True, help="Print only the pipeline's own output.")
@click.argument("args", metavar="-- SPARK_PIPELINES_ARGS...", nargs=-1, type=click.UNPROCESSED)
def pipelines(
    output: str | None,
    namespace: str | None,
    job_name: str | None,
    quiet: bool,
    args: tuple[str, ...],
) -> None:
    """Run spark-pipelines so that the pipeline reports its column lineage.

    What it prints and its exit code are those of spark-pipelines. A dry run tells the lineage that
    a run would have, and writes nothing but the events.

    \b
    Example:
      colgraph pipelines -- run --spec shop/spark-pipeline.yml --master local[2]
      colgraph pipelines --output planned.jsonl -- dry-run --spec shop/spark-pipeline.yml
    """
    program = find_spark_pipelines()
    if program is None:
        print_error(
            "spark-pipelines was not found on PATH or beside spark-submit. It is part of Spark"
            " from 4.1 on: install that, set SPARK_HOME, or run"
            " `pip install 'pyspark[pipelines]>=4.1'`."
        )
        sys.exit(NOT_FOUND)
    command = pipelines_command.parse(args)
    defaults = spark_defaults(command, program)
    properties = {**defaults, **command.properties()}
    target = output or properties.get(SINK) or OUTPUT
    if is_local(target):
        target = str(sinks.local_path(target).absolute())
    ours = {SINK: target}
    if namespace:
        ours["spark.colgraph.namespace"] = namespace
    name = job_name or properties.get(JOB_NAME) or specified_name(command, Path.cwd())
    if name:
        ours[JOB_NAME] = name
    words = list(args)
    if command.application is not None:
        try:
            words = pipelines_command.add_collector(
                command,
                properties,
                driver_place(command, defaults),
                ours=ours,
                archive=str(compiled_archive()),
            )
        except (NotPossible, OSError) as error:
            print_warning(f"lineage is off for this pipeline: {error}")
            command = command._replace(application=None)
    if command.application is None:
        sys.exit(run([program, *words]))
    sys.exit(run_and_report([program, *words], target, quiet=quiet))


def find_spark_pipelines() -> str | None:
    """spark-pipelines on PATH, or beside spark-submit."""
    on_path = shutil.which("spark-pipelines")
    spark_submit = find_spark_submit()
    if on_path or spark_submit is None:
        return on_path
    script = Path(spark_submit).resolve().with_name("spark-pipelines")
    return str(script) if os.access(script, os.X_OK) else None


def driver_place(command: Command, defaults: dict[str, str]) -> Place:
    """Where the driver runs: here, or at a Spark Connect server that `--remote` names."""
    remote = command.value("--remote")
    driver = place(command, defaults, os.environ)
    return driver._replace(master=remote) if remote else driver


def specified_name(command: Command, folder: Path) -> str:
    """The name that the pipeline's specification gives it; empty if that is not found.

    To Spark every pipeline is the application cli.py.
    """
    words = command.application_args
    specified = [value for word, value in pairwise(words) if word == "--spec"]
    specified += [word.partition("=")[2] for word in words if word.startswith("--spec=")]
    above = [at / name for at in (folder, *folder.parents) for name in SPECIFICATIONS]
    for file in [folder / value for value in specified] or above:
        if file.is_file():
            match = NAME.search(file.read_text(errors="replace"))
            return (match[1] or match[2] or match[3]).strip() if match else ""
    return ""
