"""The lineage of a dbt run, out of its target folder: the compiled models, read as SQL. Pure.

Each model that the run built is an event of a job of its own, named as openlineage-dbt names it.
Columns come from the compiled SQL: a model's columns are known to the models that read it. Those
of other tables are known from `catalog.json` (`dbt docs generate`), else from the lineage store,
else, of sources and seeds, from what the project documents: that may be some of them only, so the
events of models that read these say so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from airflow_colgraph.openlineage.facets import PRODUCER, RUN_EVENT, facet
from airflow_colgraph.sql.database import Place, TableName
from airflow_colgraph.sql.facets import (
    Naming,
    dataset,
    datasets,
    diagnosed,
    file_dataset,
)
from airflow_colgraph.sql.parse import has_dialect
from airflow_colgraph.sql.planned import whole_name
from airflow_colgraph.sql.script import script

Json = dict[str, Any]
Names = list[tuple[str, str]]
Stored = Callable[[Names], Mapping[tuple[str, str], Mapping[str, str]]]

BUILDING = ("run", "build", "snapshot", "retry", "clone")  # commands of dbt that write models
BUILT = ("model", "snapshot")
DIALECTS = {"sqlserver": "tsql", "fabric": "tsql", "glue": "spark"}  # others are called as in dbt
TWO_LEVELS = ("spark", "hive", "clickhouse", "mysql")
DEFAULT_SCHEMAS = {"postgres": "public", "redshift": "public", "duckdb": "main", "tsql": "dbo"}
BACKTICKS = ("bigquery", "spark", "databricks", "hive", "mysql")
QUOTES = {"tsql": ("[", "]"), **dict.fromkeys(BACKTICKS, ("`", "`"))}
RUNS = UUID("5a8f7c5e-2d8f-5f5b-9f0c-6b1f6f5d3e21")  # of the ids that runs get here
DOCUMENTED = "columns as the dbt project documents them"  # in diagnostics
GLOB = re.compile(r"[*?\[{]")


class DbtError(ValueError):
    """A target folder that holds no run of models; the message says what is wrong."""


class Target(NamedTuple):
    """The files of a target folder."""

    manifest: Json
    results: Json
    catalog: Json  # empty if `dbt docs generate` did not run


class Project(NamedTuple):
    """A project's nodes: their tables, what columns these have, and which are files."""

    nodes: Mapping[str, Json]
    naming: Naming
    tables: Mapping[str, TableName]
    types: dict[TableName, dict[str, str]]
    documented: frozenset[TableName]  # whose columns may not be all
    listed: frozenset[TableName]  # in the catalog
    locations: Mapping[tuple[str, str], str]  # by the dataset's name


def _project(target: Target, naming: Naming, stored: Stored) -> Project:
    manifest, _, catalog = target
    nodes, listed = _nodes(manifest), _nodes(catalog)
    tables = {id: _table(node, naming.place) for id, node in nodes.items()}
    types = {tables[id]: _columns(node) for id, node in listed.items() if id in tables}
    missing = {naming.table(name): name for name in tables.values() if name not in types}
    types.update({missing[name]: dict(own) for name, own in stored(list(missing)).items()})
    documented = {
        tables[id]: columns
        for id, node in nodes.items()
        if node["resource_type"] in ("source", "seed")
        and tables[id] not in types
        and (columns := _columns(node))
    }
    types |= documented
    return Project(
        nodes,
        naming,
        tables,
        {name: columns for name, columns in types.items() if columns},
        frozenset(documented),
        frozenset(tables[id] for id in listed if id in tables),
        _locations(nodes, tables, naming),
    )


def _nodes(artifact: Json) -> dict[str, Json]:
    """The nodes and sources of a manifest or a catalog, by their ids."""
    return {**(artifact.get("nodes") or {}), **(artifact.get("sources") or {})}


def _locations(
    nodes: Mapping[str, Json], tables: Mapping[str, TableName], naming: Naming
) -> dict[tuple[str, str], str]:
    """Where the nodes are that are files, by the names of their datasets."""
    locations = ((naming.table(tables[id]), _location(node)) for id, node in nodes.items())
    return {name: location for name, location in locations if location}


def _table(node: Json, place: Place) -> TableName:
    """The whole name of a node's table, in the case that the database has it in."""
    stated = whole_name(node.get("relation_name") or "", place)
    if stated is not None:
        return stated
    name = node.get("alias") or node.get("identifier") or node["name"]
    return tuple(part for part in (node.get("database"), node.get("schema"), name) if part)


def _columns(node: Json) -> dict[str, str]:
    """The columns of a node of the catalog or the manifest, with their types."""
    columns = (node.get("columns") or {}).values()
    return {
        column["name"]: column.get("type") or column.get("data_type") or ""
        for column in sorted(columns, key=lambda column: column.get("index") or 0)
    }


def _location(node: Json) -> str:
    """The files of a node that is no table of the database: dbt-duckdb's external ones."""
    if node["resource_type"] == "source":
        quoted = re.search("'([^']+)'", node.get("relation_name") or "")
        return _folder(quoted.group(1)) if quoted else ""
    config = node.get("config") or {}
    return str(config.get("location") or "") if config.get("materialized") == "external" else ""


def _folder(location: str) -> str:
    """A location without its glob: `/lake/orders` of `/lake/orders/*.parquet`."""
    match = GLOB.search(location)
    return location[: match.start()].rpartition("/")[0] if match else location


def nothing(names: Names) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """What is known of tables without a store."""
    return {}


def dialect_of(manifest: Json) -> str:
    """sqlglot's name of the project's dialect.

    Raises:
        DbtError: The manifest is of no adapter that is known.
    """
    adapter = str((manifest.get("metadata") or {}).get("adapter_type") or "")
    dialect = DIALECTS.get(adapter, adapter)
    if not dialect or not has_dialect(dialect):
        raise DbtError(f"manifest.json is of the adapter {adapter!r}, whose SQL is not known.")
    return dialect


def events(
    target: Target,
    namespace: str,
    stored: Stored = nothing,
    job_namespace: str = "dbt",
    left_out: Counter[str] | None = None,
) -> Iterator[Json]:
    """OpenLineage events of the models that a run of dbt has built.

    Args:
        target: The files of the project's target folder.
        namespace: The namespace of its tables, such as `postgres://db:5432`.
        stored: The columns that a lineage store knows of tables, with their types, by name.
        job_namespace: The namespace of its models as jobs.
        left_out: Counts what was run and has no event, by what it is and how it ended.

    Returns:
        A RunEvent (COMPLETE, OpenLineage 2-0-2) for each model or snapshot that was built, in the
        order of the run; converted again they are the same runs. A table that is files, such as an
        external one of dbt-duckdb, has their location as a symlink.

    Raises:
        DbtError: The files are not of a run that builds models, or without compiled SQL.

    The files' forms: docs.getdbt.com/reference/artifacts/dbt-artifacts.
    """
    manifest, results, _ = target
    command = str((results.get("args") or {}).get("which") or "")
    if command not in BUILDING:
        raise DbtError(
            f"run_results.json is of dbt {command or '?'}. Expected of dbt run or build."
        )
    dialect = dialect_of(manifest)
    levels = 2 if dialect in TWO_LEVELS else 3
    place = Place(dialect, "", DEFAULT_SCHEMAS.get(dialect, ""), levels)
    project = _project(target, Naming(namespace, place), stored)
    invocation = str((results.get("metadata") or {}).get("invocation_id") or "")
    for result in results.get("results") or ():
        id = str(result.get("unique_id"))
        node = project.nodes.get(id)
        if node is None or node["resource_type"] not in BUILT or result["status"] != "success":
            if left_out is not None:
                left_out[f"{id.partition('.')[0]} ({result['status']})"] += 1
            continue
        inputs, output, run_facets = _built(id, project)
        yield {
            "eventType": "COMPLETE",
            "eventTime": _ended(result, results),
            "producer": PRODUCER,
            "schemaURL": RUN_EVENT,
            "run": {"runId": str(uuid5(RUNS, f"{invocation}/{id}")), "facets": run_facets},
            "job": _job(job_namespace, id, node),
            "inputs": [_located(item, project) for item in inputs],
            "outputs": [_located(output, project)],
        }


def _job(namespace: str, id: str, node: Json) -> Json:
    kind = node["resource_type"].upper()
    job_type = facet("jobType", processingType="BATCH", integration="DBT", jobType=kind)
    facets = {"jobType": job_type}
    return {"namespace": namespace, "name": _job_name(id, node), "facets": facets}


def _job_name(id: str, node: Json) -> str:
    """The job as openlineage-dbt names it after `dbt run`: the same for each command of dbt."""
    kind, _, name = id.partition(".")
    whole = ".".join(filter(None, (node.get("database"), node.get("schema"), name)))
    return whole if kind == "model" else f"{whole}.{kind}"


def _ended(result: Json, results: Json) -> str:
    ends = [phase.get("completed_at") for phase in result.get("timing") or ()]
    return str(max(filter(None, ends), default=results["metadata"]["generated_at"]))


def _built(id: str, project: Project) -> tuple[list[Json], Json, Json]:
    """The inputs, the output and the run facets of a node that was built."""
    node, naming, types = project.nodes[id], project.naming, project.types
    name, is_sql = project.tables[id], node.get("language", "sql") == "sql"
    if is_sql and not node.get("compiled_code"):
        raise DbtError(f"manifest.json has no compiled SQL of {id}. Expected that of dbt run.")
    read = _read(node, project)
    if is_sql:
        text = f"CREATE TABLE {_quoted(name, naming.place)} AS\n{_tables(node, read, project)}"
        lineage = script(text, naming.place, types)
        if [write.table for write in lineage.writes] == [name]:
            guessed = len(project.documented.intersection(lineage.reads))
            unresolved = {**lineage.unresolved, **({DOCUMENTED: guessed} if guessed else {})}
            lineage = lineage._replace(unresolved=unresolved)
            inputs, outputs, diagnostics = datasets(lineage, naming, types)
            if name in lineage.columns and name not in project.listed:
                kinds = lineage.types.get(name, {})
                types[name] = {column: kinds.get(column, "") for column in lineage.columns[name]}
            return inputs, _lifecycle(outputs[0], node), _facets(diagnostics)
    tables = [project.tables[other] for other in read]
    inputs = [dataset(table, types.get(table, {}), naming) for table in tables]
    output = _lifecycle(dataset(name, types.get(name, {}), naming), node)
    return inputs, output, _facets(diagnosed(opaque={f"dbt {node.get('language')} model": 1}))


def _read(node: Json, project: Project) -> list[str]:
    """The ids of the nodes of the project that a node reads."""
    named = (node.get("depends_on") or {}).get("nodes") or ()
    return [other for other in named if other in project.nodes]


def _facets(diagnostics: Json | None) -> Json:
    return {} if diagnostics is None else {"colgraph_diagnostics": diagnostics}


def _lifecycle(output: Json, node: Json) -> Json:
    """The output as what it is after the run: made anew, or with more rows."""
    kind = (node.get("config") or {}).get("materialized")
    keeps = kind in ("incremental", "snapshot", "microbatch")
    change = facet("lifecycleStateChange", lifecycleStateChange="ALTER" if keeps else "OVERWRITE")
    return {**output, "facets": {**output["facets"], "lifecycleStateChange": change}}


def _quoted(name: TableName, place: Place) -> str:
    """A table's whole name, as a statement has it."""
    first, last = QUOTES.get(place.dialect, ('"', '"'))
    return ".".join(f"{first}{part}{last}" for part in name)


def _tables(node: Json, read: list[str], project: Project) -> str:
    """The compiled SQL with names in place of functions that read a source's files."""
    text: str = node["compiled_code"]
    for id in read:
        stated = project.nodes[id].get("relation_name") or ""
        if "'" in stated:
            text = text.replace(stated, _quoted(project.tables[id], project.naming.place))
    return text


def _located(item: Json, project: Project) -> Json:
    """The dataset, with the files that it is as a symlink."""
    location = project.locations.get((item["namespace"], item["name"]))
    if location is None:
        return item
    files = file_dataset(location)
    link = {"namespace": files["namespace"], "name": files["name"], "type": "LOCATION"}
    links = (item["facets"].get("symlinks") or {}).get("identifiers") or []
    symlinks = facet("symlinks", identifiers=[*links, link])
    return {**item, "facets": {**item["facets"], "symlinks": symlinks}}
