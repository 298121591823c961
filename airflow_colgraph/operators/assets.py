"""Lineage on Airflow's asset events, where the DAG asks for it.

An outlet asks by `extra={"colgraph": True}`, an alias by `group="colgraph"`:

    outlets=[Asset("file:///data/mart", extra={"colgraph": True})]
    outlets=[AssetAlias("marts", group="colgraph")]

The asset's event then has the dataset and its column lineage as extra; to the alias every dataset
that the job wrote is added as an asset.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_colgraph.extractors.task_lineage import Dataset, Lineage

KEY = "colgraph"
MOST_INPUT_FIELDS = 2_000  # in one extra: it is a column of Airflow's database


def describe(context: Mapping[str, Any], lineage: Lineage) -> None:
    """Put the lineage of what was written into the outlet events that ask for it."""
    outlets = getattr(context.get("task"), "outlets", None) or []
    written = {uri_of(output): output for output in lineage.outputs}
    for outlet in outlets:
        if getattr(outlet, "group", None) == KEY and not hasattr(outlet, "uri"):
            from airflow.providers.common.compat.sdk import Asset

            for uri, output in written.items():
                context["outlet_events"][outlet].add(Asset(uri), extra=extra_of(output))
        elif KEY in (getattr(outlet, "extra", None) or {}):
            dataset = written.get(outlet.uri.rstrip("/"))
            if dataset is not None:
                context["outlet_events"][outlet].extra.update(extra_of(dataset))


def uri_of(dataset: Dataset) -> str:
    """The dataset's URI, as an asset of it is named.

    >>> uri_of({"namespace": "file", "name": "/data/mart"})
    'file:///data/mart'
    >>> uri_of({"namespace": "s3://bucket", "name": "mart/daily"})
    's3://bucket/mart/daily'
    """
    namespace, name = dataset["namespace"], dataset["name"]
    base = namespace if "://" in namespace else f"{namespace}://"
    between = "" if name.startswith("/") or base.endswith("/") else "/"
    return f"{base}{between}{name}".rstrip("/")


def extra_of(output: Dataset) -> dict[str, Any]:
    """The dataset and its column lineage, as lists: Airflow hides values by the names of keys."""
    facet = (output.get("facets") or {}).get("columnLineage") or {}
    columns: list[dict[str, Any]] = [
        {"column": name, "inputs": _inputs(field["inputFields"])}
        for name, field in (facet.get("fields") or {}).items()
    ]
    extra: dict[str, Any] = {
        "namespace": output["namespace"],
        "name": output["name"],
        "columns": columns,
        "rows": _inputs(facet.get("dataset") or []),
    }
    count = len(extra["rows"]) + sum(len(column["inputs"]) for column in columns)
    if count > MOST_INPUT_FIELDS:
        extra = {"namespace": extra["namespace"], "name": extra["name"]}
        extra["truncated"] = f"{count} input fields are more than {MOST_INPUT_FIELDS}"
    return {KEY: extra}


def _inputs(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "namespace": entry["namespace"],
            "name": entry["name"],
            "field": entry["field"],
            "how": [f"{t['type']}:{t['subtype']}" for t in entry.get("transformations") or []],
        }
        for entry in entries
    ]
