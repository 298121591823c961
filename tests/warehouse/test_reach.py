"""What sets reach over arrays of pairs is what a plain search finds."""

import random
from collections import defaultdict

import numpy as np
import pyarrow
import pytest

from airflow_colgraph.warehouse import reach
from airflow_colgraph.warehouse.impact_counts import counts
from airflow_colgraph.warehouse.reach import (
    NOTHING,
    Bits,
    Relation,
    Steps,
    closure_rows,
    reached,
    relation,
    rounds,
    with_bits,
)

Pairs = set[tuple[int, int]]


def pairs_of(choose: random.Random, count: int, near: int, far: int) -> Pairs:
    """Random pairs: some in a cycle, some several of a number."""
    return {(choose.randrange(near), choose.randrange(far)) for _ in range(count)}


def as_relation(pairs: Pairs) -> Relation:
    return relation(np.array(sorted(far << 32 | near for near, far in pairs), np.int64))


def bits(starts: list[set[int]], fields: int) -> Bits:
    pairs = [(field, number) for number, some in enumerate(starts) for field in some]
    return with_bits(fields, *np.array(pairs, np.int64).T, len(starts))


def search(start: set[int], edges: Pairs, *others: Pairs) -> set[int]:
    """The fields that one set reaches, hop by hop; others: members, moved, within."""
    members, moved, within = (*others, set(), set(), set())[:3]
    found = start | {far for near, far in members if near in start}
    last = found
    while last:
        alone = last - {part for whole, part in within if whole in last}
        far = {far for near, far in edges if near in last}
        far |= {far for near, far in moved if near in alone}
        last = (far | {other for near, other in members if near in far}) - found
        found = found | last
    return found


@pytest.mark.parametrize("seed", range(40))
def test_each_set_reaches_what_it_reaches_alone(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "EDGES_AT_ONCE", 7)  # pairs of a field in several parts
    choose = random.Random(seed)
    fields = choose.randrange(1, 60)
    edges = pairs_of(choose, choose.randrange(100), fields, fields)
    members = pairs_of(choose, choose.randrange(10), fields, fields) if seed % 2 else set()
    starts = [{choose.randrange(fields) for _ in range(3)} for _ in range(choose.choice((1, 70)))]
    parts, moved, within = (
        pairs_of(choose, choose.randrange(20), fields, fields) if seed % 3 else set()
        for _ in range(3)
    )
    every = (edges, members, parts, moved, within)
    steps = Steps(*(as_relation(pairs) if pairs else NOTHING for pairs in every))
    found = reached(bits(starts, fields), steps)
    wanted = [search(start, edges, members | parts, moved, within) for start in starts]
    assert np.array_equal(found, bits(wanted, fields))
    hops = rounds(bits(starts, fields), steps, depth=1)
    assert [np.array_equal(new & found, new) for new in hops] in ([True], [True, True])
    pairs = [zip(*pair, strict=True) for pair in reach.members(found)]
    assert {(n, s) for some in pairs for n, s in some} == {
        (field, number) for number, some in enumerate(wanted) for field in some
    }
    sizes = [len(some) for some in wanted]
    assert reach.sizes(found)[: len(sizes)].tolist() == sizes
    assert not reach.sizes(found)[len(sizes) :].any()


@pytest.mark.parametrize("seed", range(10))
def test_counts_are_those_of_each_dataset_without_its_own(seed: int) -> None:
    choose = random.Random(seed)
    widths = [choose.randrange(1, 4) for _ in range(90)]  # fields; the first is the whole dataset
    owner = [dataset for dataset, width in enumerate(widths) for _ in range(width)]
    first = [owner.index(dataset) for dataset in range(len(widths))]
    fields = len(owner)
    ends = {fields + number: choose.randrange(fields) for number in range(10)}
    of_field = dict(enumerate(owner)) | {end: owner[field] for end, field in ends.items()}
    listed = fields - 20  # the last ones, of some datasets, are in no event
    columns = set(range(fields)) - set(first)
    edges = pairs_of(choose, 200, fields, fields + len(ends))
    readers, dags = pairs_of(choose, 150, fields, 25), pairs_of(choose, 20, 30, 5)
    parts = {
        "edges": edges,
        "owners": set(of_field.items()),
        "columns": {(field, owner[field]) for field in columns},
        "readers": readers,
        "dags": dags,
        "ends": set(ends.items()),
    }
    some = range(10, 85)
    found = counts({name: as_relation(pairs) for name, pairs in parts.items()}, some, listed)
    reading, running = defaultdict(set), defaultdict(set)
    for near, job in readers:
        reading[near].add(job)
    for job, dag in dags:
        running[job].add(dag)
    for row, dataset in enumerate(some):
        own = {field for field in of_field if of_field[field] == dataset}
        every = search({field for field in own if field < listed}, edges)
        jobs = set().union(*(reading[field] for field in every))
        others = {ends.get(field, field) for field in every} - own
        assert [column[row] for column in found] == [
            dataset,
            len(others & columns),
            len({owner[field] for field in others}),
            len(jobs),
            len(set().union(*(running[job] for job in jobs))),
        ]
    assert found.columns.max() > 10


def test_counts_without_an_edge_are_zero() -> None:
    parts = {"owners": as_relation({(0, 0), (1, 1)})}
    assert np.array(counts(parts, range(2), 2))[1:].tolist() == [[0, 0]] * 4


@pytest.mark.parametrize(("depth", "last"), [(None, 2), (1, 1)])
def test_the_rows_of_a_task_are_its_sets_with_their_distances(depth: int | None, last: int) -> None:
    """As `mapInArrow` calls it: 0 -> 1 -> 2 -> 0 in several batches; its sets are 64 and 65."""
    starts = sorted(far << 32 | near for near, far in {(3, 0), (64, 0), (65, 2), (65, 4)})
    batches = [
        pyarrow.RecordBatch.from_pylist([{"first": 64, "part": part, "pairs": pairs}])
        for part, pairs in (
            ("edges", [1 << 32 | 0]),
            ("starts", starts),
            ("edges", [0 << 32 | 2]),
            ("edges", [2 << 32 | 1]),
        )
    ]
    found = [batch.to_pylist() for batch in closure_rows(64, 5, depth, iter(batches))]
    assert {tuple(row.values()) for batch in found for row in batch} == {
        *((64, hops, hops) for hops in range(last + 1)),
        *((65, (2 + hops) % 3, hops) for hops in range(last + 1)),
        (65, 4, 0),
    }


def test_a_task_without_a_row_has_none() -> None:
    assert list(closure_rows(64, 5, None, iter(()))) == []
