"""`colgraph plan`: the lineage that a job would have, without its data."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from airflow_colgraph.cli.errors import BadInput, Failed, print_error
from airflow_colgraph.cli.store_access import named_store, open_store, store_errors, store_option
from airflow_colgraph.cli.submit import (
    NOT_FOUND,
    find_spark_submit,
    is_local,
    read_events,
    report,
    run,
    runs_in,
)
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.operators import submit_command
from airflow_colgraph.operators.collector_archive import compiled_archive, dry_run, launcher
from airflow_colgraph.operators.submit_arguments import NotPossible

OUTPUT = "colgraph-plan.jsonl"
REPLACED = {"--master", "--deploy-mode"}  # options of the job's that do not count
PROPERTIES = {"spark.sql.catalogImplementation": "in-memory", "spark.eventLog.enabled": "false"}


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--output",
    metavar="FILE",
    default=OUTPUT,
    show_default=True,
    help="Where the OpenLineage events go, one JSON document a line; events are appended.",
)
@click.option(
    "--schemas",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A JSON object of tables and paths with their columns as DDL, for sources that are not"
    " there.",
)
@click.option(
    "--sql",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A SQL script instead of an application; no database is asked.",
)
@click.option("--dialect", metavar="D", help="The script's dialect, such as postgres or snowflake.")
@click.option(
    "--database",
    metavar="NS",
    default="",
    help="The namespace of the script's tables, such as postgres://db:5432."
    "  [default: the dialect]",
)
@click.option(
    "--default-schema",
    metavar="CATALOG.SCHEMA",
    default="",
    help="Where tables are that the script names without it, such as shop.public.",
)
@click.option("--namespace", metavar="NS", help="The namespace of the OpenLineage job.")
@click.option(
    "--job-name", metavar="NAME", help="Its name.  [default: the application's name, or the file's]"
)
@click.option("--quiet", is_flag=True, help="Print only the job's own output and what is wrong.")
@store_option
@click.argument("args", metavar="[-- SPARK_SUBMIT_ARGS...]", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def plan(
    context: click.Context,
    output: str,
    schemas: Path | None,
    sql: Path | None,
    dialect: str | None,
    database: str,
    default_schema: str,
    namespace: str | None,
    job_name: str | None,
    quiet: bool,
    args: tuple[str, ...],
) -> None:
    """Show the column lineage of a PySpark job or a SQL script, without its data.

    No row is read and nothing is written: the application runs on a local master in which each
    source has its columns and no rows. Changes of files go to a scratch folder, the catalog is the
    job's own, and what could leave Spark otherwise is skipped and named. Python code that does not
    go through Spark does run. The exit code is the application's; 1 if a guard failed.

    \b
    Example:
      colgraph plan -- jobs/daily.py 2026-01-31
      colgraph plan --schemas schemas.json -- jobs/daily.py && colgraph check colgraph-plan.jsonl
      colgraph plan --store sqlite:///lineage.db -- jobs/daily.py 2026-01-31
      colgraph plan --sql daily.sql --dialect postgres --schemas schemas.json
    """
    check_schemas(schemas)
    if not is_local(output):
        raise BadInput(f"{output} is not a file here: a plan sends nothing.")
    if sql is not None:
        if args or not dialect:
            raise click.UsageError("Give --sql FILE with --dialect D, and no application.")
        try:
            from airflow_colgraph.cli.plan_sql import Database, not_resolved, plan_script
        except ModuleNotFoundError as error:
            if error.name != "sqlglot":
                raise
            raise BadInput("--sql needs sqlglot: pip install 'colgraph[sql]'") from None
        event = plan_script(
            sql,
            Database(dialect, database, default_schema),
            schemas,
            named_store(context),
            (namespace or "default", job_name or sql.name),
        )
        keep(event, str(sinks.local_path(output).absolute()), quiet=quiet)
        for line in not_resolved(event):
            click.echo(f"colgraph: {line}", err=True)
        return
    if dialect or database or default_schema:
        raise click.UsageError("--dialect, --database and --default-schema are of --sql FILE.")
    spark_submit = find_spark_submit()
    if spark_submit is None:
        print_error("spark-submit was not found. Install Spark, or run `pip install pyspark`.")
        sys.exit(NOT_FOUND)
    command = planned(submit_command.parse(args))
    target = str(sinks.local_path(output).absolute())
    ours = {submit_command.SINK: target}
    if namespace:
        ours["spark.colgraph.namespace"] = namespace
    if job_name:
        ours["spark.colgraph.jobName"] = job_name
    scratch = tempfile.mkdtemp(prefix="colgraph-plan-")
    try:
        notes = Path(scratch, "notes.json")
        known_sources = (
            known_file(context, Path(scratch, "known.json")) if named_store(context) else ""
        )
        described = str(schemas.absolute()) if schemas else ""
        first = (str(notes), scratch, described, known_sources)
        words = arguments(command, ours, first)
        known = runs_in(read_events(target))
        code = run([spark_submit, *words], without=("SPARK_REMOTE",))
        report(target, known, code, quiet=quiet)
        sys.exit(finished(notes, code, quiet=quiet))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def keep(event: dict[str, Any], target: str, *, quiet: bool) -> None:
    """Append an event to the file, and print its lineage."""
    known = runs_in(read_events(target))
    file = sinks.open_sink(target)
    file.write(event)
    file.close()
    report(target, known, 0, quiet=quiet)


def known_file(context: click.Context, file: Path) -> str:
    """The file with what the store knows of sources."""
    from airflow_colgraph.cli.plan_store import write_known

    with store_errors():
        write_known(open_store(context), file)
    return str(file)


def planned(command: submit_command.Command) -> submit_command.Command:
    """The command of an application that can be planned."""
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


def check_schemas(file: Path | None) -> None:
    """A file of schemas must be one."""
    if file is None:
        return
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} cannot be read: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(ddl, str) for ddl in found.values()):
        raise BadInput(f'{file} is not an object like {{"mart.daily": "day DATE, total DOUBLE"}}.')


def arguments(
    command: submit_command.Command, ours: dict[str, str], first: tuple[str, str, str, str]
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


def finished(file: Path, code: int, *, quiet: bool) -> int:
    """Print what the run has to say besides lineage; the exit code."""
    try:
        notes: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise Failed("the application was not run: see the messages above.") from None
    for text in notes["skipped"]:
        click.echo(f"colgraph: skipped: {text}", err=True)
    for text in notes["actions"]:
        click.echo(f"colgraph: {text} had no rows to return and may have changed the way", err=True)
    for text in notes["unknown"]:
        click.echo(
            f"colgraph: the store knows no types of {text}; --schemas can name them", err=True
        )
    if notes.get("unguarded"):
        print_error(f"files were opened beside the guard, by {', '.join(notes['unguarded'])}.")
        return 1
    read, written = notes.get("inputRecords", 0), notes.get("outputRecords", 0)
    if read or written:
        print_error(f"Spark has read {read} rows and written {written}.")
        return 1
    if not quiet and "inputRecords" in notes:
        click.echo("colgraph: Spark has read and written 0 rows", err=True)
    return code
