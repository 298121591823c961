"""Compares answers about copies, tags and past times with made histories of rows.

    python -m oracles.row_histories --histories 1000

A history is a sequence of events: jobs that append or overwrite copies, masked or not, of columns
of other tables or of their own; tables that are dropped and emptied; tags that come and go. The
model beside it has the rows of each table, as batches, and of each value where it came from and
when it left there. The store has only the events. The exit code is 1 after a difference.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tag_travel import DEFAULT_RULES
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.query.copies import copies
from airflow_colgraph.store.query.tag_spread import tags_at
from airflow_colgraph.store.query.tag_values import values_at
from airflow_colgraph.store.store import Store
from tests.store.samples import NOON, at, event, memory_store, output, short_edges

Column = tuple[str, str]  # table, column
SOURCES, TABLES, COLUMNS = ("raw", "clean"), ("t1", "t2", "t3", "mart"), ("a", "b", "c")
IDENTITY, COMPUTED = "DIRECT:IDENTITY", "DIRECT:TRANSFORMATION"
MASKED = "DIRECT:TRANSFORMATION:masking"
TAGGED = [(table, column) for table in ("raw", "t1") for column in ("a", "b")]


class Origin(NamedTuple):
    """A column that a value was in, when it left it, and whether it was only ever copied."""

    column: Column
    left_at: int
    is_copy: bool


Batch = dict[str, frozenset[Origin]]  # by column: of each value that some row may have


class History:
    """The rows of all tables, and the events that told of them, minute by minute."""

    def __init__(self, seed: int) -> None:
        """All tables but the sources are empty."""
        self._choose = random.Random(seed)
        empty: Batch = dict.fromkeys(COLUMNS, frozenset())
        self.rows: dict[str, list[Batch]] = {name: [empty] for name in SOURCES}
        self.tags: dict[Column, int | None] = {}  # until when, or None: they hold
        self.events: list[dict[str, Any]] = []

    def step(self, minute: int) -> None:
        """One more event."""
        kinds = [self._write] * 8 + [self._end, self._tag]
        self._choose.choice(kinds)(minute)

    def _write(self, minute: int) -> None:
        name = self._choose.choice(TABLES)
        appends = self._choose.random() < 0.4
        written = [each for each in TABLES if self.rows.get(each)]
        fields: dict[str, str] = {}
        batch: Batch = {}
        for column in COLUMNS:
            inputs = {
                (self._choose.choice([*SOURCES, *written]), self._choose.choice(COLUMNS)): (
                    self._choose.choice([IDENTITY, IDENTITY, COMPUTED, MASKED])
                )
                for _ in range(self._choose.choice([0, 1, 1, 2]))
            }
            fields[column] = ", ".join(f"{t}.{c} {how}" for (t, c), how in inputs.items())
            values = [set(self._values(source, how, minute)) for source, how in inputs.items()]
            batch[column] = frozenset[Origin]().union(*values)
        state = {"lifecycleStateChange": "ALTER" if appends else "OVERWRITE"}
        made = output(name, fields, lifecycleStateChange=state)
        self.rows[name] = [*(self.rows.get(name, []) if appends else []), batch]
        # Each job writes one table: what another job appends would end no edge of the first.
        self.events.append(event(f"write_{name}", minute, [made], run=minute))

    def _values(self, source: Column, how: str, minute: int) -> Iterator[Origin]:
        """What a column's values are after such a step."""
        table, column = source
        if how == MASKED or not self.rows.get(table):
            return
        is_copy = how == IDENTITY
        yield Origin(source, minute, is_copy)
        for batch in self.rows[table]:
            for origin in batch[column]:
                yield origin._replace(is_copy=origin.is_copy and is_copy)

    def _end(self, minute: int) -> None:
        name = self._choose.choice(TABLES)
        kind = self._choose.choice(["DROP", "TRUNCATE"])
        self.rows[name] = []
        made = output(name, lifecycleStateChange={"lifecycleStateChange": kind})
        self.events.append(event("cleanup", minute, [made], run=minute))

    def _tag(self, minute: int) -> None:
        """A catalog's event says which columns of a table have the tag now.

        A tag that has ended does not come back, and no set of tags after another set: the store
        keeps the first and the last report of a set only, and a tag may end too late there.
        """
        table = self._choose.choice(["raw", "t1"])
        tags = []
        for column in (each for each in TAGGED if each[0] == table):
            is_set = self._choose.random() < 0.5 and self.tags.get(column) is None
            if is_set:
                tags.append({"key": "pii", "value": "true", "field": column[1]})
                self.tags[column] = None
            elif self.tags.get(column, 0) is None:
                self.tags[column] = minute
        tags.append({"key": "changes", "value": str(self._changes(table)), "field": "id"})
        dataset = output(table, tags={"tags": tags})
        self.events.append(event(f"catalog_{table}", minute, [], run=minute))
        self.events[-1]["inputs"] = [dataset]

    def _changes(self, table: str) -> int:
        """How often a tag of the table was set or removed: a set of tags has it to differ."""
        of_table = [until for column, until in self.tags.items() if column[0] == table]
        return len(of_table) + sum(until is not None for until in of_table)

    def holders(self, start: Column) -> set[Column]:
        """The columns with a value of `start` that was only copied; the start itself."""
        return {start} | {
            place
            for place, origins in self._origins()
            if any(each.is_copy and each.column == start for each in origins)
        }

    def tagged(self) -> set[Column]:
        """The columns with a value that left a column while it had the tag, or before."""
        return {
            place
            for place, origins in self._origins()
            if any(self._was_tagged(each) for each in origins)
        } - {column for column, until in self.tags.items() if until is None}

    def _was_tagged(self, origin: Origin) -> bool:
        if origin.column not in self.tags:
            return False
        until = self.tags[origin.column]
        return until is None or origin.left_at < until

    def bridges(self, minute: int) -> bool:
        """Whether an edge goes on while its table is gone, as the next run reports it again.

        A table that is dropped and made each day adds no rows to the store, and the time between is
        not told apart.
        """
        return any(self._bridges(name, minute) for name in TABLES)

    def _bridges(self, name: str, minute: int) -> bool:
        of_table = [each for each in self.events if _reads(each, name) is not None]
        before = [each for each in of_table if each["eventTime"] <= at(minute)]
        later = [each for each in of_table[len(before) :] if _reads(each, name)]
        written = [_reads(each, name) for each in before if _reads(each, name)]
        is_gone = bool(before) and not _reads(before[-1], name)
        return is_gone and bool(
            written and later and written[-1] & (_reads(later[0], name) or set())
        )

    def _origins(self) -> Iterator[tuple[Column, frozenset[Origin]]]:
        for table, batches in self.rows.items():
            for batch in batches:
                yield from (((table, column), origins) for column, origins in batch.items())


def _reads(event_: dict[str, Any], name: str) -> set[str] | None:
    """The tables that the event copies into a table; None if it is about others."""
    facets = [each["facets"] for each in event_["outputs"] if each["name"] == name]
    fields = [
        f for each in facets for f in each.get("columnLineage", {"fields": {}})["fields"].values()
    ]
    return {each["name"] for field in fields for each in field["inputFields"]} if facets else None


def differences(seed: int, steps: int = 14) -> list[str]:
    """Where the store's answers differ from the rows; a line each, with how to see it again."""
    history = History(seed)
    whole = memory_store()
    expected: list[tuple[int, dict[Column, set[Column]], set[Column]]] = []
    starts = [(table, column) for table in ("raw", "t1") for column in COLUMNS]
    for minute in range(1, steps + 1):
        history.step(minute)
        expected.append((minute, {s: history.holders(s) for s in starts}, history.tagged()))
    events = list(history.events)
    random.Random(seed).shuffle(events)
    whole.add(events)
    prefix = memory_store()
    lines = []
    for event_, (minute, holders, tagged) in zip(history.events, expected, strict=True):
        prefix.add([event_])
        time = NOON + minute * 60_000
        for start, columns in holders.items():
            for name, store, when in (("then", prefix, None), ("later", whole, time)):
                answer = _copies(store, start, when)
                question = f"copies of {'.'.join(start)} ({name})"
                lines += _line(seed, minute, question, columns, answer)
        lines += _line(seed, minute, "tags", tagged, _tagged(prefix, None))
        is_bridged = history.bridges(minute)
        for name in TABLES:
            then, later = _upstream(prefix, name, None), _upstream(whole, name, time)
            if is_bridged:
                later &= then
            lines += _line(seed, minute, f"upstream of {name} at the time", then, later)
            then, later = _tags(prefix, name, None), _tags(whole, name, time)
            if is_bridged:
                later &= then
            lines += _line(seed, minute, f"tags of {name} at the time", then, later)
    return lines


def _line(seed: int, minute: int, question: str, expected: Any, answer: Any) -> list[str]:
    if expected == answer:
        return []
    missing, extra = sorted(expected - answer), sorted(answer - expected)
    return [f"seed {seed}, minute {minute}, {question}: missing {missing}, extra {extra}"]


def _copies(store: Store, start: Column, time: int | None) -> set[Column]:
    how = {} if time is None else {"at": time}
    with store.connection() as connection:
        answer = copies(connection, Field("n", *start), **how)
    return {(copy.name, copy.field) for copy in answer.copies} | {start}


def _tagged(store: Store, time: int | None) -> set[Column]:
    with store.connection() as connection:
        answer = values_at(connection, ["pii"], time, DEFAULT_RULES)
    return {(each.field.name, each.field.field) for each in answer.tags}


def _tags(store: Store, name: str, time: int | None) -> set[Column]:
    with store.connection() as connection:
        answer = tags_at(connection, Field("n", name, ""), time)
    return {(each.field.name, each.field.field) for each in answer.tags}


def _upstream(store: Store, name: str, time: int | None) -> set[tuple[str, str, str]]:
    how = {} if time is None else {"at": clock.iso(time)}
    try:
        return short_edges(graph.upstream(store, "n", name, **how))
    except UnknownNode:
        return set()


def main() -> int:
    """Compare the histories and print the differences."""
    parser = argparse.ArgumentParser(prog="python -m oracles.row_histories", description=__doc__)
    parser.add_argument("--histories", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="of the first history")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.histories):
        lines = differences(seed)
        counts["different" if lines else "equal"] += 1
        for line in lines[:3]:
            print(line, flush=True)
    print(f"{counts['equal']} histories are equal, {counts['different']} differ")
    return int(bool(counts["different"]))


if __name__ == "__main__":
    sys.exit(main())
