"""`colgraph plan`: the lineage that a job, a SQL script or a DAG would have, without its data."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import click

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.options import FILE
from airflow_colgraph.cli.plan_application import (
    Sources,
    can_be_planned,
    finished,
    required_spark_submit,
    run_planned,
)
from airflow_colgraph.cli.plan_output import FORMATS, STANDARD_OUTPUT, PlanOutput
from airflow_colgraph.cli.store_access import named_store, open_store, store_errors, store_option
from airflow_colgraph.cli.submit import is_local
from airflow_colgraph.collector.dry_run.known_sources import Row
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.operators import submit_command

OUTPUT = "colgraph-plan.jsonl"


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--output",
    metavar="FILE",
    default=OUTPUT,
    show_default=True,
    help="Where the OpenLineage events go, one JSON document a line; events are appended. - keeps"
    " none: what --format prints on standard output is all.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="What is printed: the lineage as text, the events, or one graph.  [default: table; events"
    " with --output -]",
)
@click.option(
    "--schemas",
    metavar="FILE",
    type=FILE,
    help="A JSON object of tables and paths with their columns as DDL, for sources that are not"
    " there.",
)
@click.option(
    "--rows",
    metavar="FILE",
    type=FILE,
    help="A JSON object of tables and paths with a list of rows each: count(), collect(), pivot()"
    " and others look at these rows.",
)
@click.option(
    "--sql",
    metavar="FILE",
    type=FILE,
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
@click.option("--dag", metavar="DAG_ID", help="A DAG of Airflow's: each of its tasks, in order.")
@click.option(
    "--dags-folder",
    metavar="PATH",
    type=click.Path(exists=True, path_type=Path),
    help="Where the DAG is, a folder or a file.  [default: Airflow's dags_folder]",
)
@click.option(
    "--logical-date",
    metavar="DATE",
    help="The date for which the DAG's templates are rendered, such as 2026-01-31.  [default: now]",
)
@click.option("--namespace", metavar="NS", help="The namespace of the OpenLineage job.")
@click.option(
    "--job-name",
    metavar="NAME",
    help="Its name.  [default: the application's name, the script's path]",
)
@click.option(
    "--quiet", is_flag=True, help="Print only what is wrong, and what --output - asks for."
)
@store_option
@click.argument("args", metavar="[-- SPARK_SUBMIT_ARGS...]", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def plan(
    context: click.Context,
    output: str,
    format_: str | None,
    schemas: Path | None,
    rows: Path | None,
    sql: Path | None,
    dialect: str | None,
    database: str,
    default_schema: str,
    dag: str | None,
    dags_folder: Path | None,
    logical_date: str | None,
    namespace: str | None,
    job_name: str | None,
    quiet: bool,
    args: tuple[str, ...],
) -> None:
    """Show the column lineage of a PySpark job, a SQL script or a DAG, without its data.

    No row is read and nothing is written: the application runs on a local master in which each
    source has its columns and no rows. Changes of files go to a scratch folder, the catalog is the
    job's own, and what could leave Spark otherwise is skipped and named. Python code that does not
    go through Spark does run. Lineage is printed on standard output, all else (what the application
    and Spark print, too) on standard error. The exit code is the application's; 1 if a guard
    failed, 2 if SQL does not parse.

    \b
    Example:
      colgraph plan -- jobs/daily.py 2026-01-31
      colgraph plan --schemas schemas.json -- jobs/daily.py && colgraph check colgraph-plan.jsonl
      colgraph plan --store sqlite:///lineage.db -- jobs/daily.py 2026-01-31
      colgraph plan --rows rows.json -- jobs/daily.py 2026-01-31
      colgraph plan --sql daily.sql --dialect postgres --schemas schemas.json
      colgraph plan --output - --quiet -- jobs/daily.py | colgraph check -
      colgraph plan --store sqlite:///lineage.db --dag flights --dags-folder dags
    """
    check_schemas(schemas)
    check_rows(rows)
    place = output_of(context, output, format_, quiet=quiet)
    first = place.runs()
    if sql is not None:
        if args or dag or rows or not dialect:
            raise click.UsageError("Give --sql FILE with --dialect D, and no application or DAG.")
        try:
            from airflow_colgraph.cli.plan_sql import Database, plan_script
        except ModuleNotFoundError as error:
            if error.name != "sqlglot":
                raise
            raise BadInput("--sql needs sqlglot: pip install 'colgraph[sql]'") from None
        code = plan_script(
            sql,
            Database(dialect, database, default_schema),
            schemas,
            named_store(context),
            (namespace or "default", job_name),
            place,
        )
        place.end(first)
        sys.exit(code)
    if dialect or database or default_schema:
        raise click.UsageError("--dialect, --database and --default-schema are of --sql FILE.")
    if dag is not None:
        if args or namespace or job_name:
            raise click.UsageError("Give --dag DAG_ID without an application and without names.")
        sources = Sources(schemas, rows, known_rows(context))
        code = run_dag(context, dag, dags_folder, moment(logical_date), place, sources)
        place.end(first)
        sys.exit(code)
    if dags_folder or logical_date:
        raise click.UsageError("--dags-folder and --logical-date are of --dag DAG_ID.")
    command = can_be_planned(submit_command.parse(args))
    spark_submit = required_spark_submit()
    ours = {submit_command.SINK: place.target}
    if namespace:
        ours["spark.colgraph.namespace"] = namespace
    if job_name:
        ours["spark.colgraph.jobName"] = job_name
    sources = Sources(schemas, rows, known_rows(context))
    outcome = run_planned(spark_submit, command, ours, sources, quiet=quiet)
    place.show(first, outcome.code, outcome.notes)
    place.end(first)
    sys.exit(finished(outcome, quiet=quiet))


def output_of(
    context: click.Context, output: str, format_: str | None, *, quiet: bool
) -> PlanOutput:
    """Where the events go: the file of `--output`, or one that is removed with the command."""
    if output == STANDARD_OUTPUT:
        folder = context.with_resource(tempfile.TemporaryDirectory(prefix="colgraph-plan-"))
        return PlanOutput(str(Path(folder, OUTPUT)), format_ or "events", quiet, is_kept=False)
    if not is_local(output):
        raise BadInput(f"{output} is not a file here: a plan sends nothing.")
    return PlanOutput(str(sinks.local_path(output).absolute()), format_ or "table", quiet)


def run_dag(
    context: click.Context,
    dag: str,
    folder: Path | None,
    at: datetime,
    output: PlanOutput,
    sources: Sources,
) -> int:
    """Plan the tasks of a DAG; the exit code."""
    try:
        from airflow_colgraph.cli.plan_dag import plan_dag
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("airflow", "sqlglot"):
            raise
        raise BadInput(
            "--dag needs Airflow with its providers for Spark and SQL: "
            "pip install 'airflow-colgraph[sql]'"
        ) from None
    folder_of_all = tempfile.TemporaryDirectory(prefix="colgraph-plan-")
    scratch = context.with_resource(folder_of_all)
    in_scratch = sources._replace(scratch=scratch)
    return plan_dag(dag, folder, at, output, in_scratch, named_store(context))


def moment(text: str | None) -> datetime:
    """The logical date that was given, in UTC if it has no zone; else now."""
    if text is None:
        return datetime.now(timezone.utc)
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(f"'{text}' is not a date like 2026-01-31 or 2026-01-31T12:00.") from None
    return date if date.tzinfo else date.replace(tzinfo=timezone.utc)


def known_rows(context: click.Context) -> list[Row]:
    """What the named store knows of sources; nothing where none is named."""
    if not named_store(context):
        return []
    from airflow_colgraph.cli.plan_store import stored_rows

    with store_errors():
        return stored_rows(open_store(context))


def check_schemas(file: Path | None) -> None:
    """A file of schemas must be one."""
    check_object(file, lambda ddl: isinstance(ddl, str), '{"mart.daily": "day DATE, total DOUBLE"}')


def check_rows(file: Path | None) -> None:
    """A file of rows must be one."""
    check_object(file, is_rows, '{"mart.daily": [{"day": "2026-01-31", "total": 2.5}]}')


def is_rows(value: Any) -> bool:
    """Whether a value is a list of JSON objects."""
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def check_object(file: Path | None, is_right: Callable[[Any], bool], example: str) -> None:
    """A file, if there is one, must have a JSON object with values that are right."""
    if file is None:
        return
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} cannot be read: {error}") from None
    if not isinstance(document, dict) or not all(map(is_right, document.values())):
        raise BadInput(f"{file} is not an object like {example}.")
