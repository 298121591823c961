"""Datasets that an application renames: their names in its events. Pure."""

from __future__ import annotations

from typing import Any

Dataset = dict[str, Any]
Key = tuple[str, str]


def state_of(dataset: Dataset) -> str:
    """What became of the dataset, by its `lifecycleStateChange`; empty if nothing is said."""
    facet = (dataset.get("facets") or {}).get("lifecycleStateChange")
    return str(facet.get("lifecycleStateChange")) if isinstance(facet, dict) else ""


def former_name(dataset: Dataset) -> Key | None:
    """The name that a dataset had before this event, if it was renamed."""
    if state_of(dataset) != "RENAME":
        return None
    previous = dataset["facets"]["lifecycleStateChange"].get("previousIdentifier")
    namespace, name = (
        (previous.get(key) for key in ("namespace", "name"))
        if isinstance(previous, dict)
        else (None, None)
    )
    if not isinstance(namespace, str) or not isinstance(name, str):
        return None
    is_other = (namespace, name) != (dataset["namespace"], dataset["name"])
    return (namespace, name) if is_other else None


def sources(dataset: Dataset) -> set[Key]:
    """The datasets that its column lineage names."""
    facet = (dataset.get("facets") or {}).get("columnLineage") or {}
    fields = (facet.get("fields") or {}).values()
    lists = [field["inputFields"] for field in fields] + [facet.get("dataset") or []]
    return {(entry["namespace"], entry["name"]) for entries in lists for entry in entries}


def named_anew(value: Any, former: Key, name: Key) -> Any:
    """A part of an event with a dataset's new name wherever it has the former one."""
    if isinstance(value, list):
        return [named_anew(entry, former, name) for entry in value]
    if not isinstance(value, dict):
        return value
    parts = {
        key: part if key == "previousIdentifier" else named_anew(part, former, name)
        for key, part in value.items()
    }
    if (value.get("namespace"), value.get("name")) == former:
        parts |= {"namespace": name[0], "name": name[1]}
    return parts
