"""Which parts of facets are left out as they do not have the form of OpenLineage's schemas. Pure.

A producer's mistake in one facet does not lose the event: what can be read is stored, and what
cannot is named here, in one line an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.store.ingest.storable import quoted

MOST = 3  # parts that a line names


class Object(NamedTuple):
    """A JSON object: what its parts have to be, and the name that it cannot be read without.

    `unless`: the `type` of objects that need no name.
    """

    parts: Mapping[str, Any] = {}
    required: str = ""
    unless: str = ""


class Each(NamedTuple):
    """A JSON object of columns, whose parts are all of one form."""

    part: Any


ANY = Object()
INPUT = Object({"transformations": [ANY]}, "name")
SOURCE = INPUT._replace(unless="JOB")  # without a name: the event's own job
_COLUMN: dict[str, Any] = {}
COLUMN = Object(_COLUMN, "name")
_COLUMN["fields"] = [COLUMN]
_LINEAGE = {"inputs": [SOURCE], "fields": Each(Object({"inputs": [SOURCE]}))}
_AIRFLOW = Object({"dag": ANY, "task": ANY, "dagRun": ANY, "taskInstance": ANY})

# The facets that the store reads; a list is a JSON array of that form.
DATASET = {
    "schema": Object({"fields": [COLUMN]}),
    "documentation": ANY,
    "ownership": Object({"owners": [Object({}, "name")]}),
    "symlinks": Object({"identifiers": [Object({}, "name")]}),
    "columnLineage": Object(
        {"fields": Each(Object({"inputFields": [INPUT]})), "dataset": [INPUT]},
    ),
    "lineage": Object(_LINEAGE),
    "lifecycleStateChange": ANY,
    "tags": Object({"tags": [Object({}, "key")]}),
    "colgraph_digests": Object({"columns": [Object({}, "name")], "steps": [Object({}, "name")]}),
    "colgraph_operations": Object({"operations": [ANY]}),
    "colgraph_properties": ANY,
}
JOB = {"lineage": Object({"entries": [Object(_LINEAGE, "name", "JOB")]})}
RUN = {
    "airflow": _AIRFLOW,
    "colgraph_task": Object({}, "dag_id"),
    "airflowDagRun": _AIRFLOW,
    "parent": Object({"run": Object({}, "runId"), "job": Object({}, "name")}),
    "colgraph_diagnostics": Object(
        {
            "unresolved": [Object({}, "class")],
            "opaque": [Object({}, "class")],
            "throughDriver": [Object({"datasets": [ANY]}, "name")],
            "completeness": Object({"unaccounted": [ANY]}),
        }
    ),
}


def malformed(facets: Mapping[str, Any], shapes: Mapping[str, Any]) -> list[str]:
    """The parts of facets that are left out, each with the reason.

    >>> malformed({"schema": {"fields": {"name": "a"}}}, DATASET)
    ["'schema.fields' is dict. Expected a JSON array."]
    """
    problems: list[str] = []
    for name in shapes.keys() & facets.keys():
        if facets[name] is not None:
            _look(facets[name], shapes[name], (name,), problems)
    return problems


def line(parts: Iterable[str]) -> str:
    """The parts of an event that are left out, on one line; empty if there are none."""
    problems = list(parts)
    more = f" And {len(problems) - MOST} more." if len(problems) > MOST else ""
    return " ".join(problems[:MOST]) + more


# Hundreds of parts of each event are looked at, so a place is a text only where a part is wrong.
Place = tuple[Any, ...]  # the facet's name, or the place of what a part is in, and its key there


def _look(value: Any, shape: Any, place: Place, wrong: list[str]) -> None:
    if isinstance(shape, list):
        if not isinstance(value, list):
            wrong.append(_expected(value, "array", place))
            return
        (inner,) = shape
        for number, part in enumerate(value):
            if inner is not ANY or not isinstance(part, dict):
                _look(part, inner, (place, number), wrong)
    elif not isinstance(value, dict):
        wrong.append(_expected(value, "object", place))
    elif isinstance(shape, Each):
        if "" in value:
            wrong.append(f"{quoted(_text(place))} has a column without a name.")
        for name, part in value.items():
            _look(part, shape.part, (place, name), wrong)
    else:
        is_needed = shape.required and not (shape.unless and value.get("type") == shape.unless)
        if is_needed and value.get(shape.required) in (None, ""):
            wrong.append(f"{quoted(_text(place))} has no {shape.required!r}.")
        for name, part in shape.parts.items():
            if value.get(name) is not None:
                _look(value[name], part, (place, name), wrong)


def _expected(value: Any, kind: str, place: Place) -> str:
    return f"{quoted(_text(place))} is {type(value).__name__}. Expected a JSON {kind}."


def _text(place: Place) -> str:
    """The place as people write it.

    >>> _text(((("schema",), "fields"), 0))
    'schema.fields[0]'
    """
    if len(place) == 1:
        return str(place[0])
    outer, key = place
    return f"{_text(outer)}[{key}]" if isinstance(key, int) else f"{_text(outer)}.{key}"
