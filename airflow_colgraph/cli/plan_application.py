"""One PySpark application without its data: our start in its place, on a local master."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from airflow_colgraph.cli.errors import BadInput, Failed, print_error
from airflow_colgraph.cli.submit import NOT_FOUND, find_spark_submit, run
from airflow_colgraph.collector.dry_run.known_sources import Row
from airflow_colgraph.operators import submit_command
from airflow_colgraph.operators.collector_archive import compiled_archive, dry_run, launcher
from airflow_colgraph.operators.submit_arguments import NotPossible

REPLACED = {"--master", "--deploy-mode"}  # options of the job's that do not count
PROPERTIES = {"spark.sql.catalogImplementation": "in-memory", "spark.eventLog.enabled": "false"}


STANDARD_ERROR = 2
NOTED = {  # what a run has noted, and how that is said
    "skipped": "skipped: {}",
    "actions": "{} had no rows to return: the job may have taken another branch (see --rows)",
    "branched": "{} was answered as if there were a row: the job may have taken another branch (see"
    " --rows)",
    "effects": "beside Spark, the job {}",
    "assumed": "{}",
    "unknown": "the store knows no types of {}; --schemas can name them",
    "absent": "{} is not there; its columns are those that the program names",
    "missing": "{} is not there; --schemas can name its columns",
}


class Sources(NamedTuple):
    """What is known of sources before the application begins."""

    schemas: Path | None = None  # the user's file
    rows: Path | None = None  # the user's file of rows
    stored: Sequence[Row] = ()  # what a lineage store knows
    planned: Sequence[Row] = ()  # what earlier tasks of the DAG would have written
    scratch: str | None = None  # the folder with the files and the catalog that those have left


class Outcome(NamedTuple):
    """How a planned application ended: its exit code, and what the guards have noted."""

    code: int
    notes: dict[str, Any] | None


def required_spark_submit() -> str:
    """The path of spark-submit; the command ends where there is none."""
    path = find_spark_submit()
    if path is None:
        print_error("spark-submit was not found. Install Spark, or run `pip install pyspark`.")
        sys.exit(NOT_FOUND)
    return path


def can_be_planned(command: submit_command.Command) -> submit_command.Command:
    """The command itself, or BadInput if its application cannot be planned."""
    application = command.application
    if application is None:
        raise click.UsageError("Give spark-submit's arguments behind --, with an application.")
    if not application.endswith(".py"):
        raise BadInput(f"{application} cannot be planned: only Python applications can.")
    if not os.path.isfile(application):
        raise BadInput(f"{application} is not a file here.")
    if command.value("--remote") or "spark.remote" in command.properties():
        raise BadInput("a job of Spark Connect cannot be planned: its server would run it.")
    return command


def run_planned(
    spark_submit: str,
    command: submit_command.Command,
    ours: dict[str, str],
    sources: Sources,
    *,
    quiet: bool,
) -> Outcome:
    """Run an application on a local master, without rows and without effects.

    What it and Spark print goes to standard error, for what is printed here is lineage. If
    `quiet`, that is printed only if the application fails.
    """
    scratch = sources.scratch or tempfile.mkdtemp(prefix="colgraph-plan-")
    try:
        notes, sources_path = Path(scratch, "notes.json"), ""
        notes.unlink(missing_ok=True)
        if sources.stored or sources.planned:
            file = Path(scratch, "known.json")
            rows = {"stored": list(sources.stored), "planned": list(sources.planned)}
            file.write_text(json.dumps(rows), encoding="utf-8")
            sources_path = str(file)
        described = str(sources.schemas.absolute()) if sources.schemas else ""
        rows_path = str(sources.rows.absolute()) if sources.rows else ""
        first = (str(notes), scratch, described, sources_path, rows_path)
        words = arguments(command, ours, first)
        code = run_on_standard_error([spark_submit, *words], quiet=quiet)
        try:
            return Outcome(code, json.loads(notes.read_text(encoding="utf-8")))
        except OSError:
            return Outcome(code, None)
    finally:
        if not sources.scratch:
            shutil.rmtree(scratch, ignore_errors=True)


def run_on_standard_error(command: Sequence[str], *, quiet: bool) -> int:
    """Run it with all that it prints on standard error, or nothing unless it fails; its code."""
    if not quiet:
        return run(command, without=("SPARK_REMOTE",), stdout=STANDARD_ERROR)
    with tempfile.TemporaryFile() as log:
        code = run(command, without=("SPARK_REMOTE",), stdout=log, stderr=log)
        if code:
            log.seek(0)
            click.echo(log.read().decode(errors="replace"), err=True, nl=False)
    return code


def arguments(
    command: submit_command.Command, ours: dict[str, str], first: tuple[str, str, str, str, str]
) -> list[str]:
    """spark-submit's arguments: our start in place of the application, on a local master."""
    application = os.path.abspath(command.application or "")
    options = [option for option in command.options if option[0] not in REPLACED]
    options += [("--master", "local[1]"), ("--deploy-mode", "client")]
    options += [("--conf", f"{name}={value}") for name, value in PROPERTIES.items()]
    if not command.value("--name"):
        options.append(("--name", Path(application).name))
    changed = command._replace(
        options=tuple(options),
        application=str(dry_run()),
        application_args=(*first, application, *command.application_args),
    )
    at = submit_command.Place("local[1]", "client")
    archive = str(compiled_archive())
    try:
        return submit_command.add_collector(
            changed, {}, at, ours=ours, archive=archive, launcher=str(launcher())
        )
    except NotPossible as error:
        raise BadInput(str(error)) from None


def finished(outcome: Outcome, *, quiet: bool) -> int:
    """Print what a run has to say besides lineage; the exit code."""
    notes = outcome.notes
    if notes is None:
        raise Failed("the application was not run: see the messages above.")
    for kind, message in NOTED.items():
        for text in notes[kind]:
            click.echo(f"colgraph: {message.format(text)}", err=True)
    if notes.get("unguarded"):
        print_error(f"files were opened beside the guard, by {', '.join(notes['unguarded'])}.")
        return 1
    read, written = notes.get("inputRecords", 0), notes.get("outputRecords", 0)
    if read or written:
        print_error(f"Spark has read {read} rows and written {written}.")
        return 1
    if not quiet and "inputRecords" in notes:
        click.echo("colgraph: Spark has read and written 0 rows", err=True)
    return outcome.code
