"""How much of a lineage goes into one task event, and the rules by which the rest is cut. Pure.

Airflow gives an event ten seconds, from the extractor to the transport, and spends most of them on
redaction: as much time as there are objects. So there is a limit for input fields, and one for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import orjson

from airflow_colgraph.extractors.lineage import (
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
    """The same lineage within the limits, saying what was left out.

    `whole` names the place that has everything.
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
    said = cutting if before is None else diagnostics(before, cutting)
    return fitting._replace(run_facets={**fitting.run_facets, DIAGNOSTICS: said})


def _key(dataset: Dataset) -> Key:
    return dataset["namespace"], dataset["name"]


# Input fields ---------------------------------------------------------------------------------


def _fields_within(lineage: Lineage, most: int, cuts: dict[Key, dict[str, int]]) -> Lineage:
    """No more than `most` input fields.

    The rule: outputs in their order; in each, first the fields in their order, then what decides on
    its rows (`dataset`). A field whose input fields no longer fit is left out whole: never listed
    with a part of them, nor as a constant.
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
    for side, of in STEPS:
        for position in reversed(range(len(kept[side]))):
            dataset = kept[side][position]
            facets = dataset.get("facets") or {}
            names = set(of(facets))
            if size <= most:
                break
            if not names:
                continue
            size -= sum(_size({name: facets[name]}) - len("{}") for name in names)
            rest = {name: facet for name, facet in facets.items() if name not in names}
            kept[side][position] = {**dataset, "facets": rest}
            what = cuts.setdefault(_key(dataset), {})
            what["facetsLeftOut"] = what.get("facetsLeftOut", 0) + len(names)
    for side in ("inputs", "outputs"):
        while size > most and kept[side]:
            dataset = kept[side].pop()
            size -= _size(dataset)
            cuts.setdefault(_key(dataset), {})["datasetsLeftOut"] = 1
    return lineage._replace(inputs=kept["inputs"], outputs=kept["outputs"])


def _named(name: str) -> Callable[[dict[str, Facet]], Iterator[str]]:
    return lambda facets: (each for each in facets if each == name)


# What is left out first, of the last dataset first; datasets themselves come after all of these.
STEPS: tuple[tuple[str, Callable[[dict[str, Facet]], Iterator[str]]], ...] = (
    ("outputs", _named("colgraph_operations")),
    ("outputs", _named("columnLineage")),
    ("inputs", _named("schema")),
    ("outputs", _named("schema")),
    ("inputs", iter),
    ("outputs", iter),
)


def _size(part: object) -> int:
    return len(orjson.dumps(part))
