"""From a hook and the statements that it runs to their lineage, with the database's own schemas."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from airflow_colgraph.extractors.task_lineage import (
    DIAGNOSTICS,
    Lineage,
    diagnostics,
    united_datasets,
)
from airflow_colgraph.operators.sql_connections import KINDS, Connected, naming
from airflow_colgraph.operators.sql_schemas import Types, found_columns, schema_queries
from airflow_colgraph.operators.store_writer import known_fields
from airflow_colgraph.operators.submit_arguments import NotPossible
from airflow_colgraph.sql.database import TableName
from airflow_colgraph.sql.facets import Naming, datasets
from airflow_colgraph.sql.relation import folded
from airflow_colgraph.sql.script import script, tables_of
from airflow_colgraph.store.errors import NoStore, StoreError

log = logging.getLogger(__name__)


class Known(NamedTuple):
    """What was found out about a task's tables before its statements ran."""

    naming: Naming
    types: Types


def connected(hook: Any) -> Connected:
    """What the hook's connection says of the database."""
    connection = hook.get_connection(hook.get_conn_id())
    kind = str(connection.conn_type or hook.conn_type)
    extra = connection.extra_dejson
    if kind == "postgres" and extra.get("redshift"):
        kind = "redshift"
    database = getattr(hook, "database", None) or getattr(hook, "schema", None)
    return Connected(
        kind,
        connection.host or "",
        connection.port,
        str(database or connection.schema or ""),
        None,
        extra,
    )


def named(connection: Connected) -> Naming:
    """How the connection's tables are called."""
    table_naming = naming(connection)
    if table_naming is None:
        raise NotPossible(
            f"connections of type {connection.kind!r} are not known; known are {', '.join(KINDS)}"
        )
    return table_naming


# The databases that are asked for their current schema: it may be the role's or the search path's.
CURRENT_SCHEMA = {
    "postgres": "SELECT current_schemas(false)",
    "redshift": "SELECT current_schema()",
    "snowflake": "SELECT current_schema()",
    "mssql": "SELECT schema_name()",
    "oracle": "SELECT sys_context('USERENV', 'CURRENT_SCHEMA') FROM dual",
}


def known(hook: Any, connection: Connected, sql: Any, store: str | None, seconds: float) -> Known:
    """The names and columns of the tables that the statements name."""
    if connection.kind in CURRENT_SCHEMA:
        rows = _rows(hook, [CURRENT_SCHEMA[connection.kind]])[0]
        answer = rows[0][0] if rows else None
        path: list[Any] = answer if isinstance(answer, list) else [answer]
        connection = connection._replace(
            schema=(path[0] if path else None) or None, path=tuple(path[1:])
        )
    called = named(connection)
    names = tables_of(sql, called.place)
    types: Types = {}
    queries = schema_queries(names, called.place)
    try:
        answers = _rows(hook, [text for _, text in queries])
    except Exception as error:  # noqa: BLE001 -- each driver has its own; the store may know
        log.warning("colgraph: the schemas can't be read: %s", type(error).__name__)
        answers = []
    for (catalog, _), rows in zip(queries, answers, strict=False):
        types.update(found_columns(rows, catalog, names))
    read = {folded(name) for name in types}
    missing = [name for name in names if folded(name) not in read]
    if missing and store is not None:
        try:
            types.update(stored(store, called, missing, seconds / 2))
        except NoStore:
            pass  # the first task of all creates it
        except StoreError as error:
            log.warning("colgraph: the store's schemas can't be read: %s", error)
    return Known(called, types)


def _rows(hook: Any, texts: list[str]) -> list[list[Any]]:
    """The rows of some queries, over a connection of their own."""
    connection = hook.get_conn()
    try:
        answers = []
        for text in texts:
            cursor = connection.cursor()
            cursor.execute(text)
            answers.append(list(cursor.fetchall()))
            cursor.close()
        return answers
    finally:
        connection.close()


def stored(
    store: str, called: Naming, names: list[TableName], seconds: float | None = None
) -> Types:
    """The columns that the lineage store knows of tables."""
    columns = known_fields(store, [called.table(name) for name in names], seconds)
    return {name: columns[called.table(name)] for name in names if called.table(name) in columns}


def lineage_of(sql: Any, tables: Known) -> Lineage:
    """The lineage of statements, as a task's."""
    texts = [sql] if isinstance(sql, str) else [str(text) for text in sql or ()]
    resolved = script(texts, tables.naming.place, tables.types)
    inputs, outputs, facet = datasets(resolved, tables.naming, tables.types)
    run_facets = {} if facet is None else {DIAGNOSTICS: facet}
    return Lineage(inputs, united_datasets(outputs), run_facets)


def merged(lineages: list[Lineage]) -> Lineage:
    """The lineage of several hooks' statements."""
    outputs = united_datasets([output for lineage in lineages for output in lineage.outputs])
    written: set[tuple[str, str]] = set()
    read = []
    for lineage in lineages:  # what an earlier one wrote is no input
        read += [
            dataset
            for dataset in lineage.inputs
            if (dataset["namespace"], dataset["name"]) not in written
        ]
        written.update((output["namespace"], output["name"]) for output in lineage.outputs)
    run_facets: dict[str, Any] = {}
    for lineage in lineages:
        for name, facet in lineage.run_facets.items():
            run_facets[name] = diagnostics(run_facets[name], facet) if name in run_facets else facet
    return Lineage(united_datasets(read), outputs, run_facets)
