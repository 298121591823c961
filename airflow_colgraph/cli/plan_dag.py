"""`colgraph plan --dag`: the tasks of a DAG, each with what those before it would have written."""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from airflow_colgraph.cli.errors import BadInput, Failed, print_error, print_warning
from airflow_colgraph.cli.plan_application import (
    Sources,
    can_be_planned,
    finished,
    required_spark_submit,
    run_planned,
)
from airflow_colgraph.cli.plan_output import PlanOutput
from airflow_colgraph.cli.plan_sql import code_of, keep, listed, sql_event
from airflow_colgraph.cli.plan_store import ddl
from airflow_colgraph.cli.submit import read_events, runs_in
from airflow_colgraph.collector.dry_run.known_sources import Row
from airflow_colgraph.operators import submit_command
from airflow_colgraph.operators.dag_tasks import (
    DagTask,
    NoSuchDag,
    NotPlanned,
    Statements,
    Submit,
    tasks_of,
)
from airflow_colgraph.operators.sql_schemas import Types
from airflow_colgraph.sql.facets import Naming
from airflow_colgraph.sql.script import tables_of

Columns = list[dict[str, Any]]  # the fields of a schema facet
Written = dict[tuple[str, str], Columns]  # by a dataset's namespace and name, under all its names


def plan_dag(
    dag: str,
    folder: Path | None,
    at: datetime,
    output: PlanOutput,
    sources: Sources,
    store: str | None,
) -> int:
    """Plan the tasks of a DAG in order; the exit code.

    It is 1 if a task that can be planned was not planned whole; 2 if that is SQL only. `store`
    is the URL of the store that SQL tasks ask for columns.
    """
    logging.disable(logging.WARNING)  # what Airflow says of parsing
    try:
        tasks = tasks_of(dag, folder, at)
    except NoSuchDag as error:
        raise BadInput(str(error)) from None
    finally:
        logging.disable(logging.NOTSET)
    written: Written = {}
    failed: dict[str, int] = {}
    planned = 0
    for task in tasks:
        if isinstance(task.work, NotPlanned):
            click.echo(f"colgraph: {task.name} is not planned: {task.work.reason}", err=True)
            continue
        planned += 1
        if not output.quiet:
            click.echo(f"task {task.name}", err=True)
        earlier_runs = output.runs()
        try:
            code = plan_task(task, output, sources, written, store)
        except (BadInput, Failed, click.UsageError) as error:
            print_error(f"{task.name}: {error.message}")
            code = 1
        if code:
            failed[task.name] = code
        events = read_events(output.target)
        written.update(
            written_by([event for event in events if not runs_in([event]) <= earlier_runs])
        )
    if failed:
        print_error(
            f"{len(failed)} of {planned} tasks were not planned whole: {listed(list(failed))}."
        )
    elif not output.quiet:
        rest = len(tasks) - planned
        left = f", {rest} not" if rest else ""
        click.echo(f"colgraph: {planned} tasks of {dag} are planned{left}", err=True)
    return 0 if not failed else 2 if set(failed.values()) == {2} else 1


def plan_task(
    task: DagTask, output: PlanOutput, sources: Sources, written: Written, store: str | None
) -> int:
    """Plan a task; the exit code of its application, for SQL that of `code_of`."""
    if isinstance(task.work, Statements):
        sql, called = task.work
        types = written_types(written, called, sql)
        job = (task.namespace, task.name)
        event, unknown = sql_event(sql, called, sources.schemas, store, types, job)
        if unknown:
            print_warning(f"no columns are known of {listed(unknown)} in {called.namespace}.")
        keep(event, output)
        return code_of(sql, called.place, task.name)
    assert isinstance(task.work, Submit)
    command = can_be_planned(submit_command.parse(task.work.arguments))
    ours = {
        submit_command.SINK: output.target,
        "spark.colgraph.namespace": task.namespace,
        "spark.colgraph.jobName": task.name,
    }
    earlier_runs = output.runs()
    planned = sources._replace(planned=written_rows(written))
    outcome = run_planned(required_spark_submit(), command, ours, planned, quiet=output.quiet)
    output.show(earlier_runs, outcome.code, outcome.notes)
    return finished(outcome, quiet=output.quiet)


def written_by(events: list[dict[str, Any]]) -> Written:
    """The columns of what events have written, under all names of each dataset."""
    written: Written = {}
    for event in events:
        for dataset in event.get("outputs", ()):
            facets = dataset.get("facets", {})
            columns = facets.get("schema", {}).get("fields")
            if not columns:
                continue
            others = facets.get("symlinks", {}).get("identifiers", ())
            for identifier in (dataset, *others):
                written[identifier["namespace"], identifier["name"]] = columns
    return written


def written_rows(written: Written) -> list[Row]:
    """What earlier tasks would have written, for the driver."""
    return [(*dataset, ddl(columns)) for dataset, columns in written.items()]


def written_types(written: Written, called: Naming, sql: Any) -> Types:
    """What earlier tasks would have written of the tables that statements name."""
    types: Types = {}
    for name in tables_of(sql, called.place):
        for dataset in (called.table(name), *called.symlinks(name)):
            if dataset in written:
                types[name] = {
                    column["name"]: str(column.get("type", "")) for column in written[dataset]
                }
    return types
