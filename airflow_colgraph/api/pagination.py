"""Pages of a list: the limit, the offset or cursor to go on from, and the keys of the answer."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import Query

from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.query import pagination

Row = TypeVar("Row")
Limit = Annotated[int, Query(ge=1, le=pagination.MOST)]
Offset = Annotated[int, Query(ge=0, le=10**9)]
Cursor = Annotated[str, Query(max_length=5000, description="The `cursor` of the previous page.")]


def page(
    rows: Sequence[Row], limit: int, offset: int, key: Callable[[Row], pagination.Key]
) -> dict[str, Any]:
    """How to go on after the first `limit` rows: by offset, or by a cursor that stays right when
    rows are added; null at the end.
    """
    if len(rows) <= limit:
        return {"next": None, "cursor": None}
    last = orjson.dumps(list(key(rows[limit - 1])))
    return {"next": offset + limit, "cursor": urlsafe_b64encode(last).decode()}


def after(cursor: str, *kinds: Callable[[Any], Any]) -> pagination.Key | None:
    """Where the page after the cursor begins; QuestionError if it is none of this list."""
    if not cursor:
        return None
    try:
        parts = orjson.loads(urlsafe_b64decode(cursor))
        if all(_fits(part, kind) for part, kind in zip(parts, kinds, strict=True)):
            return tuple(parts)
    except (ValueError, TypeError):
        pass
    raise QuestionError(f"Cursor is {cursor[:60]!r}. Expected one from the previous page.")


def _fits(part: Any, kind: Callable[[Any], Any]) -> bool:
    """Whether a part of a cursor is one that a database takes."""
    if type(part) is int:
        return kind is int and abs(part) < 2**62
    return type(part) is str and "\0" not in part and kind(part) == part


def digits(text: str) -> str:
    """The text if it is of hexadecimal digits."""
    return bytes.fromhex(text).hex()
