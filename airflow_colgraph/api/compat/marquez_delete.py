"""Marquez' DELETE of datasets, jobs and namespaces: what they are is forgotten, see `admin.forget`.

In Marquez the lineage of what is deleted stays and is hidden; here nothing of it is left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Response
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Access, Administrator, TheStore
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.admin.forget import forget
from airflow_colgraph.store.model.selection import Selection
from airflow_colgraph.store.query.selected import of_dataset, of_job, of_namespace
from airflow_colgraph.store.store import Store

router = APIRouter(prefix="/api/v1", tags=["marquez"], route_class=StoreRoute)


@router.delete("/namespaces/{namespace:path}/datasets/{dataset:path}")
def delete_dataset(
    store: TheStore, access: Administrator, namespace: str, dataset: str
) -> Response:
    """Forget a dataset under all its names, and what other jobs reported of it."""
    return _forgotten(store, access, lambda c: of_dataset(c, namespace, dataset))


@router.delete("/namespaces/{namespace:path}/jobs/{job:path}")
def delete_job(store: TheStore, access: Administrator, namespace: str, job: str) -> Response:
    """Forget a job and all its runs."""
    return _forgotten(store, access, lambda c: of_job(c, namespace, job))


@router.delete("/namespaces/{namespace:path}")
def delete_namespace(store: TheStore, access: Administrator, namespace: str) -> Response:
    """Forget all datasets and jobs of a namespace."""
    return _forgotten(store, access, lambda c: of_namespace(c, namespace))


def _forgotten(store: Store, access: Access, select: Callable[[Connection], Selection]) -> Response:
    with store.connection() as connection:
        what = select(connection)
    names = (*what.datasets.values(), *what.jobs.values())
    access.require_namespaces(namespace for namespace, _ in names)
    counts: dict[str, Any] = forget(store, what, access.name)._asdict()
    return as_json({"asked": what.asked, "forgotten": counts})
