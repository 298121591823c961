"""Marquez' namespaces, datasets, jobs, runs and search: same parameters and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Access, Reader, TheStore, visible
from airflow_colgraph.api.compat import node_id
from airflow_colgraph.api.job_json import EPOCH, job_json, runs_json, tag_names
from airflow_colgraph.api.pagination import Limit, Offset
from airflow_colgraph.api.read_audit import name_fields, name_graph
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query import dataset_details, graph, listing
from airflow_colgraph.store.query import job_runs as stored_runs
from airflow_colgraph.store.query.kept_facets import facets_of, facets_of_datasets
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.required import require_namespace
from airflow_colgraph.store.query.tags import tags_on

router = APIRouter(prefix="/api/v1", tags=["marquez"], route_class=StoreRoute)


@router.get("/namespaces")
def namespaces(store: TheStore, access: Reader, limit: Limit = 100, offset: Offset = 0) -> Response:
    """Every namespace of a dataset or a job."""
    with store.connection() as connection:
        names = listing.namespaces(connection)[offset : offset + limit]
        first_seen = listing.first_seen(connection, names)
    rows = [
        {
            "name": name,
            "createdAt": first_seen.get(name, EPOCH),
            "updatedAt": first_seen.get(name, EPOCH),
            "ownerName": "anonymous",
            "description": None,
            "isHidden": False,
        }
        for name in names
    ]
    return as_json({"namespaces": rows})


@router.get("/namespaces/{namespace:path}/datasets/{dataset:path}")
def one_dataset(store: TheStore, access: Reader, namespace: str, dataset: str) -> Response:
    """A dataset with its fields and one hop of column lineage."""
    with store.connection() as connection:
        node = find_dataset(connection, namespace, dataset)
        (row,) = with_first_read(connection, [listing.dataset(connection, node)])
        fields = dataset_details.fields(connection, node)
        about = dataset_details.about(connection, node)
        facets = facets_of(connection, listing.members(connection, node))
        held = tags_on(connection, node)
        (is_deleted,) = dataset_details.are_gone(connection, [node])
    one_hop = visible(graph.lineage(store, [node], depth=1), access)
    name_graph(one_hop)
    name_fields(node, (field.name for field in fields))
    by_output: dict[str, list[graph.Edge]] = {}
    for edge in one_hop.edges:
        by_output.setdefault(edge.output.field, []).append(edge)
    return as_json(
        {
            **dataset_json(row, facets, is_deleted),
            "description": about.description,
            "tags": sorted({set_tag.tag.text for set_tag in held if not set_tag.field.field}),
            "fields": [
                {
                    "name": f.name,
                    "type": f.type,
                    "tags": sorted({t.tag.text for t in held if t.field.field == f.name}),
                    "description": about.fields.get(f.name),
                }
                for f in fields
                if not f.dropped
            ],
            "columnLineage": [
                {"name": name, "inputFields": list(map(input_field, edges))}
                for name, edges in by_output.items()
                if name
            ],
        }
    )


@router.get("/namespaces/{namespace:path}/datasets")
def all_datasets(
    store: TheStore, access: Reader, namespace: str, limit: Limit = 100, offset: Offset = 0
) -> Response:
    """The datasets of a namespace."""
    with store.connection() as connection:
        require_namespace(connection, namespace)
        rows = listing.datasets(connection, "", namespace, limit, offset)
        datasets = datasets_json(connection, rows)
    return as_json({"datasets": datasets, "totalCount": offset + len(rows)})


def datasets_json(connection: Connection, rows: Sequence[listing.Dataset]) -> list[dict[str, Any]]:
    """Datasets as Marquez writes them, without what is said of their fields."""
    datasets = list(map(named, rows))
    rows = with_first_read(connection, rows)
    facets = facets_of_datasets(connection, datasets)
    return list(map(dataset_json, rows, facets, dataset_details.are_gone(connection, datasets)))


def named(row: listing.Dataset) -> Field:
    """A dataset of a list under the name that it has there."""
    return Field(row.namespace, row.name, "")


def with_first_read(
    connection: Connection, rows: Sequence[listing.Dataset]
) -> list[listing.Dataset]:
    """The datasets; those that nothing wrote are as old as the first job that read them."""
    first = listing.first_read(connection, [named(row) for row in rows if not row.created_at])
    return [row._replace(created_at=row.created_at or first.get(named(row))) for row in rows]


def dataset_json(row: listing.Dataset, facets: dict[str, Any], is_gone: bool) -> dict[str, Any]:
    """A dataset as Marquez writes it."""
    source, change = facets.get("dataSource", {}), facets.get("lifecycleStateChange", {})
    return {
        "id": {"namespace": row.namespace, "name": row.name},
        "type": "DB_TABLE",
        "name": row.name,
        "physicalName": row.name,
        "createdAt": row.created_at or EPOCH,
        "updatedAt": row.updated_at or row.created_at or EPOCH,
        "namespace": row.namespace,
        "sourceName": source.get("name") or "default",
        "fields": [],
        "tags": tag_names(facets),
        "lastModifiedAt": row.updated_at,
        "lastLifecycleState": change.get("lifecycleStateChange"),
        "description": facets.get("documentation", {}).get("description"),
        "facets": facets,
        "deleted": is_gone,
    }


@router.get("/namespaces/{namespace:path}/jobs/{job:path}/runs")
def job_runs(
    store: TheStore,
    access: Reader,
    namespace: str,
    job: str,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """The runs of a job, the latest first."""
    with store.connection() as connection:
        stored_runs.job(connection, namespace, job, access.dags)
        rows = stored_runs.runs(connection, [Job(namespace, job).id], None, limit, offset)
        runs = runs_json(connection, rows)
    return as_json({"runs": runs})


@router.get("/namespaces/{namespace:path}/jobs/{job:path}")
def one_job(store: TheStore, access: Reader, namespace: str, job: str) -> Response:
    """A job with its inputs, outputs and latest run."""
    with store.connection() as connection:
        row = stored_runs.job(connection, namespace, job, access.dags)
        return as_json(job_json(connection, row))


@router.get("/jobs/runs/{run}")
def one_run(store: TheStore, access: Reader, run: str) -> Response:
    """A run by its id."""
    from uuid import UUID

    try:
        wanted = UUID(run).bytes
    except ValueError:
        raise QuestionError(f"Run is {run!r}. Expected a UUID.") from None
    with store.connection() as connection:
        rows = [r for r in stored_runs.runs(connection, ids=[wanted]) if access.can_read(r.dag_id)]
        if not rows:
            raise UnknownNode(f"Run {run} is not in the store.")
        return as_json(runs_json(connection, rows)[0])


@router.get("/namespaces/{namespace:path}/jobs")
def all_jobs(
    store: TheStore, access: Reader, namespace: str, limit: Limit = 100, offset: Offset = 0
) -> Response:
    """The jobs of a namespace."""
    return _jobs(store, access, namespace, limit, offset)


def _jobs(store: Any, access: Access, namespace: str, limit: int, offset: int) -> Response:
    with store.connection() as connection:
        require_namespace(connection, namespace)
        rows = stored_runs.jobs(connection, "", namespace, limit, offset, dags=access.dags)
        jobs = [job_json(connection, row) for row in rows]
        total = stored_runs.count_jobs(connection, access.dags, "", namespace)
    return as_json({"jobs": jobs, "totalCount": total})


@router.get("/search")
def search(
    store: TheStore,
    access: Reader,
    q: Annotated[str, Query(max_length=500)],
    filter: Annotated[str, Query(pattern="^(DATASET|JOB|dataset|job|)$")] = "",
    limit: Limit = 10,
) -> Response:
    """Datasets and jobs whose name contains `q`."""
    results: list[dict[str, Any]] = []
    with store.connection() as connection:
        if filter.upper() != "JOB":
            for row in listing.datasets(connection, q, limit=limit):
                id = node_id.field_id(Field(row.namespace, row.name, ""))
                results.append(_result("DATASET", row.namespace, row.name, row.updated_at, id))
        if filter.upper() != "DATASET":
            for job in stored_runs.jobs(connection, q, limit=limit, dags=access.dags):
                id = node_id.job_id(job.namespace, job.name)
                results.append(_result("JOB", job.namespace, job.name, job.updated_at, id))
    return as_json({"totalCount": len(results), "results": results[:limit]})


def _result(kind: str, namespace: str, name: str, at: str | None, id: str) -> dict[str, Any]:
    return {
        "type": kind,
        "name": name,
        "updatedAt": at or EPOCH,
        "namespace": namespace,
        "nodeId": id,
    }


def input_field(edge: graph.Edge) -> dict[str, Any]:
    """One input of a field as Marquez writes it, with all of OpenLineage's values."""
    how = edge.transformation
    return {
        "namespace": edge.input.namespace,
        "dataset": edge.input.name,
        "datasetVersion": None,
        "field": edge.input.field or None,
        "transformationDescription": how.description or None,
        "transformationType": how.subtype or how.type,
        "transformations": [how._asdict()],
    }
