"""Lineage through datasets that only pass data on within one job, such as staging folders. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from airflow_colgraph.extractors.task_lineage import Dataset, Facet, Key, Lineage
from airflow_colgraph.openlineage.input_fields import united
from airflow_colgraph.openlineage.transformations import merge_entries


class Through(NamedTuple):
    """A scratch dataset's lineage: the inputs of its fields, and those of all its rows."""

    fields: dict[str, list[Facet]]
    rows: list[Facet]


def without_scratch(lineage: Lineage, matches: Callable[[str], bool]) -> Lineage:
    """mart <- raw in the place of mart <- staging <- raw, for datasets whose name matches.

    Only datasets that this job wrote and then read are left out. A dataset that existed before the
    job (it is an input), is never read, or has a field without known lineage stays.
    """
    facets = {_key(d): facet for d in lineage.outputs if (facet := _lineage_of(d))}
    before = {_key(dataset) for dataset in lineage.inputs}
    scratch = {
        key: facet
        for key, facet in facets.items()
        if matches(key[1]) and key not in before and _read_again(key, facets)
    }
    if not scratch:
        return lineage
    expansions = _closed(scratch)
    kept = [dataset for dataset in lineage.outputs if _key(dataset) not in scratch]
    return lineage._replace(outputs=[_composed(dataset, expansions) for dataset in kept])


def _key(dataset: Dataset) -> Key:
    return dataset["namespace"], dataset["name"]


def _of(entry: Facet) -> Key:
    return entry["namespace"], entry["name"]


def _lineage_of(dataset: Dataset) -> Facet | None:
    return (dataset.get("facets") or {}).get("columnLineage")


def _entries(facet: Facet) -> list[Facet]:
    fields = facet["fields"].values()
    return [entry for field in fields for entry in field["inputFields"]] + _rows(facet)


def _rows(facet: Facet) -> list[Facet]:
    return facet.get("dataset") or []


def _read_again(key: Key, facets: dict[Key, Facet]) -> bool:
    """Whether other outputs read it, and only fields whose lineage is known."""
    others = (facet for other, facet in facets.items() if other != key)
    read = [entry["field"] for facet in others for entry in _entries(facet) if _of(entry) == key]
    return bool(read) and all(field in facets[key]["fields"] for field in read)


def _closed(scratch: dict[Key, Facet]) -> dict[Key, Through]:
    """Each scratch dataset by what is not scratch; a job may write two of them in turns."""
    expansions = dict.fromkeys(scratch, Through({}, []))
    count = -1
    while count != (count := _steps(expansions)):
        for key, facet in scratch.items():
            expansions[key] = _through(facet, expansions)
    return expansions


def _steps(expansions: dict[Key, Through]) -> int:
    entries = [
        entry
        for through in expansions.values()
        for part in (*through.fields.values(), through.rows)
        for entry in part
    ]
    return sum(1 + len(entry.get("transformations") or []) for entry in entries)


def _composed(dataset: Dataset, expansions: dict[Key, Through]) -> Dataset:
    facet = _lineage_of(dataset)
    if facet is None or not any(_of(entry) in expansions for entry in _entries(facet)):
        return dataset
    through = _through(facet, expansions)
    fields = {
        name: {**field, "inputFields": through.fields[name]}
        for name, field in facet["fields"].items()
    }
    lineage = {**facet, "fields": fields, "dataset": through.rows}
    return {**dataset, "facets": {**dataset["facets"], "columnLineage": lineage}}


def _through(facet: Facet, expansions: dict[Key, Through]) -> Through:
    """The facet's fields and rows, with scratch datasets replaced by their inputs."""
    fields = {
        name: united(_expanded(field["inputFields"], expansions))
        for name, field in facet["fields"].items()
    }
    passed = dict.fromkeys(_of(entry) for entry in _entries(facet))
    row_inputs = [entry for key in passed if key in expansions for entry in expansions[key].rows]
    return Through(fields, united([*_expanded(_rows(facet), expansions), *row_inputs]))


def _expanded(entries: list[Facet], expansions: dict[Key, Through]) -> list[Facet]:
    expanded = []
    for entry in entries:
        if _of(entry) not in expansions:
            expanded.append(entry)
            continue
        for inner in expansions[_of(entry)].fields.get(entry["field"], []):
            steps = [
                merge_entries(outer, seen)
                for outer in entry.get("transformations") or []
                for seen in inner.get("transformations") or []
            ]
            expanded.append({**inner, "transformations": steps})
    return expanded
