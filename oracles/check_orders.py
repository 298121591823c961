"""Compares `colgraph check` with itself: the order of a file's events must not count.

    python -m oracles.check_orders --histories 500

A history is a base and the events of some runs of changed jobs: of several runs of one job, some
fail, do not end, drop, empty, rename or only read, and some have equal times. Each order of the
events must give the same findings. The file's order counts only where an event drops, empties or
renames a table at the time of another one. Where two runs of equal times were one after the other,
in either order, and both orders give an error, equal times must, too. The exit code is 1 after a
difference.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, permutations
from typing import Any

from airflow_colgraph.check.change import Report
from airflow_colgraph.check.run import in_memory, run
from airflow_colgraph.check.settings import Settings
from airflow_colgraph.store.store import Store
from oracles.seeds import seeds
from tests.store.samples import at, event, output

Json = dict[str, Any]
JOBS, TABLES, COLUMNS = ("load", "clean"), ("a", "b"), ("x", "y")
BASE = [
    event("load", 1, [output("a", {"x": "raw.x", "y": "raw.y"})]),
    event("clean", 2, [output("b", {"x": "a.x", "y": "a.y"})]),
    event("report", 3, [output("mart", {"x": "a.x", "y": "b.y INDIRECT:CONDITIONAL"})]),
]
STATES = ("COMPLETE", "COMPLETE", "COMPLETE", "FAIL", "ABORT", "START", "RUNNING")
ENDS = ("DROP", "TRUNCATE", "RENAME")
CHANGES = (None, None, None, None, "OVERWRITE", "APPEND", *ENDS)
MOST_ORDERS = 6


def drawn(seed: int) -> list[Json]:
    """The events of some runs: at most five, at few times."""
    choose = random.Random(seed)
    events = []
    for number in range(choose.choice((2, 3, 3, 4, 5))):
        minute, state = choose.choice((50, 51, 52)), choose.choice(STATES)
        outputs = [_output(choose) for _ in range(choose.choice((0, 1, 1, 1, 2)))]
        is_same_run = events and choose.random() < 0.3
        job, of_run = choose.choice(JOBS), 100 + number
        if is_same_run:
            former = choose.choice(events)
            job, of_run = former["job"]["name"], former["number"]
        ran = event(job, minute, outputs, run=of_run, reads=["raw"], state=state)
        events.append({**ran, "number": of_run})
    return events


def _output(choose: random.Random) -> Json:
    table, change = choose.choice(TABLES), choose.choice(CHANGES)
    facets: Json = {}
    if change:
        facets["lifecycleStateChange"] = {"lifecycleStateChange": change}
    if change == "RENAME":
        former = {"namespace": "n", "name": choose.choice(("new", *TABLES))}
        facets["lifecycleStateChange"]["previousIdentifier"] = former
    if change in ENDS:
        return output(table, **facets)
    sources = {
        name: choose.choice(("raw.x", "raw.y", "raw.x DIRECT:TRANSFORMATION:masking", ""))
        for name in choose.choice((COLUMNS, COLUMNS, COLUMNS[:1], (*COLUMNS, "z")))
    }
    return output(table, sources, **facets)


Finding = tuple[str, ...]


def findings(report: Report) -> list[Finding]:
    """The findings of a report, with their severities."""
    return sorted((change.severity, *change.key) for change in report.changes)


def checked(events: Sequence[Json]) -> Report:
    """The report on the events against the base."""
    named = [{key: value for key, value in each.items() if key != "number"} for each in events]
    return run(base(), named, Settings())


@cache
def base() -> Store:
    """The store that has the lineage in force."""
    return in_memory(BASE)


def apart(events: Sequence[Json], first: int) -> list[Json]:
    """The events, those of a run half a minute earlier."""
    return [
        {**each, "eventTime": at(_minute(each) - 1).replace(":00.", ":30.")}
        if each["number"] == first
        else each
        for each in events
    ]


def _minute(each: Json) -> int:
    return int(each["eventTime"][14:16])


def ends_something(each: Json) -> bool:
    """Whether an event drops, empties or renames a table."""
    facets = (out["facets"].get("lifecycleStateChange", {}) for out in each["outputs"])
    return any(facet.get("lifecycleStateChange") in ENDS for facet in facets)


def keeps_ties(order: Sequence[Json], events: Sequence[Json]) -> bool:
    """Whether events at a time at which something ends are in the file's order."""
    times = {_minute(each) for each in events if ends_something(each)}
    kept, former = ([each for each in some if _minute(each) in times] for some in (order, events))
    return all(
        [each for each in kept if _minute(each) == time]
        == [each for each in former if _minute(each) == time]
        for time in times
    )


def differences(seed: int) -> list[str]:
    """What depends on the order of the events of a history, in words."""
    events = drawn(seed)
    orders = [order for order in permutations(events) if keeps_ties(order, events)]
    orders = random.Random(seed).sample(orders, min(MOST_ORDERS, len(orders)))
    report = checked(events)
    expected = findings(report)
    words = []
    for order in orders:
        other = findings(checked(order))
        if other != expected:
            words.append(f"another order has {sorted({*other} ^ {*expected})}")
            break
    minutes: dict[int, set[int]] = {}
    for each in events:
        minutes.setdefault(each["number"], set()).add(_minute(each))
    tied = [pair for pair in combinations(minutes, 2) if minutes[pair[0]] & minutes[pair[1]]]
    for pair in tied[:2]:
        codes = [checked(apart(events, each)).exit_code for each in pair]
        if all(codes) and not report.exit_code:
            words.append(f"runs {pair} at equal times are green, and red one after the other")
    return words


def main(arguments: Iterable[str] | None = None) -> int:
    """Compare histories, and print what differs."""
    chosen = seeds(__doc__, 200, arguments)
    differing = 0
    for seed in chosen:
        words = differences(seed)
        differing += bool(words)
        for text in words:
            print(f"history {seed}: {text}")
    print(f"{len(chosen)} histories, {differing} differ")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
