"""What an event tells of lineage that could not be resolved. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_colgraph.store.model.lineage_body import key
from airflow_colgraph.store.model.runs import Job

# Parts of the run facet `colgraph_diagnostics` that make the lineage of an event incomplete.
INCOMPLETE = ("unresolved", "truncated")


def is_incomplete(facet: Any) -> bool:
    """Whether the facet `colgraph_diagnostics` says that not all columns read are known."""
    return isinstance(facet, dict) and any(facet.get(part) for part in INCOMPLETE)


def incomplete_reads(event: Mapping[str, Any]) -> set[tuple[int, int, int | None]]:
    """The datasets that a run read without all its columns being known: (dataset, job, output).

    The output is None if the event has none. An event without that facet has no such reads.
    """
    facets = (event.get("run") or {}).get("facets") or {}
    if not is_incomplete(facets.get("colgraph_diagnostics")):
        return set()
    job = Job(event["job"]["namespace"], event["job"]["name"]).id
    inputs = [key(each["namespace"], each["name"]) for each in event.get("inputs") or ()]
    outputs: list[int | None] = [
        key(each["namespace"], each["name"]) for each in event.get("outputs") or ()
    ]
    return {(dataset, job, output) for output in outputs or [None] for dataset in inputs}
