"""What `lifecycleStateChange` says that became of a dataset as a whole. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from airflow_colgraph.store.ingest import facets
from airflow_colgraph.store.model.lifecycle import CHANGES
from airflow_colgraph.store.model.lineage_body import Field

# Life cycle changes after which older rows of the dataset are still there.
KEEPS_OLD_ROWS = {"ALTER", "APPEND", "RENAME"}
# Producers that report each overwrite as a life cycle change; no such facet means: appended.
# Of others nothing is known, and a write without the facet counts as replacing all rows.
REPORT_OVERWRITES = ("airflow-colgraph", "integration/spark")


def state_of(dataset_facets: dict[str, Any]) -> str:
    """The state in capitals; empty if there is none."""
    facet = facets.as_dict(dataset_facets.get("lifecycleStateChange"))
    return facets.text(facet.get("lifecycleStateChange")).upper()


def has_columns(dataset_facets: dict[str, Any]) -> bool:
    """Whether the columns that were written are known."""
    return bool(facets.as_dict(dataset_facets.get("columnLineage")).get("fields"))


def is_ended_after_write(dataset_facets: dict[str, Any]) -> bool | None:
    """Whether a dataset ended after it was written, or without (False); None: it is there.

    Events of other producers may mean that it ended first, and was filled again.
    """
    if state_of(dataset_facets) not in CHANGES:
        return None
    if not has_columns(dataset_facets):
        return None if has_rows(dataset_facets) else False
    return True if reports_overwrites(dataset_facets, "lifecycleStateChange") else None


def is_alteration(
    dataset: Field, dataset_facets: dict[str, Any], sources: Collection[Field]
) -> bool:
    """Whether the columns of a dataset were only changed: none was computed from another dataset.

    A view that is defined anew is altered, too, and says what its columns are computed from.
    """
    is_told = reports_overwrites(dataset_facets, "lifecycleStateChange")  # others append so
    if state_of(dataset_facets) != "ALTER" or not is_told or has_rows(dataset_facets):
        return False
    return set(sources) == {dataset} or not (sources or has_columns(dataset_facets))


def has_rows(dataset_facets: dict[str, Any]) -> bool:
    """Whether rows were written."""
    return bool(facets.as_dict(dataset_facets.get("outputStatistics")).get("rowCount"))


def replaces(output_facets: dict[str, Any]) -> bool:
    """Whether the rows that were there before are gone."""
    if change := state_of(output_facets):
        return change not in KEEPS_OLD_ROWS
    return not any(reports_overwrites(output_facets, name) for name in output_facets)


def reports_overwrites(dataset_facets: dict[str, Any], name: str) -> bool:
    """Whether the producer of a facet reports each overwrite of a dataset."""
    producer = facets.text(facets.as_dict(dataset_facets.get(name)).get("_producer"))
    return any(name in producer for name in REPORT_OVERWRITES)
