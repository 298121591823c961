"""Tags of fields and datasets: where they are, by which path they came; people set and remove."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from airflow_colgraph.api.access import Access, Reader, Tagger, TagRules, TheStore, visible_tag
from airflow_colgraph.api.read_audit import name_columns, name_edges
from airflow_colgraph.api.request_body import json_body
from airflow_colgraph.api.responses import as_bounded_json, as_json
from airflow_colgraph.api.selection import DatasetQuery
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.exports.formats.tag_json import tag_json
from airflow_colgraph.store.admin.tags import write
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.tags import TagChange, parse_tag
from airflow_colgraph.store.query import tag_spread
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.tags import USER, changes, require_tags
from airflow_colgraph.store.store import Store

router = APIRouter(prefix="/api/v1", tags=["tags"], route_class=StoreRoute)

At = Annotated[str | None, Query(description="The tags as of this time. Default: now.")]


class Change(BaseModel):
    """A tag that is set on a field, or on a dataset as a whole, or removed."""

    model_config = ConfigDict(extra="forbid")

    namespace: str = ""
    name: str
    field: str | None = None
    tag: str = Field(description="KEY or KEY=VALUE.")
    source: str = Field(USER, max_length=250)
    remove: bool = False


_CHANGES = TypeAdapter(Annotated[list[Change], Field(max_length=10_000)])
BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": {"type": "array", "items": Change.model_json_schema()}}
    },
}


@router.get("/dataset-tags")
def dataset_tags(
    store: TheStore, access: Reader, rules: TagRules, asked: DatasetQuery, at: At = None
) -> Response:
    """The tags of a dataset and its fields, each with a path and the runs that brought it."""
    with store.connection() as connection:
        dataset = find_dataset(connection, *asked)
        answer = tag_spread.tags_at(connection, dataset, _time(at), rules)
    return _answer(answer, access, namespace=dataset.namespace, name=dataset.name)


@router.get("/tagged")
def tagged(
    store: TheStore,
    access: Reader,
    rules: TagRules,
    tag: Annotated[list[str], Query(description="A pattern of KEY or KEY=VALUE; may be repeated.")],
    at: At = None,
) -> Response:
    """Every field and dataset with one of the tags, set there or travelled there."""
    with store.connection() as connection:
        require_tags(connection, tag)
        answer = tag_spread.tagged(connection, tag, _time(at), rules)
    return _answer(answer, access)


@router.post("/dataset-tags", response_class=Response, openapi_extra={"requestBody": BODY})
async def change_tags(request: Request, store: TheStore, access: Tagger) -> Response:
    """Set and remove tags, all or none; the answer has the number of changes."""
    try:
        asked = _CHANGES.validate_python(await json_body(request, access.limits.body))
    except ValidationError as problem:
        errors = problem.errors(include_url=False)
        raise RequestValidationError(
            [{**error, "loc": ("body", *error["loc"])} for error in errors]
        ) from None
    return as_json({"changed": await request.app.state.threads.run(_change, store, access, asked)})


def _change(store: Store, access: Access, asked: list[Change]) -> int:
    now = time.time_ns() // 1_000_000
    tag_changes: list[TagChange] = []
    with store.connection() as connection:
        for change in asked:
            tag_changes += changes(
                connection,
                (change.namespace, change.name),
                [change.field] if change.field else [],
                [parse_tag(change.tag)],
                is_set=not change.remove,
                at=now,
                by=access.name,
                source=change.source,
            )
    access.require_namespaces(change.field.namespace for change in tag_changes)
    write(store, tag_changes)
    return len(tag_changes)


def _time(at: str | None) -> int | None:
    return None if at is None else clock.parse(at)


def _answer(answer: tag_spread.TagAnswer, access: Access, **more: Any) -> Response:
    name_columns(tag.field for tag in answer.tags)
    name_edges(step for tag in answer.tags for step in tag.path)
    tags = [tag_json(visible_tag(tag, access)) for tag in answer.tags]
    return as_bounded_json({**more, "tags": tags, "truncated": answer.truncated}, "tags")
