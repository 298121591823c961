"""When a field held a value: from the run that wrote it until a run that replaced it. Pure.

Time counts: a table that was copied before its source was masked still holds the value, and one
that is written again afterwards no longer does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from airflow_colgraph.store.model.clock import OPEN


class Write(NamedTuple):
    """A run of a job wrote a dataset; without a lineage body: it dropped or emptied it.

    `is_unordered`: it may have read the source before or after it wrote that one itself.
    """

    at: int
    run: bytes
    replaces: bool
    lineage_body: int | None
    is_unordered: bool = False


class Flow(NamedTuple):
    """An edge along which the value goes, while it held: an interval of the table of edges.

    `is_own`: the job reads what it writes, so that it reads the rows from before its write.
    """

    source: int
    target: int
    job_output: int
    first_seen: int
    last_seen: int
    closed_at: int
    is_own: bool = False

    def read_at(self, write: Write) -> tuple[int, ...]:
        """The times whose rows a write may have used."""
        if write.is_unordered:
            return write.at, write.at - 1
        return (write.at - self.is_own,)


class Holding(NamedTuple):
    """A field held the value in [start, end): the writes that brought it, over how many hops."""

    start: int
    end: int
    hops: int
    flow: Flow | None  # None: the field that was asked for
    writes: tuple[Write, ...]

    def covers(self, at: int) -> bool:
        """Whether the field held the value at the time."""
        return self.start <= at < self.end

    def last_write(self, at: int) -> Write | None:
        """The last write up to the time that brought the value."""
        return max((write for write in self.writes if write.at <= at), default=None)


Holdings = dict[int, list[Holding]]  # by field, those over fewer hops first


def at_time(holdings: Iterable[Holding], at: int) -> Holding | None:
    """The holding over the fewest hops at the time."""
    return next((holding for holding in holdings if holding.covers(at)), None)


def spread(
    starts: Mapping[int, int],
    flows_from: Callable[[set[int]], Iterable[Flow]],
    writes_of: Callable[[Flow], Sequence[Write]],
    most: int,
    parts_of: Callable[[Flow], Iterable[int]] = lambda flow: (),
) -> tuple[Holdings, bool]:
    """Which fields held the starts' value, and when; whether more than `most` fields did.

    `starts`: the fields, and until when each of them held the value; `flows_from` are the edges out
    of fields, of all times; `writes_of` the writes along an edge, in the order of time; `parts_of`
    the parts of the field that an edge leads to.
    """
    holdings: Holdings = {id: [Holding(-OPEN, until, 0, None, ())] for id, until in starts.items()}
    changed = set(holdings)
    hops = 0
    while changed:
        hops += 1
        new: set[int] = set()
        for flow in sorted(flows_from(changed)):
            for holding in _carried(flow, holdings[flow.source], writes_of(flow), hops):
                for target in (flow.target, *parts_of(flow)):
                    there = holdings.get(target, [])
                    if not _is_covered(holding, there):
                        if target not in holdings and len(holdings) >= most:
                            return holdings, True
                        holdings[target] = [*there, holding]
                        new.add(target)
        changed = new
    return holdings, False


def _carried(
    flow: Flow, source: Sequence[Holding], writes: Sequence[Write], hops: int
) -> Iterator[Holding]:
    """When the target held the value by this edge."""
    since: list[Write] = []
    for write in writes:
        carries = write.lineage_body is not None
        if carries and _used(flow, write, source) is not None:
            since.append(write)
        elif write.replaces and since:
            yield Holding(since[0].at, write.at, hops, flow, tuple(since))
            since = []
    if since:
        yield Holding(since[0].at, flow.closed_at, hops, flow, tuple(since))


def _used(flow: Flow, write: Write, source: Sequence[Holding]) -> int | None:
    """The time of the rows with the value that a write has used, those over the fewest hops."""
    held = [(holding.hops, at) for at in flow.read_at(write) if (holding := at_time(source, at))]
    return min(held)[1] if held else None


def _is_covered(holding: Holding, by: Iterable[Holding]) -> bool:
    """Whether the field held the value by the others during all that time."""
    at = holding.start
    for other in sorted(by):
        if other.start <= at:
            at = max(at, other.end)
    return at >= holding.end


def path(holdings: Holdings, field: int, at: int) -> list[tuple[int, Holding]]:
    """The way of the value into a field that held it at the time, from the start on."""
    steps: list[tuple[int, Holding]] = []
    while (holding := at_time(holdings[field], at)) is not None:
        steps.append((field, holding))
        write = holding.last_write(at)
        if holding.flow is None or write is None:
            break
        field = holding.flow.source
        used_at = _used(holding.flow, write, holdings[field])
        assert used_at is not None, "the value came from there"
        at = used_at
    return steps[::-1]
