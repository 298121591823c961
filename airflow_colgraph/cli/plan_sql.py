"""`colgraph plan --sql`: the lineage of a SQL script, which no database is asked to run."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from airflow_colgraph.cli.errors import BadInput, print_warning
from airflow_colgraph.cli.store_access import store_errors
from airflow_colgraph.extractors.task_lineage import DIAGNOSTICS
from airflow_colgraph.operators.sql_connections import KINDS, Kind
from airflow_colgraph.operators.sql_reading import Known, lineage_of, stored
from airflow_colgraph.operators.sql_schemas import Types
from airflow_colgraph.sql.database import Place, TableName
from airflow_colgraph.sql.facets import Naming
from airflow_colgraph.sql.parse import has_dialect
from airflow_colgraph.sql.planned import columns_of, planned_event, whole_name
from airflow_colgraph.sql.script import tables_of

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
    job: tuple[str, str],
) -> dict[str, object]:
    """The event that a run of the script would have.

    Raises:
        BadInput: The file, the dialect or the schemas cannot be used.
    """
    called = naming(database)
    try:
        text = script.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{script} cannot be read: {error}") from None
    names = tables_of(text, called.place)
    types: Types = {}
    if store is not None:
        with store_errors():
            types.update(stored(store, called, names))
    if schemas is not None:
        types.update(described(schemas, called.place))
    lineage = lineage_of(text, Known(called, types))
    unknown = [str(one["name"]) for one in lineage.inputs if "schema" not in one["facets"]]
    if store is not None and unknown:
        print_warning(
            f"the store knows no columns of {_listed(unknown)} in {called.namespace}. "
            "Name the tables' namespace by --database, or their columns by --schemas."
        )
    at = datetime.now(timezone.utc)
    return planned_event(job, at, lineage.inputs, lineage.outputs, lineage.run_facets)


def naming(database: Database) -> Naming:
    """How the script's tables are called."""
    kind = KINDS.get(database.dialect)
    if kind is None:
        of_dialect = (one for one in KINDS.values() if one.dialect == database.dialect)
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


def described(file: Path, place: Place) -> dict[TableName, dict[str, str]]:
    """The tables in a file of schemas, which was checked to be one."""
    found = {}
    for text, ddl in json.loads(file.read_text(encoding="utf-8")).items():
        if "/" in text:
            continue  # a path, of a PySpark job
        name, columns = whole_name(text, place), columns_of(ddl, place.dialect)
        if name is None or columns is None:
            raise BadInput(f"{file}: '{text}' is not a table with columns like 'id BIGINT'.")
        found[name] = columns
    return found


def not_resolved(event: dict[str, object]) -> list[str]:
    """What the lineage does not say, a line each."""
    run = event["run"]
    facet = run["facets"].get(DIAGNOSTICS, {}) if isinstance(run, dict) else {}
    words = {"unresolved": "not resolved", "opaque": "not looked into"}
    return [
        f"{text}: {one['class']} ({one['count']})"
        for key, text in words.items()
        for one in facet.get(key, ())
    ]


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"
