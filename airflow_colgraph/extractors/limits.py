"""Limit the lineage in one task event. Pure.

Airflow gives an event ten seconds, from the extractor to the transport, and spends most of them on
redaction: as much time as there are objects. So there is a limit for input fields, and one for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import orjson

from airflow_colgraph.extractors.task_lineage import (
    DIAGNOSTICS,
    Dataset,
    Facet,
    Key,
    Lineage,
    diagnostics,
)

MOST_NAMED = 100  # datasets that were cut and are named; more are counted


class Limits(NamedTuple):
    """The most input fields, and the most bytes of datasets, in one event."""

    max_input_fields: int
    max_event_bytes: int


def cut(lineage: Lineage, limits: Limits, whole: str) -> Lineage:
    """Cut a lineage to the limits; its diagnostics facet names what was left out.

    `whole` names the place that has the whole lineage.
    """
    cuts: dict[Key, dict[str, int]] = {}
    reasons = []
    smaller = _fields_within(lineage, limits.max_input_fields, cuts)
    if smaller is not lineage:
        reasons.append(f"max_input_fields is {limits.max_input_fields}")
    fitting = _bytes_within(smaller, limits.max_event_bytes, cuts)
    if fitting is not smaller:
        reasons.append(f"max_event_bytes is {limits.max_event_bytes}")
    if not reasons:
        return lineage
    named = [
        {"namespace": namespace, "name": name, **what}
        for (namespace, name), what in list(cuts.items())[:MOST_NAMED]
    ]
    cutting: Facet = {
        "truncated": f"{' and '.join(reasons)}, the whole lineage is at {whole}",
        "cut": named,
        "whole": whole,
    }
    if len(cuts) > MOST_NAMED:
        cutting["cutFurther"] = len(cuts) - MOST_NAMED
    before = lineage.run_facets.get(DIAGNOSTICS)
    facet = cutting if before is None else diagnostics(before, cutting)
    return fitting._replace(run_facets={**fitting.run_facets, DIAGNOSTICS: facet})


def _key(dataset: Dataset) -> Key:
    return dataset["namespace"], dataset["name"]


# Input fields ---------------------------------------------------------------------------------


def _fields_within(lineage: Lineage, most: int, cuts: dict[Key, dict[str, int]]) -> Lineage:
    """No more than `most` input fields.

    The rule: outputs in their order; in each, first the fields in their order, then the inputs
    of all its rows (`dataset`). A field whose input fields no longer fit is left out whole: it is
    never listed with a part of them, nor as a constant.
    """
    left = most
    outputs, smaller = [], False
    for output in lineage.outputs:
        facet = (output.get("facets") or {}).get("columnLineage")
        if facet is None:
            outputs.append(output)
            continue
        fields = {}
        for name, field in facet["fields"].items():
            if len(field["inputFields"]) <= left:
                fields[name] = field
                left -= len(field["inputFields"])
        rows = facet.get("dataset") or []
        kept_rows = rows if len(rows) <= left else []
        left -= len(kept_rows)
        if len(fields) == len(facet["fields"]) and len(kept_rows) == len(rows):
            outputs.append(output)
            continue
        smaller = True
        kept = {**facet, "fields": fields, "dataset": kept_rows}
        outputs.append({**output, "facets": {**output["facets"], "columnLineage": kept}})
        cuts[_key(output)] = {
            "fieldsLeftOut": len(facet["fields"]) - len(fields),
            "datasetLeftOut": len(rows) - len(kept_rows),
        }
    return lineage._replace(outputs=outputs) if smaller else lineage


# Bytes ----------------------------------------------------------------------------------------


def _bytes_within(lineage: Lineage, most: int, cuts: dict[Key, dict[str, int]]) -> Lineage:
    """No more than `most` bytes of JSON: what STEPS names is left out until it fits."""
    size = _size([lineage.inputs, lineage.outputs])
    if size <= most:
        return lineage
    kept = {"inputs": list(lineage.inputs), "outputs": list(lineage.outputs)}
    for side, leave_out in STEPS:
        for position in reversed(range(len(kept[side]))):
            if size <= most:
                break
            dataset = kept[side][position]
            counts = cuts.get(_key(dataset), {})
            facets = leave_out(dict(dataset.get("facets") or {}), size - most, counts)
            if facets is not None:
                kept[side][position] = {**dataset, "facets": facets}
                cuts[_key(dataset)] = counts
                size -= _size(dataset) - _size(kept[side][position])
    for side in ("inputs", "outputs"):
        while size > most and kept[side]:
            dataset = kept[side].pop()
            size -= _size(dataset)
            cuts.setdefault(_key(dataset), {})["datasetsLeftOut"] = 1
    return lineage._replace(inputs=kept["inputs"], outputs=kept["outputs"])


Facets = dict[str, Facet]
LeaveOut = Callable[[Facets, int, dict[str, int]], Facets | None]


def _facet(name: str) -> LeaveOut:
    """The one facet of that name."""

    def leave_out(facets: Facets, excess: int, counts: dict[str, int]) -> Facets | None:
        if facets.pop(name, None) is None:
            return None
        counts["facetsLeftOut"] = counts.get("facetsLeftOut", 0) + 1
        return facets

    return leave_out


def _columns(facets: Facets, excess: int, counts: dict[str, int]) -> Facets | None:
    """Column lineage, field by field from the last; what affects rows goes with the first."""
    facet = facets.get("columnLineage")
    if facet is None:
        return None
    fields = list(facet["fields"].items())
    while fields and excess > 0:
        excess -= _size(dict([fields.pop()])) - len("{}")
    left_out = len(facet["fields"]) - len(fields)
    counts["fieldsLeftOut"] = counts.get("fieldsLeftOut", 0) + left_out
    if fields:
        facets["columnLineage"] = {**facet, "fields": dict(fields)}
    else:
        del facets["columnLineage"]
        rows = len(facet.get("dataset") or [])
        counts["datasetLeftOut"] = counts.get("datasetLeftOut", 0) + rows
    return facets


def _all(facets: Facets, excess: int, counts: dict[str, int]) -> Facets | None:
    if not facets:
        return None
    counts["facetsLeftOut"] = counts.get("facetsLeftOut", 0) + len(facets)
    return {}


# What is left out first, of the last dataset first; datasets themselves come after all of these.
STEPS: tuple[tuple[str, LeaveOut], ...] = (
    ("outputs", _facet("colgraph_operations")),
    ("outputs", _facet("colgraph_digests")),
    ("outputs", _columns),
    ("inputs", _facet("schema")),
    ("outputs", _facet("schema")),
    ("inputs", _all),
    ("outputs", _all),
)


def _size(part: object) -> int:
    return len(orjson.dumps(part))
