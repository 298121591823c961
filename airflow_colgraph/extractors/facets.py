"""Convert facets from dicts to the classes of openlineage-python.

Airflow redacts whatever it emits: in plain dicts it hides the values of keys that sound secret, and
in strings any registered secret. Column names must survive both, so they are in typed facets whose
names are exempt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    BaseFacet,
    DatasetFacet,
    InputDatasetFacet,
    JobFacet,
    OutputDatasetFacet,
    RunFacet,
    column_lineage_dataset,
    lifecycle_state_change_dataset,
    output_statistics_output_dataset,
    schema_dataset,
    storage_dataset,
    symlinks_dataset,
)

Facet = dict[str, Any]


class SchemaField(schema_dataset.SchemaDatasetFacetFields):  # type: ignore[misc]
    """A field of a schema whose name is never redacted, as in column lineage."""

    _skip_redact: ClassVar[list[str]] = ["name", "type"]


OWN = ("colgraph_task", "colgraph_diagnostics")


class OwnRunFacet(RunFacet):  # type: ignore[misc]
    """A run facet of ours. A task's ids are never redacted, as they decide who may see the run.

    Nor is the store's URL, which is without secrets there; the whole option is one to Airflow.
    """

    _additional_skip_redact: ClassVar[list[str]] = ["dag_id", "run_id", "task_id", "whole"]


def _schema_fields(fields: list[Facet]) -> list[SchemaField]:
    return [
        SchemaField(
            name=field["name"],
            type=field.get("type"),
            description=field.get("description"),
            fields=_schema_fields(field.get("fields") or []) or None,
        )
        for field in fields
    ]


def _schema(facet: Facet) -> Any:
    return schema_dataset.SchemaDatasetFacet(
        fields=_schema_fields(facet.get("fields") or []), producer=_producer(facet)
    )


def _input_field(entry: Facet) -> Any:
    return column_lineage_dataset.InputField(
        namespace=entry["namespace"],
        name=entry["name"],
        field=entry["field"],
        transformations=_transformations(column_lineage_dataset.Transformation, entry),
    )


def _transformations(kind: Callable[..., Any], entry: Facet) -> list[Any]:
    """The transformations of an input field, as instances of a class."""
    return [
        kind(
            type=step["type"],
            subtype=step.get("subtype"),
            description=step.get("description"),
            masking=step.get("masking"),
        )
        for step in entry.get("transformations") or []
    ]


def _column_lineage(facet: Facet) -> Any:
    return column_lineage_dataset.ColumnLineageDatasetFacet(
        fields={
            name: column_lineage_dataset.Fields(
                inputFields=[_input_field(entry) for entry in field["inputFields"]],
                transformationDescription=field.get("transformationDescription"),
                transformationType=field.get("transformationType"),
            )
            for name, field in facet["fields"].items()
        },
        dataset=[_input_field(entry) for entry in facet.get("dataset") or []],
        producer=_producer(facet),
    )


def _symlinks(facet: Facet) -> Any:
    return symlinks_dataset.SymlinksDatasetFacet(
        identifiers=[
            symlinks_dataset.Identifier(
                namespace=entry["namespace"], name=entry["name"], type=entry["type"]
            )
            for entry in facet["identifiers"]
        ],
        producer=_producer(facet),
    )


def _lifecycle(facet: Facet) -> Any:
    state = lifecycle_state_change_dataset.LifecycleStateChange(facet["lifecycleStateChange"])
    previous = facet.get("previousIdentifier")
    return lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
        lifecycleStateChange=state,
        previousIdentifier=previous
        and lifecycle_state_change_dataset.PreviousIdentifier(
            name=previous["name"], namespace=previous["namespace"]
        ),
        producer=_producer(facet),
    )


def _output_statistics(facet: Facet) -> Any:
    return output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
        rowCount=facet.get("rowCount"),
        size=facet.get("size"),
        fileCount=facet.get("fileCount"),
        producer=_producer(facet),
    )


def _storage(facet: Facet) -> Any:
    return storage_dataset.StorageDatasetFacet(
        storageLayer=facet["storageLayer"],
        fileFormat=facet.get("fileFormat"),
        producer=_producer(facet),
    )


# One function for each facet that has a class; any other keeps its keys as they are.
FACETS: dict[str, Callable[[Facet], Any]] = {
    "schema": _schema,
    "columnLineage": _column_lineage,
    "symlinks": _symlinks,
    "lifecycleStateChange": _lifecycle,
    "outputStatistics": _output_statistics,
    "storage": _storage,
}


def _producer(facet: Facet) -> str:
    return str(facet.get("_producer") or "")


def _facet(base: type[BaseFacet], name: str, facet: Facet) -> Any:
    if name in FACETS:
        return FACETS[name](facet)
    own = {key: value for key, value in facet.items() if not key.startswith("_")}
    typed = (OwnRunFacet if name in OWN else base)(
        producer=_producer(facet)
    ).with_additional_properties(**own)
    typed._schemaURL = facet.get("_schemaURL") or typed._schemaURL
    return typed


def _facets(base: type[BaseFacet], facets: dict[str, Facet] | None) -> dict[str, Any]:
    return {name: _facet(base, name, facet) for name, facet in (facets or {}).items()}


def input_dataset(dataset: dict[str, Any]) -> Any:
    """An event's input as openlineage-python's class."""
    return InputDataset(
        namespace=dataset["namespace"],
        name=dataset["name"],
        facets=_facets(DatasetFacet, dataset.get("facets")),
        inputFacets=_facets(InputDatasetFacet, dataset.get("inputFacets")),
    )


def output_dataset(dataset: dict[str, Any]) -> Any:
    """An event's output as openlineage-python's class."""
    return OutputDataset(
        namespace=dataset["namespace"],
        name=dataset["name"],
        facets=_facets(DatasetFacet, dataset.get("facets")),
        outputFacets=_facets(OutputDatasetFacet, dataset.get("outputFacets")),
    )


def run_facets(facets: dict[str, Facet]) -> dict[str, Any]:
    """A run's facets as openlineage-python's classes."""
    return _facets(RunFacet, facets)


def run_event(event: dict[str, Any]) -> Any:
    """A whole event of the Spark job's as openlineage-python's class."""
    run, job = event["run"], event["job"]
    outputs = event.get("outputs") or []
    job_facets = dict(job.get("facets") or {})
    lineage = lineage_job(outputs) if job_facets.pop("lineage", None) else {}
    return RunEvent(
        eventType=RunState(event["eventType"]),
        eventTime=event["eventTime"],
        run=Run(runId=run["runId"], facets=_facets(RunFacet, run.get("facets"))),
        job=Job(
            namespace=job["namespace"],
            name=job["name"],
            facets={**_facets(JobFacet, job_facets), **lineage},
        ),
        producer=event["producer"],
        inputs=[input_dataset(dataset) for dataset in event.get("inputs") or []],
        outputs=[output_dataset(dataset) for dataset in outputs],
    )


# The `lineage` job facet: the same edges, by output of the job ------------------------------


def lineage_job(outputs: list[dict[str, Any]]) -> dict[str, Any]:
    """The job's `lineage` facet, of the outputs' column lineage."""
    from openlineage.client.generated import lineage  # since openlineage-python 1.50

    outputs_with_lineage = [
        (o, f) for o in outputs if (f := (o.get("facets") or {}).get("columnLineage"))
    ]
    if not outputs_with_lineage:
        return {}

    def inputs(entries: list[Facet]) -> list[Any]:
        return [
            lineage.LineageDatasetInput(
                namespace=entry["namespace"],
                name=entry["name"],
                type="DATASET",
                field=entry["field"],
                transformations=_transformations(lineage.LineageTransformation, entry),
            )
            for entry in entries
        ]

    entries = [
        lineage.LineageDatasetEntry(
            namespace=output["namespace"],
            name=output["name"],
            type="DATASET",
            inputs=inputs(facet.get("dataset") or []),
            fields={
                name: lineage.LineageFieldEntry(
                    inputs=inputs(field["inputFields"])
                    or [lineage.LineageJobInput(type="JOB")]  # made by the job itself
                )
                for name, field in facet["fields"].items()
            },
        )
        for output, facet in outputs_with_lineage
    ]
    return {
        "lineage": lineage.LineageJobFacet(
            entries=entries, producer=_producer(outputs_with_lineage[0][1])
        )
    }
