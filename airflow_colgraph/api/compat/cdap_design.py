"""CDAP's field-level lineage as its design document has it: the routes that were never shipped."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from airflow_colgraph.api.access import Reader, TheStore, hidden_jobs
from airflow_colgraph.api.compat.cdap import levels_of
from airflow_colgraph.api.read_audit import name_columns, name_fields
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.api.selection import (
    DatasetPath,
    EndpointPath,
    RequiredSpan,
    WholeSpan,
    directions,
    end_point,
    reduced,
)
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field, named_fields
from airflow_colgraph.store.query import dataset_details
from airflow_colgraph.store.query.endpoint import mappings
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.operations import Step

router = APIRouter(prefix="/v3/namespaces/{namespace:path}", tags=["cdap"], route_class=StoreRoute)


def _name(dataset: Field) -> dict[str, str]:
    return {"namespace": dataset.namespace, "name": dataset.name}


@router.get("/endpoints/{endpoint:path}/fields/lineage")
def endpoint_lineage(
    store: TheStore,
    access: Reader,
    asked: EndpointPath,
    span: RequiredSpan,
    level: int = 10,
    direction: str = "backward",
) -> Response:
    """The field mappings between datasets, several levels backward (or forward, or both)."""
    wanted, most = directions(direction), levels_of(level)
    with store.connection() as connection:
        dataset = find_dataset(connection, *asked)
        hidden = hidden_jobs(connection, access)
        field_maps = [
            m for side in wanted for m in mappings(connection, dataset, *span, side, most, hidden)
        ]
    for source, target, pairs in field_maps:
        name_fields(source, (a for a, _ in pairs))
        name_fields(target, (b for _, b in pairs))
    return as_json(
        [
            {
                "source": _name(source),
                "Destination": _name(target),  # the document's spelling
                "fieldmap": [{"from": a, "to": b} for a, b in pairs],
            }
            for source, target, pairs in field_maps
        ]
    )


@router.get("/endpoints/{endpoint:path}/fields/{field:path}/lineage")
def endpoint_field_lineage(
    store: TheStore,
    access: Reader,
    asked: EndpointPath,
    field: str,
    span: RequiredSpan,
    direction: str = "backward",
) -> Response:
    """A field's nodes (`operation.field`) and the operations that connect them; single level."""
    wanted = directions(direction)
    nodes: dict[str, dict[str, Any]] = {}
    connections: dict[tuple[str, str, str], None] = {}
    with store.connection() as connection:
        point = end_point(connection, access, asked, span)
        for side in wanted:
            for reported in point.reported_bodies(side):
                name_columns(named_fields(reported.body))
                _connect(reduced(point, side, field, reported.body), nodes, connections)
    return as_json(
        {
            "startTimeInSeconds": span[0] // 1000,
            "endTimeInSeconds": span[1] // 1000,
            "nodes": list(nodes.values()),
            "connections": [{"from": a, "to": b, "operation": name} for a, b, name in connections],
        }
    )


def _connect(
    some: list[Step],
    nodes: dict[str, dict[str, Any]],
    connections: dict[tuple[str, str, str], None],
) -> None:
    for step in some:
        for name in step.outputs:
            node = nodes.setdefault(f"{step.name}.{name}", _node(step.name, name))
            if step.source:
                node["sourceEndPoint"] = _name(step.source)
            for origin, taken in step.inputs:
                connections[f"{origin}.{taken}", f"{step.name}.{name}", step.name] = None
        if step.target:
            for origin, taken in step.inputs:
                node = nodes.setdefault(f"{origin}.{taken}", _node(origin, taken))
                node["destinationEndPoint"] = _name(step.target)


def _node(origin: str, name: str) -> dict[str, Any]:
    return {"id": f"{origin}.{name}", "label": name}


@router.get("/datasets/{dataset:path}/fields")
def dataset_fields(
    store: TheStore,
    access: Reader,
    asked: DatasetPath,
    span: WholeSpan,
) -> Response:
    """The dataset's fields that were known in the range, with their times and last run."""
    with store.connection() as connection:
        dataset = find_dataset(connection, *asked)
        infos = dataset_details.fields(connection, dataset)
    name_fields(dataset, (info.name for info in infos))
    rows = []
    for info in infos:
        created, updated = _seconds(info.created_at), _seconds(info.updated_at)
        if created is None or updated is None:
            continue
        if created * 1000 < span[1] and (updated + 1) * 1000 > span[0]:
            times = {
                "creation_time": created,
                "last_update_time": updated,
                "last_modified_run": info.updated_by,
            }
            rows.append({"name": info.name, "properties": times})
    return as_json(rows)


def _seconds(time: str | None) -> int | None:
    return None if time is None else clock.parse_iso(time) // 1000


@router.get("/datasets/{dataset:path}/properties")
def dataset_properties(
    store: TheStore,
    access: Reader,
    asked: DatasetPath,
    span: WholeSpan,
) -> Response:
    """The dataset's properties, for each run in the range that read it."""
    with store.connection() as connection:
        hidden = hidden_jobs(connection, access)
        rows = dataset_details.properties(
            connection, find_dataset(connection, *asked), *span, hidden
        )
    return as_json([{"programRun": run, "properties": values} for run, values in rows])
