"""Events of a SQL statement that was read for its tables only, with its column lineage. Pure.

Airflow's `emit_query_lineage` reports the text of a statement and the tables that it found there.
`resolved` adds what each column of the written tables is made of. Of the tables only what the event
has is known, so that the order of events changes nothing; what depends on more is counted as
unresolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from airflow_colgraph.sql.database import Place, TableName
from airflow_colgraph.sql.facets import column_lineage, diagnosed
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.script import script, tables_of
from airflow_colgraph.sql.transformations import union

Json = dict[str, Any]

DIAGNOSTICS = "colgraph_diagnostics"
# By the scheme of the tables' namespace.
DIALECTS = {
    "awsathena": "athena",
    "bigquery": "bigquery",
    "clickhouse": "clickhouse",
    "databricks": "databricks",
    "duckdb": "duckdb",
    "hive": "hive",
    "mssql": "tsql",
    "mysql": "mysql",
    "oracle": "oracle",
    "postgres": "postgres",
    "postgresql": "postgres",
    "presto": "presto",
    "redshift": "redshift",
    "snowflake": "snowflake",
    "sqlite": "sqlite",
    "sqlserver": "tsql",
    "trino": "trino",
}


class EventTables:
    """The tables of a statement by the names that the event has for them."""

    def __init__(self, namespace: str, names: Iterable[str]) -> None:
        """`names` are those of the event's datasets in the namespace."""
        self._namespace = namespace
        self._names = {tuple(name.split(".")): name for name in names}
        longest = max(self._names, key=len, default=())
        self._before = longest[:-1]  # the database and schema of what the text does not qualify

    def table(self, name: TableName) -> tuple[str, str]:
        """A table's namespace and name: the event's, if it has exactly one that ends so."""
        folded = tuple(part.casefold() for part in name)
        found = [
            whole
            for parts, whole in self._names.items()
            if tuple(part.casefold() for part in parts[-len(name) :]) == folded
        ]
        missing = max(len(self._before) + 1 - len(name), 0)
        return self._namespace, (
            found[0] if len(found) == 1 else ".".join((*self._before[:missing], *name))
        )


def resolved(event: Json) -> Json:
    """An OpenLineage event with the column lineage of its statement.

    Args:
        event: A RunEvent whose job has the facet `sql`, and whose outputs have no `columnLineage`.

    Returns:
        The event with `columnLineage` (1-2-0) in each output that the statement writes, with the
        inputs that it names, and with `colgraph_diagnostics` where something is not known. The
        event as it is if its outputs are of no known database.
    """
    outputs = event["outputs"]
    namespaces = {str(output["namespace"]) for output in outputs}
    namespace = min(namespaces)
    dialect = DIALECTS.get(namespace.partition(":")[0])
    if len(namespaces) > 1 or dialect is None:
        return event
    text = event["job"]["facets"]["sql"]["query"]
    inputs = {(one["namespace"], one["name"]): one for one in event.get("inputs") or ()}
    datasets = [*inputs.values(), *outputs]
    known = [one for one in datasets if one["namespace"] == namespace]
    tables = EventTables(namespace, [one["name"] for one in known])
    place = Place(dialect)
    columns = {name: _columns(name, tables, known) for name in tables_of(text, place)}
    found = script(text, place, {name: own for name, own in columns.items() if own})
    for name in found.reads:
        key = tables.table(name)
        inputs.setdefault(key, {"namespace": key[0], "name": key[1], "facets": {}})
    written: dict[tuple[str, str], list[Relation]] = {}
    for write in found.writes:
        if write.relation is not None:
            written.setdefault(tables.table(write.table), []).append(write.relation)
    run = event["run"]
    if (found.unresolved or found.opaque) and DIAGNOSTICS not in (run.get("facets") or {}):
        facet = diagnosed(found.unresolved, found.opaque, where=found.where)
        run = {**run, "facets": {**(run.get("facets") or {}), DIAGNOSTICS: facet}}
    shown = [_output(one, written, tables) for one in outputs]
    return {**event, "run": run, "inputs": list(inputs.values()), "outputs": shown}


def _columns(name: TableName, tables: EventTables, known: Iterable[Json]) -> tuple[str, ...]:
    """The columns of a table, if its dataset in the event has a schema."""
    _, whole = tables.table(name)
    for one in known:
        if whole == one["name"]:
            fields = ((one.get("facets") or {}).get("schema") or {}).get("fields") or ()
            return tuple(field["name"] for field in fields)
    return ()


def _output(
    output: Json, written: Mapping[tuple[str, str], list[Relation]], tables: EventTables
) -> Json:
    relations = written.get((output["namespace"], output["name"]), ())
    whole = Relation(
        tuple(column for one in relations for column in one.columns),
        union(*(one.rows for one in relations)),
    )
    facet = column_lineage(whole, tables)
    if facet is None:
        return output
    return {**output, "facets": {**(output.get("facets") or {}), "columnLineage": facet}}
