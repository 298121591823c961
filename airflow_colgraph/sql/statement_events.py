"""Events of a SQL statement that was read for its tables only, with its column lineage. Pure.

Airflow's `emit_query_lineage` reports the text of a statement and the tables that it found there.
`resolved` adds what each column of the written tables comes from. Of the tables only what the event
has is known, so that the order of events changes nothing; what depends on more is counted as
unresolved.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from airflow_colgraph.sql.database import Place, TableName
from airflow_colgraph.sql.facets import column_lineage, diagnosed, file_named
from airflow_colgraph.sql.relation import Relation, folded
from airflow_colgraph.sql.script import ScriptLineage, script, tables_of
from airflow_colgraph.sql.transformations import union
from airflow_colgraph.sql.writes import Write

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
        if files := file_named(name):
            return files
        similar = [
            whole
            for parts, whole in self._names.items()
            if folded(parts[-len(name) :]) == folded(name)
        ]
        missing = max(len(self._before) + 1 - len(name), 0)
        whole = ".".join((*self._before[:missing], *name))
        return self._namespace, similar[0] if len(similar) == 1 else whole


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
    inputs = {(item["namespace"], item["name"]): item for item in event.get("inputs") or ()}
    datasets = [item for item in (*inputs.values(), *outputs) if item["namespace"] == namespace]
    tables = EventTables(namespace, [item["name"] for item in datasets])
    lineage = _lineage(event["job"]["facets"]["sql"]["query"], Place(dialect), tables, datasets)
    for space, name in map(tables.table, lineage.reads):
        inputs.setdefault((space, name), {"namespace": space, "name": name, "facets": {}})
    return {
        **event,
        "run": _run(event["run"], lineage),
        "inputs": list(inputs.values()),
        "outputs": [_output(output, lineage.writes, tables) for output in outputs],
    }


def _lineage(
    text: str, place: Place, tables: EventTables, datasets: Iterable[Json]
) -> ScriptLineage:
    """The lineage of a statement, by the schemas that the event has."""
    columns = {name: _columns(name, tables, datasets) for name in tables_of(text, place)}
    return script(text, place, {name: own for name, own in columns.items() if own})


def _run(run: Json, lineage: ScriptLineage) -> Json:
    """The run with what is not known, unless it says so itself."""
    facets = run.get("facets") or {}
    if not (lineage.unresolved or lineage.opaque) or DIAGNOSTICS in facets:
        return run
    facet = diagnosed(lineage.unresolved, lineage.opaque, where=lineage.where)
    return {**run, "facets": {**facets, DIAGNOSTICS: facet}}


def _columns(name: TableName, tables: EventTables, datasets: Iterable[Json]) -> tuple[str, ...]:
    """The columns of a table, if its dataset in the event has a schema."""
    _, whole = tables.table(name)
    for item in datasets:
        if whole == item["name"]:
            fields = ((item.get("facets") or {}).get("schema") or {}).get("fields") or ()
            return tuple(field["name"] for field in fields)
    return ()


def _output(output: Json, writes: Iterable[Write], tables: EventTables) -> Json:
    """An output with what the statement writes to it."""
    name = (output["namespace"], output["name"])
    written = (write.relation for write in writes if tables.table(write.table) == name)
    relations = [relation for relation in written if relation is not None]
    whole = Relation(
        tuple(column for relation in relations for column in relation.columns),
        union(*(relation.rows for relation in relations)),
    )
    facet = column_lineage(whole, tables)
    if facet is None:
        return output
    return {**output, "facets": {**(output.get("facets") or {}), "columnLineage": facet}}
