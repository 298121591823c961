"""Lineage for DataHub: aspects of its RFC 1841, metadata change proposals, field paths and URNs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Reader, TheStore, require_all
from airflow_colgraph.api.read_audit import name_columns, name_fields
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.api.selection import DatasetQuery
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.exports.datahub import proposals as datahub
from airflow_colgraph.exports.datahub import rfc1841
from airflow_colgraph.exports.datahub.lineage_urns import PATHS
from airflow_colgraph.exports.datahub.platform import Mapping
from airflow_colgraph.exports.datahub.urn import ENVIRONMENTS
from airflow_colgraph.exports.field_lookup import paths_of
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.store_reader import lineage, tags
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.lookup import find_dataset

router = APIRouter(prefix="/api/v1/datahub", tags=["datahub"], route_class=StoreRoute)

Since = Annotated[str | None, Query(description="Only what changed since this time.")]
Indirect = Annotated[bool, Query(description="Also INDIRECT edges: filters, joins, conditions.")]
Env = Annotated[str, Query(pattern=f"^({'|'.join(ENVIRONMENTS)})$", description="Environment.")]
Namespace = Annotated[str, Query(description="The namespace of one dataset.")]
Name = Annotated[str, Query(description="The name of one dataset. Default: every dataset.")]


def _lineage(connection: Connection, since: str | None, namespace: str, name: str) -> Lineage:
    """The lineage of every dataset, or of one that was written."""
    dataset = find_dataset(connection, namespace, name) if name else None
    of = [Dataset(dataset.namespace, dataset.name)] if dataset else None
    return lineage(connection, clock.parse(since) if since else None, of)


def _name(lineage: Lineage) -> None:
    """Say that an answer names the fields of an export."""
    for output in lineage.outputs:
        inputs = [*output.rows, *(i for row in (output.fields or {}).values() for i in row)]
        name_columns(Field(*input.dataset, input.field) for input in inputs)
        name_fields(Field(*output.dataset, ""), output.fields or ())
    for dataset, schema in lineage.schemas.items():
        name_fields(Field(*dataset, ""), (column["name"] for column in schema))


@router.get("/rfc")
def rfc(
    store: TheStore,
    access: Reader,
    kind: Annotated[
        list[str] | None,
        Query(description=f"Only aspects of these kinds: {', '.join(rfc1841.KINDS)}."),
    ] = None,
    namespace: Namespace = "",
    name: Name = "",
    since: Since = None,
    indirect: Indirect = False,
    env: Env = "PROD",
) -> Response:
    """Fields, DatasetUpstreamLineage aspects and relations of DataHub's RFC 1841."""
    require_all(access)
    notes: list[str] = []
    with store.connection() as connection:
        lineage = _lineage(connection, since, namespace, name)
    _name(lineage)
    every = rfc1841.documents(lineage, Mapping(env), indirect=indirect, warn=notes.append)
    documents = [document for document in every if not kind or set(document) & set(kind)]
    return as_json({"documents": documents, "leftOut": notes})


@router.get("/proposals")
def proposals(
    store: TheStore,
    access: Reader,
    namespace: Namespace = "",
    name: Name = "",
    since: Since = None,
    indirect: Indirect = False,
    paths: Annotated[str, Query(pattern=f"^({'|'.join(PATHS)})$")] = "v1",
    env: Env = "PROD",
) -> Response:
    """The current aspects as metadata change proposals: a list that DataHub's file source reads."""
    require_all(access)
    with store.connection() as connection:
        lineage = replace(_lineage(connection, since, namespace, name), tags=tags(connection))
    _name(lineage)
    return as_json(list(datahub.proposals(lineage, Mapping(env), paths=paths, indirect=indirect)))


@router.get("/fields")
def fields(
    store: TheStore,
    access: Reader,
    asked: DatasetQuery,
    env: Env = "PROD",
) -> Response:
    """Every field of a dataset with the paths and URNs that queries accept."""
    with store.connection() as connection:
        dataset = find_dataset(connection, *asked)
        paths: list[dict[str, Any]] = paths_of(connection, *asked, Mapping(env))
    name_fields(dataset, (path["v1"] for path in paths))
    return as_json({"fields": paths})
