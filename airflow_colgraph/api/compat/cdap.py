"""CDAP's field-level lineage, the routes as shipped; those of its design: `cdap_design`.

`start` (inclusive) and `end` (exclusive) are seconds since 1970 or e.g. `now-7d`. Namespaces and
datasets may contain slashes; percent-encode them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from fastapi import APIRouter, Response
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Reader, TheStore, hidden_jobs
from airflow_colgraph.api.read_audit import name_columns, name_fields
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.api.selection import (
    DatasetPath,
    RequiredSpan,
    directions,
    end_point,
    reduced,
)
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.lineage_body import Field, named_fields
from airflow_colgraph.store.model.runs import run_text
from airflow_colgraph.store.query import dataset_details
from airflow_colgraph.store.query.endpoint import (
    INCOMING,
    OUTGOING,
    EndPoint,
    Relation,
    jobs,
)
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.operations import as_json as operation

router = APIRouter(prefix="/v3/namespaces/{namespace:path}", tags=["cdap"], route_class=StoreRoute)

LINEAGE = "/datasets/{dataset:path}/lineage"


def levels_of(levels: int) -> int:
    """The levels, within reason."""
    if levels < 1:
        raise QuestionError(f"Levels is {levels}. Expected 1 or more.")
    return min(levels, 100)


def _entity(dataset: Field) -> dict[str, str]:
    return {"namespace": dataset.namespace, "dataset": dataset.name, "entity": "DATASET"}


def _program(job: Any) -> dict[str, str]:
    """A job as CDAP's program: an Airflow task is a program of its DAG."""
    application = job.dag_id or job.name.partition(".")[0]
    program = job.task_id or job.name.partition(".")[2] or job.name
    return {
        "namespace": job.namespace,
        "application": application,
        "type": "Workflow",
        "program": program,
        "entity": "PROGRAM",
    }


# As shipped -------------------------------------------------------------------------------------


@router.get(LINEAGE + "/fields/{field:path}/operations")
def operations(
    store: TheStore,
    access: Reader,
    asked: DatasetPath,
    field: str,
    span: RequiredSpan,
    direction: str = "both",
) -> Response:
    """The operations that wrote the field or used it, an entry per distinct chain."""
    wanted = directions(direction)
    with store.connection() as connection:
        point = end_point(connection, access, asked, span)
        by_side = {side: _operations(connection, point, side, field) for side in wanted}
    return as_json(by_side)


def _operations(
    connection: Connection, point: EndPoint, direction: str, field: str
) -> list[dict[str, Any]]:
    """One element per distinct list of operations, with the latest run of each program."""
    reports = point.reported_bodies(direction)
    name_columns(*(named_fields(report.body) for report in reports))
    programs = jobs(connection, (report.job for report in reports))
    grouped: dict[str, tuple[list[Any], dict[Any, int]]] = {}
    for report in reports:
        chain = [operation(step) for step in reduced(point, direction, field, report.body)]
        if chain:
            latest = grouped.setdefault(repr(chain), (chain, {}))[1]
            latest[report.job] = max(latest.get(report.job, 0), report.last_at)
    return [
        {
            "programs": [
                {"program": _program(programs[job]), "lastExecutedTimeInSeconds": at // 1000}
                for job, at in sorted(latest.items(), key=lambda pair: -pair[1])
                if job in programs
            ],
            "operations": chain,
        }
        for chain, latest in grouped.values()
    ]


@router.get(LINEAGE + "/fields/{field:path}")
def field_lineage(
    store: TheStore,
    access: Reader,
    asked: DatasetPath,
    field: str,
    span: RequiredSpan,
    direction: str = "both",
) -> Response:
    """The fields of other datasets that the field is derived from or used in; single level."""
    wanted = directions(direction)
    by_side: dict[str, Any] = {}
    with store.connection() as connection:
        point = end_point(connection, access, asked, span)
        for side in wanted:
            by_dataset: dict[Field, set[str]] = defaultdict(set)
            for other, own in point.relations(side):
                if own == field:
                    by_dataset[other.dataset].add(other.field)
            name_columns(other._replace(field=f) for other in by_dataset for f in by_dataset[other])
            name_fields(point.dataset, [field])
            by_side[side] = [
                {"dataset": _entity(other), "fields": sorted(names)}
                for other, names in sorted(by_dataset.items())
            ]
    return as_json(by_side)


@router.get(LINEAGE + "/fields")
def fields(
    store: TheStore,
    access: Reader,
    asked: DatasetPath,
    span: RequiredSpan,
    prefix: str = "",
    includeCurrent: bool = False,  # CDAP's spelling
) -> Response:
    """The fields with lineage in the range; with includeCurrent also those that now have none."""
    with store.connection() as connection:
        point = end_point(connection, access, asked, span)
        name_fields(point.dataset, point.fields())
        with_lineage = [name for name in point.fields() if name.startswith(prefix)]
        if not includeCurrent:
            return as_json(with_lineage)
        now = [
            info.name
            for info in dataset_details.fields(connection, point.dataset)
            if not info.dropped
        ]
    name_fields(point.dataset, now)
    every = sorted({*with_lineage, *(name for name in now if name.startswith(prefix))})
    return as_json([{"name": name, "hasLineage": name in with_lineage} for name in every])


@router.get(LINEAGE.replace("lineage", "allfieldlineage"), include_in_schema=False)
@router.get(LINEAGE + "/allfieldlineage")
def all_field_lineage(
    store: TheStore,
    access: Reader,
    asked: DatasetPath,
    span: RequiredSpan,
    direction: str = "both",
) -> Response:
    """The mappings of all the dataset's fields; single level."""
    wanted = directions(direction)
    with store.connection() as connection:
        point = end_point(connection, access, asked, span)
        answer: dict[str, Any] = {
            "direction": "BOTH" if len(wanted) == 2 else wanted[0].upper(),
            "start-ts": span[0] // 1000,
            "end-ts": span[1] // 1000,
            "entityId": _entity(point.dataset),
            "fields": point.fields(wanted),
        }
        name_fields(point.dataset, answer["fields"])
        for side in wanted:
            answer[side] = _related(connection, side, point.relations(side))
    return as_json(answer)


def _related(
    connection: Connection, direction: str, relations: set[Relation]
) -> list[dict[str, Any]]:
    by_dataset: dict[Field, set[tuple[str, str]]] = defaultdict(set)
    name_columns(other for other, _ in relations)
    for other, own in relations:
        pair = (other.field, own) if direction == INCOMING else (own, other.field)
        by_dataset[other.dataset].add(pair)
    return [
        {
            "entityId": _entity(other),
            "relations": [{"source": a, "destination": b} for a, b in sorted(pairs)],
            "fieldCount": sum(not i.dropped for i in dataset_details.fields(connection, other)),
        }
        for other, pairs in sorted(by_dataset.items())
    ]


@router.get(LINEAGE)
def dataset_lineage(
    store: TheStore,
    access: Reader,
    asked: DatasetPath,
    span: RequiredSpan,
    levels: int = 10,
) -> Response:
    """Which programs read and wrote which datasets, several levels in both directions."""
    most = levels_of(levels)
    data: dict[str, Any] = {}
    programs: dict[str, Any] = {}
    relations: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    with store.connection() as connection:
        hidden = hidden_jobs(connection, access)
        first = find_dataset(connection, *asked)
        data[_data_key(first)] = {"entityId": _entity(first)}
        for direction in (INCOMING, OUTGOING):
            frontier, seen = [first], {first}
            for _ in range(most):
                following = []
                for dataset in frontier:
                    bodies = EndPoint(connection, dataset, *span, hidden).reported_bodies(direction)
                    jobs_by_id = jobs(connection, (s.job for s in bodies))
                    for s in bodies:
                        if s.job not in jobs_by_id:
                            continue
                        program = f"workflow.{jobs_by_id[s.job].namespace}.{jobs_by_id[s.job].name}"
                        programs[program] = {"entityId": _program(jobs_by_id[s.job])}
                        output = Field(s.body["output"][0], s.body["output"][1], "")
                        ends = [(output, "write")]
                        ends += [(Field(ns, name, ""), "read") for ns, name in s.body["inputs"]]
                        run = run_text(s.last_run)
                        for other, how in ends:
                            data[_data_key(other)] = {"entityId": _entity(other)}
                            if run:
                                relations[_data_key(other), program, how].add(run)
                            if other not in seen:
                                seen.add(other)
                                following.append(other)
                frontier = following
    return as_json(
        {
            "start": span[0] // 1000,
            "end": span[1] // 1000,
            "relations": [
                {
                    "data": key,
                    "program": program,
                    "accesses": [how],
                    "runs": sorted(runs),
                    "components": [],
                }
                for (key, program, how), runs in sorted(relations.items())
            ],
            "data": data,
            "programs": programs,
        }
    )


def _data_key(dataset: Field) -> str:
    return f"dataset.{dataset.namespace}.{dataset.name}"
