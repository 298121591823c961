"""The schemas that events and facets name, and the two keys that each facet must have.

OpenLineage's facets are those of its specification (spec/facets). Our own begin with `colgraph_`;
each has a JSON schema beside this module, in `schemas/`. The definition there is called as that of
the specification which it extends: by it a consumer without our schema recognizes a custom facet.
"""

from __future__ import annotations

from typing import Any

from airflow_colgraph import __version__

PRODUCER = f"urn:airflow-colgraph:{__version__}"
SPEC = "https://openlineage.io/spec/"
RUN_EVENT = f"{SPEC}2-0-2/OpenLineage.json#/$defs/RunEvent"
JOB_EVENT = f"{SPEC}2-0-2/OpenLineage.json#/$defs/JobEvent"
DATASET_EVENT = f"{SPEC}2-0-2/OpenLineage.json#/$defs/DatasetEvent"
STANDARD = {  # by the facet's name: version, file and definition
    "catalog": ("1-1-0", "CatalogDatasetFacet", ""),
    "columnLineage": ("1-2-0", "ColumnLineageDatasetFacet", ""),
    "dataSource": ("1-0-1", "DatasourceDatasetFacet", ""),
    "environmentVariables": ("1-0-0", "EnvironmentVariablesRunFacet", ""),
    "errorMessage": ("1-0-1", "ErrorMessageRunFacet", ""),
    "inputStatistics": ("1-0-0", "InputStatisticsInputDatasetFacet", ""),
    "jobType": ("2-0-4", "JobTypeJobFacet", ""),
    "lifecycleStateChange": ("1-0-1", "LifecycleStateChangeDatasetFacet", ""),
    "dataset lineage": ("1-0-0", "LineageFacet", "LineageDatasetFacet"),  # `lineage` of a dataset
    "lineage": ("1-0-0", "LineageFacet", "LineageJobFacet"),
    "outputStatistics": ("1-0-2", "OutputStatisticsOutputDatasetFacet", ""),
    "parent": ("1-2-0", "ParentRunFacet", ""),
    "processing_engine": ("1-1-1", "ProcessingEngineRunFacet", ""),
    "schema": ("1-2-0", "SchemaDatasetFacet", ""),
    "sql": ("1-1-0", "SQLJobFacet", ""),
    "storage": ("1-0-1", "StorageDatasetFacet", ""),
    "symlinks": ("1-0-1", "SymlinksDatasetFacet", ""),
    "tags": ("1-0-0", "TagsDatasetFacet", ""),
    "version": ("1-0-1", "DatasetVersionDatasetFacet", ""),
}
CUSTOM = {  # by the facet's name: the definition in the specification that it extends
    "colgraph_diagnostics": "RunFacet",
    "colgraph_digests": "DatasetFacet",
    "colgraph_operations": "DatasetFacet",
    "colgraph_plan": "RunFacet",
    "colgraph_properties": "DatasetFacet",
    "colgraph_spark": "RunFacet",
    "colgraph_task": "RunFacet",
    "icebergCommitReport": "OutputDatasetFacet",
    "icebergScanReport": "InputDatasetFacet",
}
CUSTOM_SCHEMA = "urn:airflow-colgraph:facet:{name}:1-0-0"
OTHERS = f"{SPEC}2-0-2/OpenLineage.json#/$defs/RunFacet"  # facets of other projects


def facet(name: str, /, **body: Any) -> dict[str, Any]:
    """Return a facet with the two keys that each must have."""
    return {"_producer": PRODUCER, "_schemaURL": schema_url(name), **body}


def schema_url(name: str) -> str:
    """Return the `_schemaURL` of the facet with this name."""
    if name in STANDARD:
        version, file, definition = STANDARD[name]
        return f"{SPEC}facets/{version}/{file}.json#/$defs/{definition or file}"
    if name in CUSTOM:
        return f"{CUSTOM_SCHEMA.format(name=name)}#/$defs/{CUSTOM[name]}"
    return OTHERS
