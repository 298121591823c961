"""`colgraph plan --sql`: the lineage of a SQL script, which no database is asked to run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import click

from airflow_colgraph.check.unknown import advice
from airflow_colgraph.cli.errors import BadInput, print_error, print_warning
from airflow_colgraph.cli.plan_output import PlanOutput
from airflow_colgraph.cli.store_access import store_errors
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.extractors.task_lineage import DIAGNOSTICS
from airflow_colgraph.operators.sql_connections import KINDS, Kind
from airflow_colgraph.operators.sql_reading import Known, lineage_of, stored
from airflow_colgraph.operators.sql_schemas import Types
from airflow_colgraph.sql.database import Place
from airflow_colgraph.sql.facets import Naming
from airflow_colgraph.sql.parse import has_dialect, statements
from airflow_colgraph.sql.planned import columns_of, planned_event, whole_name
from airflow_colgraph.sql.script import not_parsed, tables_of

Json = dict[str, Any]

SHOWN = 5  # names in a warning


class Database(NamedTuple):
    """Where the script would run, as the options name it."""

    dialect: str
    namespace: str  # of the tables as datasets
    schema: str  # CATALOG.SCHEMA, or one of them, of names without it


def plan_script(
    script: Path,
    database: Database,
    schemas: Path | None,
    store: str | None,
    job: tuple[str, str | None],
    output: PlanOutput,
) -> int:
    """Write and show the event that a run of the script would have; the exit code.

    The job's name is by default the script's path below its repository or the current folder.
    """
    called = naming(database)
    try:
        text = script.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{script} cannot be read: {error}") from None
    if not statements(text, called.place.dialect):
        raise BadInput(f"{script} has no statement.")
    named = job[0], job[1] or job_name(script)
    event, unknown = sql_event(text, called, schemas, store, {}, named)
    if store is not None and unknown:
        print_warning(
            f"the store knows no columns of {listed(unknown)} in {called.namespace}. "
            "Name the tables' namespace by --database, or their columns by --schemas."
        )
    keep(event, output)
    return code_of(text, called.place, str(script))


def job_name(script: Path) -> str:
    """The script's path below its repository, else below the current folder: one for each file."""
    whole = script.resolve()
    root = next((folder for folder in whole.parents if (folder / ".git").exists()), Path.cwd())
    return (whole.relative_to(root) if whole.is_relative_to(root) else whole).as_posix()


def code_of(sql: Any, place: Place, name: str) -> int:
    """Print which statements do not parse; 2 if there are any, else 0."""
    lines = not_parsed(sql, place)
    for line in lines:
        print_error(f"{name}, line {line}: the statement cannot be parsed.")
    return 2 if lines else 0


def sql_event(
    sql: Any,
    called: Naming,
    schemas: Path | None,
    store: str | None,
    planned: Types,
    job: tuple[str, str],
) -> tuple[dict[str, object], list[str]]:
    """The event that statements would have, and the tables whose columns are not known.

    What the user's file of `schemas` has counts before `planned`, the columns of tables that
    earlier tasks would have made, and that before the store.
    """
    types: Types = {}
    if store is not None:
        with store_errors():
            types.update(stored(store, called, tables_of(sql, called.place)))
    types.update(planned)
    if schemas is not None:
        types.update(described(schemas, called.place))
    lineage = lineage_of(sql, Known(called, types))
    unknown = [
        str(dataset["name"]) for dataset in lineage.inputs if "schema" not in dataset["facets"]
    ]
    at = datetime.now(timezone.utc)
    event = planned_event(job, at, lineage.inputs, lineage.outputs, lineage.run_facets)
    return event, unknown


def keep(event: dict[str, Any], output: PlanOutput) -> None:
    """Append an event to the file, print its lineage, and what that does not have."""
    earlier_runs = output.runs()
    file = sinks.open_sink(output.target)
    file.write(event)
    file.close()
    output.show(earlier_runs, 0)
    for line in not_resolved(event):
        click.echo(f"colgraph: {line}", err=True)


def naming(database: Database) -> Naming:
    """How the script's tables are called."""
    kind = KINDS.get(database.dialect)
    if kind is None:
        of_dialect = (
            candidate for candidate in KINDS.values() if candidate.dialect == database.dialect
        )
        kind = next(of_dialect, Kind(database.dialect))
    if not has_dialect(kind.dialect):
        raise BadInput(
            f"'{database.dialect}' is not a dialect. Expected one of sqlglot's, "
            "such as postgres, snowflake, bigquery, tsql or spark."
        )
    levels = 2 if kind.dialect in ("spark", "hive") else kind.levels
    catalog, _, schema = database.schema.rpartition(".")
    if levels < 3 and catalog:
        raise BadInput(f"Names of {database.dialect} have no catalog. Give the schema only.")
    schema = schema or kind.schema or ("default" if levels == 2 else "")
    return Naming(
        database.namespace or database.dialect, Place(kind.dialect, catalog, schema, levels)
    )


def described(file: Path, place: Place) -> Types:
    """The tables in a file of schemas, which was checked to be one."""
    return tables(json.loads(file.read_text(encoding="utf-8")), place, str(file))


def tables(schemas: Mapping[str, str], place: Place, name: str) -> Types:
    """Tables by their names with columns like 'id BIGINT'; BadInput names where one is wrong."""
    types: Types = {}
    for text, ddl in schemas.items():
        if "/" in text:
            continue  # a path, of a PySpark job
        table, columns = whole_name(text, place), columns_of(ddl, place.dialect)
        if table is None or columns is None:
            raise BadInput(f"{name}: '{text}' is not a table with columns like 'id BIGINT'.")
        types[table] = columns
    return types


def not_resolved(event: Json) -> list[str]:
    """What the lineage does not say, a line each."""
    return [
        f"{reason} ({entry['count']})" + _where(entry.get("where") or []) + _advice(entry)
        for reason, entry in reasons(event)
    ]


def reasons(event: Json) -> Iterator[tuple[str, Json]]:
    """Why the lineage is not complete, with the entry of the diagnostics that says so."""
    facet = event["run"]["facets"].get(DIAGNOSTICS, {})
    for part, words in (("unresolved", "not resolved"), ("opaque", "not looked into")):
        for entry in facet.get(part, ()):
            yield f"{words}: {entry['class']}", entry


def _where(places: list[str]) -> str:
    """Which columns, in which statements."""
    return f": {listed(places)}" if places else ""


def _advice(entry: Json) -> str:
    """What to do about it, if there is something."""
    return "".join(f"; {text}" for text in advice([entry["class"]]))


def listed(names: list[str]) -> str:
    """Some names for a message."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"
