"""What came of the DAGs that the `ran` fixture has run by a real scheduler."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from airflow_colgraph.collector.text import render

Event = dict[str, Any]


class Ran(NamedTuple):
    """What came of the runs."""

    home: Path
    states: dict[str, dict[str, str]]
    events: list[Event]
    logs: dict[str, str]
    plugins: list[str]
    providers: list[str]
    store: str
    asked: list[str]

    def of(self, task: str, *kinds: str, dag: str = "cases") -> list[Event]:
        """The events of a task, in their order; without a task the DAG's."""
        kinds = kinds or ("START", "COMPLETE", "FAIL")
        name = f"{dag}.{task}" if task else dag
        return [e for e in self.events if e["job"]["name"] == name and e["eventType"] in kinds]

    def text(self, event: Event) -> str:
        """An event's lineage for people, with short names."""
        return render([event]).replace(f"{self.home}/", "")


def read(file: Path) -> list[Event]:
    """The events that are in a file by now."""
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line) for line in lines]


def outputs(event: Event) -> list[str]:
    """The names of an event's outputs."""
    return [dataset["name"] for dataset in event["outputs"]]
