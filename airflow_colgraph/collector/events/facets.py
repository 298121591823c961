"""The facets and datasets of OpenLineage's events, one function each. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from airflow_colgraph.collector.model import (
    CatalogName,
    NamedDataset,
    Read,
    Statistics,
    Write,
    total,
)
from airflow_colgraph.collector.model import Dataset as DatasetId
from airflow_colgraph.collector.openlineage import (
    CatalogFacet,
    ClassCount,
    Dataset,
    DatasetFacets,
    DatasetName,
    DiagnosticsFacet,
    DriverRows,
    DriverRowsDiagnosticsFacet,
    Facet,
    InputFacets,
    LifecycleFacet,
    NamedOption,
    OutputFacets,
    PropertiesFacet,
    RenameFacet,
    RunFacets,
    ScanReportFacet,
    SchemaFacet,
    SchemaField,
    SnapshotReportFacet,
    SqlFacet,
    StatisticsCounts,
    StorageFacet,
    SymlinkIdentifier,
    TaskFacet,
)
from airflow_colgraph.openlineage.facets import PRODUCER, schema_url


class ApplicationRun(NamedTuple):
    """The run that all events of one Spark application belong to."""

    namespace: str
    name: str
    run_id: str
    run_facets: RunFacets
    integration: str = "SPARK"


def facet(name: str) -> Facet:
    """The two keys that a facet of this name must have."""
    return {"_producer": PRODUCER, "_schemaURL": schema_url(name)}


def task_facet(
    dag_id: str, run_id: str, task_id: str, map_index: int | None, try_number: int | None
) -> TaskFacet:
    """The facet that names an Airflow task instance; only mapped ones have a map index."""
    both = facet("colgraph_task")
    named: TaskFacet = {
        "_producer": both["_producer"],
        "_schemaURL": both["_schemaURL"],
        "dag_id": dag_id,
        "run_id": run_id,
        "task_id": task_id,
    }
    if map_index is not None and map_index >= 0:
        named["map_index"] = map_index
    if try_number is not None:
        named["try_number"] = try_number
    return named


# Datasets -------------------------------------------------------------------------------------


def schema_field(name: str, data_type: Any) -> SchemaField:
    """One field of the schema facet, with its members: arrays' are `_element`, maps' key, value."""
    if not isinstance(data_type, dict):
        return {"name": name, "type": str(data_type)}
    kind = data_type.get("type")
    if kind == "struct":
        members = [schema_field(part["name"], part["type"]) for part in data_type["fields"]]
    elif kind == "array":
        members = [schema_field("_element", data_type["elementType"])]
    elif kind == "map":
        members = [
            schema_field("key", data_type["keyType"]),
            schema_field("value", data_type["valueType"]),
        ]
    else:  # a user-defined type: its SQL type is what is stored
        return {"name": name, "type": str(data_type.get("class") or kind)}
    return {"name": name, "type": kind, "fields": members}


def schema_facet(columns: Iterable[tuple[str, Any]]) -> SchemaFacet:
    """The schema facet of (name, Spark's type as JSON)."""
    return {**facet("schema"), "fields": [schema_field(name, kind) for name, kind in columns]}


def dataset(named: NamedDataset, facets: DatasetFacets) -> Dataset:
    """A dataset with its facets, its other names, and where it is."""
    symlinks: list[SymlinkIdentifier] = [
        {"namespace": link.namespace, "name": link.name, "type": link.type}
        for link in named.symlinks
    ]
    source = named.dataset.namespace
    all_facets: DatasetFacets = {
        **facets,
        "dataSource": {**facet("dataSource"), "name": source, "uri": source},
    }
    if symlinks:
        all_facets["symlinks"] = {**facet("symlinks"), "identifiers": symlinks}
    if named.catalog is not None:
        all_facets["catalog"] = catalog_facet(named.catalog)
    if named.version:
        all_facets["version"] = {**facet("version"), "datasetVersion": named.version}
    return {
        "namespace": named.dataset.namespace,
        "name": named.dataset.name,
        "facets": all_facets,
    }


def catalog_facet(catalog: CatalogName) -> CatalogFacet:
    """The catalog facet of a table."""
    both = facet("catalog")
    named: CatalogFacet = {
        "_producer": both["_producer"],
        "_schemaURL": both["_schemaURL"],
        "framework": catalog.framework,
        "type": catalog.type,
        "name": catalog.name,
        "source": "spark",
    }
    if catalog.metadata_uri:
        named["metadataUri"] = catalog.metadata_uri
    if catalog.warehouse_uri:
        named["warehouseUri"] = catalog.warehouse_uri
    return named


LAKES = ("delta", "iceberg")


def lake_of(named: NamedDataset) -> str:
    """The format of a table by its catalog, where that has only tables of one format."""
    framework = named.catalog.framework if named.catalog is not None else ""
    return framework if framework in LAKES else ""


NOT_STORED = {"", "constant"}  # formats of reads that are no storage


def input_datasets(reads: Iterable[Read]) -> list[Dataset]:
    """The datasets that a query read, each once, with the columns that any of its leaves has."""
    datasets: dict[DatasetId, tuple[NamedDataset, dict[str, Any]]] = {}
    properties: dict[DatasetId, PropertiesFacet] = {}
    formats: dict[DatasetId, str] = {}
    reads = list(reads)
    statistics = read_statistics(reads)
    for read in reads:
        for named in read.datasets:
            first, columns = datasets.setdefault(named.dataset, (named, {}))
            columns.update(dict(read.columns))
            if first.version != named.version:  # both were read, and the facet has room for one
                datasets[named.dataset] = first._replace(version=""), columns
            formats.setdefault(named.dataset, read.format)
            if read.properties or read.format:
                properties[named.dataset] = {
                    **facet("colgraph_properties"),
                    "format": read.format,
                    "options": _pairs(read.properties),
                }
    inputs = []
    for identity, (named, columns) in datasets.items():
        facets: DatasetFacets = {"schema": schema_facet(columns.items())}
        form = formats[identity] or lake_of(named)
        if form not in NOT_STORED:
            facets["storage"] = storage_facet(form)
        if identity in properties:
            facets["colgraph_properties"] = properties[identity]
        item = dataset(named, facets)
        if identity in statistics:
            item["inputFacets"] = input_facets_of(statistics[identity], named, columns)
        inputs.append(item)
    return inputs


def read_statistics(reads: Iterable[Read]) -> dict[DatasetId, Statistics]:
    """How much was read of each dataset, if that is known of all its reads."""
    parts: dict[DatasetId, list[Statistics | None]] = {}
    for read in reads:
        for named in read.datasets:
            parts.setdefault(named.dataset, []).append(read.statistics)
    totals = {}
    for dataset_id, every in parts.items():
        counted = [part for part in every if part is not None]
        if len(counted) == len(every):
            totals[dataset_id] = total(counted)
    return totals


def _pairs(options: Mapping[str, str]) -> list[NamedOption]:
    """Options as a list: Airflow redacts dictionaries by their keys."""
    return [{"name": name, "value": value} for name, value in sorted(options.items())]


def lifecycle_facet(write: Write) -> LifecycleFacet:
    """Whether the dataset was created, overwritten, dropped, ..; the old name of a renamed one."""
    change: LifecycleFacet = {
        **facet("lifecycleStateChange"),
        "lifecycleStateChange": write.lifecycle,
    }
    if write.previous is None:
        return change
    previous: DatasetName = {"namespace": write.previous.namespace, "name": write.previous.name}
    renamed: RenameFacet = {**change, "previousIdentifier": previous}
    return renamed


def diagnostics_facet(
    unresolved: Mapping[str, int],
    opaque: Mapping[str, int] | None = None,
    truncated: str = "",
    seconds: float = 0.0,
) -> DiagnosticsFacet:
    """What could not be resolved exactly, by Spark class, and the seconds that resolving took."""
    return {
        **facet("colgraph_diagnostics"),
        "unresolved": _counted(unresolved),
        "opaque": _counted(opaque or {}),
        "truncated": truncated,
        "seconds": round(seconds, 3),
    }


MOST_DRIVER_READS = 100  # that are named


def with_driver_rows(
    facts: DiagnosticsFacet, output: DatasetId, datasets: Iterable[DatasetId]
) -> DriverRowsDiagnosticsFacet:
    """The same, and which datasets the rows of an output may depend on that the driver made."""
    named = islice(datasets, MOST_DRIVER_READS)
    rows: DriverRows = {
        "namespace": output.namespace,
        "name": output.name,
        "datasets": [{"namespace": read.namespace, "name": read.name} for read in named],
    }
    return {**facts, "throughDriver": [rows]}


def output_facets_of(statistics: Statistics) -> OutputFacets:
    """The facets of an output of a run: how much was written, and Iceberg's report of it."""
    facets: OutputFacets = {}
    if counts := _counts(statistics):
        facets["outputStatistics"] = {**facet("outputStatistics"), **counts}
    if statistics.commit is not None:
        snapshot, sequence, operation = statistics.commit
        facets["icebergCommitReport"] = {
            **facet("icebergCommitReport"),
            "snapshotId": snapshot,
            "sequenceNumber": sequence,
            "operation": operation,
            "commitMetrics": dict(statistics.metrics),
        }
    return facets


def input_facets_of(
    statistics: Statistics, named: NamedDataset, columns: Iterable[str] = ()
) -> InputFacets:
    """The facets of an input of a run: how much was read, and Iceberg's report of it."""
    facets: InputFacets = {}
    if counts := _counts(statistics):
        facets["inputStatistics"] = {**facet("inputStatistics"), **counts}
    if statistics.metrics:
        report: ScanReportFacet = {
            **facet("icebergScanReport"),
            "filterDescription": statistics.filter,
            "projectedFieldNames": list(columns),
            "scanMetrics": dict(statistics.metrics),
        }
        facets["icebergScanReport"] = report
        if named.version:
            of_snapshot: SnapshotReportFacet = {**report, "snapshotId": int(named.version)}
            facets["icebergScanReport"] = of_snapshot
    return facets


def _counts(statistics: Statistics) -> StatisticsCounts:
    counts: StatisticsCounts = {}
    if statistics.rows is not None:
        counts["rowCount"] = statistics.rows
    if statistics.bytes is not None:
        counts["size"] = statistics.bytes
    if statistics.files is not None:
        counts["fileCount"] = statistics.files
    return counts


def sql_facet(text: str) -> SqlFacet:
    """The sql facet of a job: a statement in Spark's SQL."""
    return {**facet("sql"), "query": text, "dialect": "spark"}


def storage_facet(layer: str) -> StorageFacet:
    """The storage facet of a dataset that Spark reads or writes in one format."""
    form = "parquet" if layer == "delta" else layer
    return {**facet("storage"), "storageLayer": layer, "fileFormat": form}


def _counted(counts: Mapping[str, int]) -> list[ClassCount]:
    return [{"class": name, "count": count} for name, count in sorted(counts.items())]
