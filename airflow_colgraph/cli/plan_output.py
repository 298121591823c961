"""What `colgraph plan` prints, and where its events go."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import click

from airflow_colgraph.cli.show import text_of
from airflow_colgraph.cli.submit import (
    Event,
    append_events,
    counted,
    ended_events,
    later,
    read_events,
    runs_in,
)
from airflow_colgraph.openlineage.facets import facet
from airflow_colgraph.queries import with_tables

FORMATS = ("table", "events", "json")
STANDARD_OUTPUT = "-"


def noted_events(events: Sequence[Event], notes: Mapping[str, Any]) -> list[Event]:
    """The last event of each run again, with the actions that had no rows of the sources."""
    without_rows = [*notes.get("actions", ()), *notes.get("branched", ())]
    parts = {"withoutRows": without_rows, "assumed": notes.get("assumed")}
    facets = {"colgraph_plan": facet("colgraph_plan", **{k: v for k, v in parts.items() if v})}
    last = {event["run"].get("runId"): event for event in events if "run" in event}
    return [later(event, facets) for event in last.values()] if any(parts.values()) else []


class PlanOutput(NamedTuple):
    """The file `target` that events are appended to, and how their lineage is printed.

    Without `is_kept` the file is a temporary one: what is printed is all that remains.
    """

    target: str
    format: str
    quiet: bool
    is_kept: bool = True

    def runs(self) -> set[str]:
        """The runs whose events are in the file."""
        return runs_in(read_events(self.target))

    def show(
        self, earlier_runs: set[str], code: int, notes: Mapping[str, Any] | None = None
    ) -> None:
        """End the new runs as the exit code says, add the guards' notes, and print the lineage."""
        events = ended_events(self.target, earlier_runs, code)
        noted = noted_events(events, notes or {})
        append_events(self.target, noted)
        events += noted
        if self.format != "json":  # which is one document: see `end`
            self._print(events)
        if self.is_kept and not self.quiet:
            click.echo(counted(events, self.target), err=True)

    def end(self, earlier_runs: set[str]) -> None:
        """Print what is printed once, of all new runs."""
        if self.format == "json":
            events = read_events(self.target)
            self._print([event for event in events if not runs_in([event]) <= earlier_runs])

    def _print(self, events: list[Event]) -> None:
        if self.quiet and self.is_kept:
            return
        if self.format == "events":
            text = "\n".join(json.dumps(event, ensure_ascii=False) for event in events)
        else:
            text = text_of(with_tables(events), self.format)
        if text:
            click.echo(text)
