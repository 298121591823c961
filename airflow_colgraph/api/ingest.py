"""POST /api/v1/lineage: where OpenLineage's http transport sends its events."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import APIRouter, Request, Response

from airflow_colgraph.api.access import Access, NotAllowed, Reporter, TheStore
from airflow_colgraph.api.metrics import Metrics
from airflow_colgraph.api.request_body import json_body
from airflow_colgraph.api.responses import OF_THE_EVENT, as_json
from airflow_colgraph.api.worker_threads import StoreRoute, WorkerThreads
from airflow_colgraph.queries import with_tables
from airflow_colgraph.run_tokens import RunScope
from airflow_colgraph.store.errors import EventError
from airflow_colgraph.store.query.job_runs import jobs_of
from airflow_colgraph.store.store import Added, Store

log = logging.getLogger(__name__)
router = APIRouter(tags=["ingest"], route_class=StoreRoute)

Reasons = list[tuple[int, str]]  # by the event's number
NAMED = 20  # events that an answer names
MANY = 100  # events that may take as long again as a request may

EVENT = {"type": "object"}
BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": {"oneOf": [EVENT, {"type": "array", "items": EVENT}]}}
    },
}


@router.post(
    "/api/v1/lineage",
    status_code=201,
    response_class=Response,
    openapi_extra={"requestBody": BODY},
)
@router.post(
    "/api/v1/lineage/batch",
    status_code=201,
    response_class=Response,
    openapi_extra={"requestBody": BODY},
)
async def ingest(request: Request, store: TheStore, access: Reporter) -> Response:
    """Store one OpenLineage event or a list of them; 201 once they are stored.

    If some are not OpenLineage events, the answer is 400 and names them; the others are stored.
    Parts of facets that are malformed are left out; `warnings` in the answer names them. With a
    token of one run, an event of another is 403, and none is stored; so is an event that names a
    namespace which the key may not write.
    """
    events = await json_body(request, access.limits.body)
    threads: WorkerThreads = request.app.state.threads
    if access.run is not None:
        await threads.run(_check_run, store, access.run, events, access.caller)
    times = 1 + len(events) / MANY if isinstance(events, list) else 1
    refused, malformed = await threads.run(_add, store, events, access, times=times)
    _count(request.app.state.metrics, events, refused, malformed)
    for _, why in malformed:
        log.warning("A part of an event is left out. %s", why)
    if refused:
        raise EventError(_why(refused, events))
    if not malformed:
        return Response(status_code=201)
    warnings = [f"Event {number + 1}: {why}" for number, why in malformed[:NAMED]]
    return as_json({"warnings": warnings, "malformed": len(malformed)}, 201)


def _count(metrics: Metrics, events: Any, refused: Reasons, malformed: Reasons) -> None:
    results = {**dict.fromkeys(dict(malformed), "part"), **dict.fromkeys(dict(refused), "refused")}
    for number, event in enumerate(events if isinstance(events, list) else [events]):
        metrics.event(results.get(number, "accepted"), event)


def _add(store: Store, events: Any, access: Access) -> Added:
    """Store events; the queries that Spark had a database run become the tables they read."""
    batch = with_tables(events if isinstance(events, list) else [events])
    return store.add_valid(batch, access.namespaces)


def _check_run(store: Store, run: RunScope, events: Any, caller: str) -> None:
    """NotAllowed, in one line, if one of the events is not of the run."""
    batch = events if isinstance(events, list) else [events]
    for number, event in enumerate(batch, 1):
        if why := run.refusal(event):
            where = f"Event {number} of {len(batch)}: " if isinstance(events, list) else ""
            raise NotAllowed(f"{where}{why}", caller, headers=OF_THE_EVENT)
    with store.connection() as connection:
        jobs = jobs_of(connection, [str(event["run"].get("runId")) for event in batch])
    if jobs - {run.job}:
        why = "The token is for one job: the run of an event is another's."
        raise NotAllowed(why, caller, headers=OF_THE_EVENT)


def _why(refused: list[tuple[int, str]], events: Any) -> str:
    """One line about the events that were refused."""
    if not isinstance(events, list):
        return refused[0][1]
    each = " ".join(f"Event {number + 1}: {why}" for number, why in refused[:NAMED])
    more = f" And {len(refused) - NAMED} more." if len(refused) > NAMED else ""
    return f"{len(refused)} of {len(events)} events refused, the others are stored. {each}{more}"
