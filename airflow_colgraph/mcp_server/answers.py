"""Answers for agents: small, with what was left out and how to ask for it. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

Json = dict[str, Any]
MOST_BYTES = 8_000  # of an answer as JSON
Place = tuple[str, str, str]
TEXT = 300  # characters of an expression


def answer(rows: Sequence[Json], about: Json, go_on: str, left_out: int = 0) -> Json:
    """An answer of at most MOST_BYTES.

    Args:
        rows: What was asked for, the most important first.
        about: Further keys, such as `unknown`: they are always there.
        go_on: How to ask for the rows that are left out.
        left_out: So many rows are missing already.

    Returns:
        `rows`, `count` of all there are, `complete`, and `left_out` with `to_see_more` if rows are
        missing; an empty list and `complete` mean that there is nothing.
    """
    kept = list(rows)
    while True:
        missing = left_out + len(rows) - len(kept)
        whole: Json = {"rows": kept, "count": len(rows) + left_out, "complete": not missing}
        whole.update(about)
        if missing:
            whole.update({"left_out": missing, "to_see_more": go_on})
        size = len(json.dumps(whole, ensure_ascii=False).encode())
        if size <= MOST_BYTES or not kept:
            return whole
        kept = kept[: min(len(kept) - 1, len(kept) * MOST_BYTES // size)]


def named(end: Json) -> Json:
    """A field of the REST API's as a dataset and its column."""
    column = {} if end.get("field") is None else {"column": end["field"]}
    return {"namespace": end["namespace"], "dataset": end["name"], **column}


def lineage_row(source: Json, output: Json, how: Json) -> Json:
    """An input and an output field, and the transformation between them, as an agent reads it."""
    kind = ":".join(filter(None, (how["type"], how["subtype"])))
    row: Json = {"from": named(source), "to": named(output), "how": kind}
    if how["masking"]:
        row["masked"] = True
    if how["description"]:
        row["expression"] = how["description"][:TEXT]
    return row


def reported_row(edge: Json) -> Json:
    """An edge of the REST API's, with the job that reported it."""
    row = lineage_row(edge["input"], edge["output"], edge)
    job = edge["job"]
    if job:
        row["job"] = job["name"]
        row |= {key: job[key] for key in ("dag_id", "task_id") if job.get(key)}
    return {**row, "hops": edge["depth"], "last_seen": edge["last_seen"]}


def trail_ends(copies: Sequence[Json], wider: Sequence[Json]) -> list[Json]:
    """The steps by which a wider answer to `copies` leaves the columns that another one lists."""
    listed = {_place(copy) for copy in copies}
    ends: dict[tuple[Place, Place], tuple[Json, Json]] = {}
    for copy in wider:
        steps = zip(copy["path"], copy["path"][1:], strict=False)
        for source, target in steps:
            if _place(source) in listed and _place(target) not in listed:
                ends.setdefault((_place(source), _place(target)), (source, target))
    return [{"from": named(source), "to": named(target)} for source, target in ends.values()]


def _place(end: Json) -> Place:
    return end["namespace"], end["name"], end["field"]


def page(address: str | None, **query: Any) -> Json:
    """The link to the web page that shows the same; without an address there is none."""
    if not address:
        return {}
    asked = {name: value for name, value in query.items() if value}
    return {"page": f"{address.rstrip('/')}/?{urlencode(asked)}"}
