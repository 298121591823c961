"""An event is cut to its limit by the rule of docs/configuration.md, and says so."""

import json
from typing import Any

from airflow_colgraph.collector import settings
from airflow_colgraph.collector.events.truncation import ROOM, size_of
from tests.collector.pipelines import emitted_events
from tests.collector.test_cases import RECORDED

QUERIES = RECORDED[max(RECORDED)]["relational_sum_over_a_filtered_join"]


def event_within(most: int) -> dict[str, Any]:
    properties = {"maxEventBytes": str(most), "lineageFacet": "true"}
    given = settings.read({settings.PREFIX + name: value for name, value in properties.items()})
    (event,) = emitted_events(QUERIES, given)
    return dict(event)


def parts(event: dict[str, Any]) -> list[int]:
    """How much there is of each part, in the order in which they go."""
    (output,) = event["outputs"]
    lineage = output["facets"]["columnLineage"]
    datasets = [*event["inputs"], output]
    return [
        "colgraph_operations" in output["facets"],
        "lineage" in event["job"]["facets"],
        len(lineage["fields"]),
        len(lineage["dataset"]),
        sum("schema" in dataset["facets"] for dataset in datasets),
    ]


def test_an_event_below_the_limit_is_whole() -> None:
    event = event_within(3_000_000)
    assert parts(event) == [1, 1, 3, 4, 3]
    assert event["run"]["facets"]["colgraph_diagnostics"]["truncated"] == ""


def test_the_smaller_the_limit_the_less_of_the_later_parts() -> None:
    whole = event_within(3_000_000)
    bare = size_of(event_within(0))
    before = parts(whole)
    for most in range(size_of(whole) - 50, bare + ROOM, -150):
        event = event_within(most)
        assert size_of(event) <= most
        now = parts(event)
        assert now <= before  # an earlier part never comes back
        gone = [index for index, count in enumerate(now) if count < parts(whole)[index]]
        assert all(now[index] == 0 for index in range(gone[-1]))
        assert "maxEventBytes: removed " in json.dumps(event)
        before = now


def test_names_stay_whatever_the_limit() -> None:
    whole, event = event_within(3_000_000), event_within(0)
    assert parts(event) == [0, 0, 0, 0, 0]
    for side in ("inputs", "outputs"):
        assert [d["name"] for d in event[side]] == [d["name"] for d in whole[side]]
    left_out = event["run"]["facets"]["colgraph_diagnostics"]["truncated"]
    assert left_out == (
        "maxEventBytes: removed 2 operations and digests facets, 1 lineage job facets, 3 columns,"
        " 4 dataset entries, 3 schemas"
    )
