"""Marquez' column lineage and its graph of jobs and datasets: same parameters, extra keys added.

What is better than there: a source column has its downstream, edges point from input to output,
each direction is walked by itself, and namespaces may contain colons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Reader, TheStore, visible
from airflow_colgraph.api.compat import node_id
from airflow_colgraph.api.compat.marquez import datasets_json, input_field
from airflow_colgraph.api.job_json import job_json
from airflow_colgraph.api.read_audit import name_fields, name_graph
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query import graph, job_runs, listing
from airflow_colgraph.store.query.current_columns import typed_columns
from airflow_colgraph.store.query.field_types import field_types
from airflow_colgraph.store.query.job_datasets import outputs_of
from airflow_colgraph.store.query.job_sources import sources_of

router = APIRouter(prefix="/api/v1", tags=["marquez"], route_class=StoreRoute)


@router.get("/column-lineage")
def column_lineage(
    store: TheStore,
    access: Reader,
    nodeId: str | None = None,  # Marquez' spelling
    depth: Annotated[int, Query(ge=1, le=10_000)] = 20,
    withDownstream: bool = False,
    namespace: str = "",
    dataset: str = "",
    field: str = "",
    direction: Annotated[str, Query(pattern="^(upstream|downstream|both|)$")] = "",
    start: str | None = None,
    end: str | None = None,
    at: str | None = None,
    includeIndirect: bool = False,
    limit: Annotated[int, Query(ge=1, le=100_000)] = graph.LIMIT,
) -> Response:
    """Column lineage of a field, dataset or job; upstream, and downstream if asked for.

    The node is `nodeId`, or `namespace`, `dataset` and `field`.
    """
    access.require_depth(depth)
    with store.connection() as connection:
        starts = _starts(connection, nodeId, Field(namespace, dataset, field))
    answer = graph.lineage(
        store,
        starts,
        direction=direction or ("both" if withDownstream else "upstream"),
        depth=depth,
        start=start,
        end=end,
        at=at,
        indirect=includeIndirect,
        limit=limit,
    )
    return as_json(_column_graph(store, visible(answer, access)))


def _starts(connection: Connection, node: str | None, explicit: Field) -> list[Field]:
    if node is None:
        if not explicit.name:
            raise QuestionError("No node is given. Expected nodeId, or namespace and dataset.")
        return [explicit]
    _, start = node_id.resolve(connection, node)
    return [start] if isinstance(start, Field) else outputs_of(connection, start.id)


def _column_graph(store: Any, answer: graph.Graph) -> dict[str, Any]:
    name_graph(answer)
    nodes = {field: depth for field, depth in answer.nodes.items() if field.field}
    with store.connection() as connection:
        kinds = field_types(connection, {field.dataset for field in nodes})
    inputs: dict[Field, list[graph.Edge]] = {field: [] for field in nodes}
    outputs: dict[Field, list[Field]] = {field: [] for field in nodes}
    for edge in answer.edges:
        inputs.setdefault(edge.output, []).append(edge)
        outputs.setdefault(edge.input, []).append(edge.output)
    return {
        "graph": [
            {
                "id": node_id.field_id(field),
                "type": "DATASET_FIELD",
                "data": {
                    "namespace": field.namespace,
                    "dataset": field.name,
                    "datasetVersion": None,
                    "field": field.field,
                    "fieldType": kinds[field.dataset].get(field.field),
                    "transformationDescription": None,
                    "transformationType": None,
                    "inputFields": [input_field(edge) for edge in inputs[field]],
                },
                "inEdges": [
                    _edge(source, field) for source in dict.fromkeys(e.input for e in inputs[field])
                ],
                "outEdges": [_edge(field, target) for target in dict.fromkeys(outputs[field])],
                "depth": depth,
            }
            for field, depth in nodes.items()
        ],
        "truncated": answer.truncated,
        "isPartial": answer.truncated,
    }


def _edge(source: Field, target: Field) -> dict[str, str]:
    return {"origin": node_id.field_id(source), "destination": node_id.field_id(target)}


@router.get("/lineage")
def lineage(
    store: TheStore,
    access: Reader,
    nodeId: str,  # Marquez' spelling
    depth: Annotated[int, Query(ge=1, le=1000)] = 20,
) -> Response:
    """Datasets and the jobs between them, in both directions."""
    access.require_depth(depth)
    with store.connection() as connection:
        _, node = node_id.resolve(connection, nodeId)
        starts = [node.dataset] if isinstance(node, Field) else outputs_of(connection, node.id)
    both = visible(
        graph.lineage(store, starts, direction="both", depth=depth, level="dataset"), access
    )
    nodes: dict[str, dict[str, Any]] = {}
    with store.connection() as connection:
        for dataset in both.nodes:
            _add_dataset(nodes, dataset)
        if isinstance(node, Job):
            _add_job(nodes, connection, job_runs.job(connection, node.namespace, node.name))
        for edge in both.edges:
            for report in edge.reported_by:
                if report.job:
                    _connect(nodes, connection, edge, report.job)
        for name in [name for name, node in nodes.items() if node["type"] == "JOB"]:
            _add_sources(nodes, connection, nodes[name])
        _describe(connection, [node for node in nodes.values() if node["type"] == "DATASET"])
    return as_json({"graph": list(nodes.values()), "truncated": both.truncated})


def _add_dataset(nodes: dict[str, dict[str, Any]], dataset: Field) -> dict[str, Any]:
    id = node_id.field_id(dataset)
    return nodes.setdefault(
        id, {"id": id, "type": "DATASET", "data": dataset, "inEdges": [], "outEdges": []}
    )


def _describe(connection: Connection, nodes: Sequence[dict[str, Any]]) -> None:
    """Put what the store says of each dataset into its node."""
    datasets = [node["data"] for node in nodes]
    columns = typed_columns(connection, datasets)
    described = datasets_json(connection, listing.datasets_of(connection, datasets))
    for node, dataset, types in zip(nodes, described, columns, strict=True):
        name_fields(node["data"], types)
        node["data"] = {
            **dataset,
            "fields": [{"name": name, "type": kind, "tags": []} for name, kind in types.items()],
        }


def _add_job(
    nodes: dict[str, dict[str, Any]], connection: Connection, row: job_runs.JobInfo
) -> dict[str, Any]:
    id = node_id.job_id(row.namespace, row.name)
    if id not in nodes:
        data = job_json(connection, row)
        nodes[id] = {"id": id, "type": "JOB", "data": data, "inEdges": [], "outEdges": []}
    return nodes[id]


def _connect(
    nodes: dict[str, dict[str, Any]], connection: Connection, edge: graph.Edge, job: graph.Job
) -> None:
    middle = _add_job(nodes, connection, job_runs.JobInfo(*job, None))
    for origin, destination in (
        (_add_dataset(nodes, edge.input), middle),
        (middle, _add_dataset(nodes, edge.output)),
    ):
        _draw(origin, destination)


def _add_sources(
    nodes: dict[str, dict[str, Any]], connection: Connection, job: dict[str, Any]
) -> None:
    """Add the jobs and datasets that feed a job, without a dataset in between."""
    id = Job(job["data"]["namespace"], job["data"]["name"]).id
    for source in sources_of(connection, id):
        if source.type == "JOB":
            row = job_runs.JobInfo(source.namespace, source.name, None, None, None)
            _draw(_add_job(nodes, connection, row), job)
        else:
            _draw(_add_dataset(nodes, Field(source.namespace, source.name, "")), job)


def _draw(origin: dict[str, Any], destination: dict[str, Any]) -> None:
    line = {"origin": origin["id"], "destination": destination["id"]}
    if line not in origin["outEdges"]:
        origin["outEdges"].append(line)
        destination["inEdges"].append(line)
