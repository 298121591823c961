"""What checkpointed frames and batches of streams are made of, by the RDD that holds them. Pure.

Spark keeps a checkpointed frame as a `LogicalRDD`. Its attributes are those of the frame that was
checkpointed and stand for other relations too, or are renewed where it is used a second time; only
its RDD distinguishes it from others. A query listener does not get this RDD, but it is the `map` of
the one that the query's own plan executed to, which Spark has kept since 4.0: the next number,
unless another thread has taken that for an RDD of its own.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass

from airflow_colgraph.collector.model import BATCH, Ids, KnownFrame, Rdd, Times

MOST_COLUMNS = 20_000  # of checkpointed frames that are remembered


@dataclass
class Checkpoint:
    """A checkpoint of the columns `ids`, made by the RDD `parent`, if this Spark reports it.

    A query whose budget was spent leaves no `ids`. `rdd` is derived from the parent, unless the
    same frame was checkpointed before or another was at the same time (`ran`), or known since a
    leaf had it (`is_seen`).
    """

    ids: Ids
    parent: int | None
    frame: KnownFrame
    rdd: int | None = None
    is_seen: bool = False
    ran: Times | None = None

    def is_beside(self, ran: Times | None) -> bool:
        """Whether it was made while another was."""
        if ran is None or self.ran is None:
            return False
        return self.ran[0] < ran[1] and ran[0] < self.ran[1]


class Checkpoints:
    """The frames of one application that later queries can start from."""

    def __init__(self) -> None:
        """No frame is known."""
        self._found: deque[Checkpoint] = deque()
        self._parents: Counter[int | None] = Counter()  # of those in `_found`
        self._batches: dict[tuple[str, Ids], KnownFrame] = {}
        self._columns = 0

    def add(
        self, ids: Ids, parent: int | None, frame: KnownFrame, ran: Times | None = None
    ) -> None:
        """A frame with the columns `ids` was checkpointed; the oldest are forgotten.

        Threads that checkpoint at the same time take numbers from between each other's: neither
        RDD is derived.
        """
        rdd = None if parent is None or self._parents[parent] else parent + 1
        for other in self._found:
            if other.is_beside(ran):
                rdd = None
                other.rdd = other.rdd if other.is_seen else None
        self._keep(Checkpoint(ids, parent, frame, rdd, ran=ran))

    def add_batches(self, session: str, ids: Ids, frame: KnownFrame) -> None:
        """A stream with a session of its own hands batches with these columns to the program."""
        self._batches[session, ids] = frame

    def frames(self, rdds: dict[Ids, Rdd]) -> dict[Ids, KnownFrame]:
        """What is known of the leaves of one query.

        They are asked for twice: where a frame is used again, its first use identifies its RDD.
        """
        found = {}
        for _ in range(2):
            for ids, rdd in rdds.items():
                frame = self._frame(rdd, ids)
                if frame is not None:
                    found[ids] = frame
        return found

    def frame_in(self, rdd: Rdd) -> KnownFrame | None:
        """The frame of a known checkpoint, by its RDD alone."""
        frames = [found.frame for found in self._found if found.rdd == rdd.number]
        return frames[-1] if frames else None

    def _frame(self, rdd: Rdd, ids: Ids) -> KnownFrame | None:
        possible = [
            found
            for found in self._found
            if found.ids == ids and not found.is_seen and (found.parent or 0) < rdd.number
        ]
        for known in reversed(self._found):
            if known.rdd == rdd.number and len(known.ids) in (len(ids), 0):
                if known.is_seen or known.ids in (ids, ()) or not possible:
                    known.is_seen = True
                    return known.frame
                known.rdd = None  # derived, and taken by another thread's
        if rdd.kind == BATCH:
            frame = self._batches.get((rdd.session, ids))
            if frame is not None:
                self._keep(Checkpoint(ids, None, frame, rdd.number, is_seen=True))
            return frame
        not_derived = [
            found
            for found in self._found
            if found.rdd is None and found.parent is not None and found.parent < rdd.number
        ]
        repeated = [found for found in not_derived if found.ids == ids]
        renewed = [found for found in not_derived if len(found.ids) == len(ids)]
        possible = repeated or possible or renewed
        if len(possible) == 1:
            possible[0].rdd, possible[0].is_seen = rdd.number, True
        return one_of([found.frame for found in possible])

    def _keep(self, found: Checkpoint) -> None:
        self._found.append(found)
        self._parents[found.parent] += 1
        self._columns += len(found.ids) or 1
        while self._columns > MOST_COLUMNS:
            oldest = self._found.popleft()
            self._parents[oldest.parent] -= 1
            if not self._parents[oldest.parent]:
                del self._parents[oldest.parent]
            self._columns -= len(oldest.ids) or 1


def one_of(frames: list[KnownFrame]) -> KnownFrame | None:
    """A frame that may be any of several: made of what each is made of, and opaque."""
    if not frames:
        return None
    first, *others = frames
    for other in others:
        if other != first:
            first = first.beside(other)
    return first
