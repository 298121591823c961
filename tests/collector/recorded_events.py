"""The events of the recorded cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from airflow_colgraph.collector.settings import read
from tests.collector.cases.loader import recorded_cases
from tests.collector.pipelines import emitted_events
from tests.collector.recorded import PLANS, load


def events_of_all_cases() -> Iterator[dict[str, Any]]:
    """The events of all recorded cases, with each option that adds facets."""
    settings = read({f"spark.colgraph.{name}": "true" for name in ("lineageFacet", "descriptions")})
    recorded = load(PLANS / "4.3.jsonl")
    for case in recorded_cases():
        yield from emitted_events(recorded.get(case.name, ()), settings)
