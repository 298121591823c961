"""The OpenLineage event of a query: its datasets, facets and diagnostics. Pure.

Before this file the words are Spark's, after it OpenLineage's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime, timezone
from time import monotonic
from typing import NamedTuple

from airflow_colgraph.collector.events.column_lineage import (
    ColumnLineage,
    column_lineage,
    lineage_facet,
)
from airflow_colgraph.collector.events.facets import (
    ApplicationRun,
    dataset,
    diagnostics_facet,
    facet,
    input_datasets,
    lake_of,
    lifecycle_facet,
    output_facets_of,
    schema_facet,
    sql_facet,
    storage_facet,
    with_driver_rows,
)
from airflow_colgraph.collector.events.truncation import cut
from airflow_colgraph.collector.lineage.digests import Digests
from airflow_colgraph.collector.lineage.operation_steps import MOST_OPERATIONS, TooMany
from airflow_colgraph.collector.lineage.operations import operations_of
from airflow_colgraph.collector.lineage.query_lineage import (
    Diagnostics,
    QueryLineage,
    conservative,
    reads_of,
)
from airflow_colgraph.collector.model import SOME_ROWS, Query, Write
from airflow_colgraph.collector.model import Dataset as DatasetId
from airflow_colgraph.collector.openlineage import (
    Dataset,
    DatasetFacets,
    DigestsFacet,
    JobEvent,
    JobFacets,
    JobTypeFacet,
    OperationsFacet,
    RunEvent,
    RunFacets,
)
from airflow_colgraph.collector.plan import Rows
from airflow_colgraph.collector.settings import Settings
from airflow_colgraph.openlineage.digests import entries
from airflow_colgraph.openlineage.facets import JOB_EVENT, PRODUCER, RUN_EVENT
from airflow_colgraph.openlineage.redaction import exception_text


def run_event(
    run: ApplicationRun,
    kind: str,
    inputs: list[Dataset] | None = None,
    outputs: list[Dataset] | None = None,
    run_facets: RunFacets | None = None,
    job_facets: JobFacets | None = None,
) -> RunEvent:
    """A run event of the Spark application: START, RUNNING, COMPLETE or FAIL."""
    job_type: JobTypeFacet = {
        **facet("jobType"),
        "processingType": "BATCH",
        "integration": run.integration,
        "jobType": "JOB",
    }
    return {
        "eventType": kind,
        "eventTime": datetime.now(timezone.utc).isoformat(),
        "producer": PRODUCER,
        "schemaURL": RUN_EVENT,
        "run": {"runId": run.run_id, "facets": {**run.run_facets, **(run_facets or {})}},
        "job": {
            "namespace": run.namespace,
            "name": run.name,
            "facets": {"jobType": job_type, **(job_facets or {})},
        },
        "inputs": inputs or [],
        "outputs": outputs or [],
    }


def job_event(event: RunEvent) -> JobEvent:
    """The same lineage as that of a job which was not run; the diagnostics are on the job."""
    facets: JobFacets = {**event["job"].get("facets", {})}
    diagnostics = event["run"]["facets"].get("colgraph_diagnostics")
    if diagnostics is not None:
        facets["colgraph_diagnostics"] = diagnostics
    return {
        "eventTime": event["eventTime"],
        "producer": event["producer"],
        "schemaURL": JOB_EVENT,
        "job": {**event["job"], "facets": facets},
        "inputs": event["inputs"],
        "outputs": event["outputs"],
    }


class QueryEvent(NamedTuple):
    """The event of a query, and what its lineage lacks."""

    event: RunEvent
    diagnostics: Diagnostics


def query_event(
    run: ApplicationRun,
    query: Query,
    lineage: QueryLineage,
    settings: Settings,
    started: float,
    through_driver: Collection[DatasetId] = (),
) -> QueryEvent:
    """The RUNNING event of a query.

    Args:
        run: The application's run, to which all its events belong.
        query: The query with its plan, as the lineage was resolved from it.
        lineage: The resolved lineage.
        settings: Which facets are wanted, and how large they may get.
        started: When the query was taken from the queue, by `time.monotonic`.
        through_driver: The datasets that the output may depend on by way of the driver: the
            program had asked for rows of theirs before it made rows of its own.

    Returns:
        The event, cut to `maxEventBytes`, and the diagnostics that stand in it. It never raises
        for an output: one whose facets cannot be built keeps its name and schema.
    """
    diagnostics = lineage.diagnostics
    outputs = []
    if query.write is not None:
        output, diagnostics = output_dataset(query, query.write, lineage, settings)
        outputs = [output]
    inputs = input_datasets(reads_of(query, lineage))
    is_known = all("columnLineage" in output["facets"] for output in outputs)  # it states all
    has_facet = settings["lineageFacet"] and is_known
    job_facets: JobFacets = {"lineage": lineage_facet(outputs)} if has_facet else {}
    if query.text:
        job_facets["sql"] = sql_facet(query.text)
    unresolved = Counter(diagnostics.unresolved) + Counter(diagnostics.failures)
    unresolved += Counter([output_to(query.sink)] if query.sink else [])
    facts = diagnostics_facet(
        unresolved, diagnostics.opaque, diagnostics.truncated, monotonic() - started
    )
    if query.write is not None and through_driver:
        facts = with_driver_rows(facts, query.write.named.dataset, through_driver)
    run_facets: RunFacets = {"colgraph_diagnostics": facts}
    event = run_event(run, "RUNNING", inputs, outputs, run_facets, job_facets)
    cut(event, settings["maxEventBytes"])
    return QueryEvent(event, diagnostics)


def output_to(sink: str) -> str:
    """The diagnostics' key of an output without a name: the class of its sink."""
    return f"output to {sink}"


def output_dataset(
    query: Query, write: Write, lineage: QueryLineage, settings: Settings
) -> tuple[Dataset, Diagnostics]:
    """The dataset that a query wrote; without facets that its lineage cannot give."""
    diagnostics = lineage.diagnostics
    if diagnostics.truncated:
        lineage = conservative(query, lineage)
    plain: DatasetFacets = {"schema": schema_facet(write.columns)} if write.columns else {}
    output = dataset(write.named, plain)
    try:
        edges = column_lineage(write, lineage, settings)
        if edges.is_mismatched:
            diagnostics = diagnostics.with_unresolved("output columns")
        if edges.left_out:
            truncated = f"{edges.left_out} columns are left out: maxEdges"
            diagnostics = diagnostics._replace(truncated=truncated)
        output = dataset(write.named, output_facets(write, edges))
        digests = lineage.digests if diagnostics.is_whole and edges.facet is not None else None
        if digests is not None:
            output["facets"]["colgraph_digests"] = digests_facet(write, lineage, digests)
        if query.plan and settings["operations"] and diagnostics.is_whole:
            output["facets"]["colgraph_operations"] = operations_facet(query.plan, write, lineage)
    except TooMany:
        truncated = f"operations are left out: more than {MOST_OPERATIONS}"
        diagnostics = diagnostics._replace(truncated=truncated)
    except Exception as error:  # noqa: BLE001 - the event reports it, with what is known
        diagnostics = diagnostics.with_failure(exception_text(error))
    if write.generated:
        diagnostics = diagnostics.with_unresolved("generated columns", len(write.generated))
    if write.statistics is not None:
        output["outputFacets"] = output_facets_of(write.statistics)
    return output, diagnostics


def output_facets(write: Write, edges: ColumnLineage) -> DatasetFacets:
    """The facets of a dataset that was written."""
    facets: DatasetFacets = {"schema": schema_facet(edges.columns)} if edges.columns else {}
    if edges.facet is not None:
        facets["columnLineage"] = edges.facet
    if write.lifecycle not in ("", SOME_ROWS):
        facets["lifecycleStateChange"] = lifecycle_facet(write)
    form = write.format or lake_of(write.named)
    if form:
        facets["storage"] = storage_facet(form)
    return facets


def operations_facet(plan: Rows, write: Write, lineage: QueryLineage) -> OperationsFacet:
    """The colgraph_operations facet; TooMany if there are too many to be useful."""
    names = [name for name, _ in write.columns or ()]
    operations = operations_of(lineage, plan, write.named.dataset, names)
    return {**facet("colgraph_operations"), "operations": operations}


def digests_facet(write: Write, lineage: QueryLineage, digests: Digests) -> DigestsFacet:
    """The colgraph_digests facet."""
    columns, steps = digests.of(lineage.frame.output)
    names = (name for name, _ in write.columns or ())
    return {
        **facet("colgraph_digests"),
        "columns": entries(zip(names, columns)),
        "steps": entries(steps),
    }


def with_outer_command(event: RunEvent, write: Write, text: str = "") -> RunEvent:
    """The event of a write with what the command around it knows better: names, lifecycle, counts.

    `text` is the command's, where it is a SQL statement.
    """
    (output,) = event["outputs"]
    facets = output["facets"].copy()
    if write.lifecycle == SOME_ROWS:
        facets.pop("lifecycleStateChange", None)
    elif write.lifecycle:
        facets["lifecycleStateChange"] = lifecycle_facet(write)
    elif "lifecycleStateChange" in facets:  # an append that found no table: it made one
        facets["lifecycleStateChange"] = lifecycle_facet(write._replace(lifecycle="CREATE"))
    if write.format:
        facets["storage"] = storage_facet(write.format)
    links: DatasetFacets = {"symlinks": facets["symlinks"]} if "symlinks" in facets else {}
    named = dataset(write.named, facets)
    named["facets"] = {**links, **named["facets"]}
    if write.statistics is not None:
        named["outputFacets"] = output_facets_of(write.statistics)
    job = event["job"]
    if text:
        job = {**job, "facets": {**job["facets"], "sql": sql_facet(text)}}
    return {**event, "job": job, "outputs": [{**output, **named}]}
