"""Records what the example DAG reports, for the page's tests.

    make demo
    python -m tests.ui.record

Of each event what the store reads, with short paths, goes to `flights.jsonl` beside this file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dev.demo import DATA, EVENTS

FLIGHTS = Path(__file__).with_name("flights.jsonl")
AIRFLOW = {
    "dag": ("dag_id",),
    "dagRun": ("run_id",),
    "task": ("task_id",),
    "taskInstance": ("try_number", "map_index"),
}
FACETS = ("airflow", "airflowDagRun", "parent")
DATASET_FACETS = (
    "schema",
    "columnLineage",
    "colgraph_operations",
    "colgraph_properties",
    "lifecycleStateChange",
)


def recorded(event: dict[str, Any]) -> dict[str, Any]:
    """The event without what the store does not read."""
    run = event["run"]
    facets = {name: facet for name, facet in run["facets"].items() if name in FACETS}
    for name in {"airflow", "airflowDagRun"} & facets.keys():
        facets[name] = {
            part: {key: facets[name][part][key] for key in keys if key in facets[name][part]}
            for part, keys in AIRFLOW.items()
            if part in facets[name]
        }
    return {
        **{key: event[key] for key in ("eventType", "eventTime")},
        "run": {"runId": run["runId"], "facets": facets},
        "job": {key: event["job"][key] for key in ("namespace", "name")},
        **{
            side: [
                {**one, "facets": {k: v for k, v in one["facets"].items() if k in DATASET_FACETS}}
                for one in event[side]
            ]
            for side in ("inputs", "outputs")
        },
    }


def without_urls(value: Any) -> Any:
    """The value without the facets' `_producer` and `_schemaURL`."""
    if isinstance(value, dict):
        return {key: without_urls(one) for key, one in value.items() if not key.startswith("_")}
    return [without_urls(one) for one in value] if isinstance(value, list) else value


def main() -> None:
    """Write the file."""
    events = map(json.loads, EVENTS.read_text().splitlines())
    lines = [
        json.dumps(without_urls(recorded(e)), separators=(",", ":"))
        for e in events
        if e["eventType"] == "COMPLETE"
    ]
    FLIGHTS.write_text("\n".join(lines).replace(str(DATA), "/data") + "\n")


if __name__ == "__main__":
    main()
