"""The lineage of checkpointed frames and of batches of streams, by the RDD that holds them. Pure.

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
        self._checkpoints: deque[Checkpoint] = deque()
        self._parents: Counter[int | None] = Counter()  # of those in `_checkpoints`
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
        for other in self._checkpoints:
            if other.is_beside(ran):
                rdd = None
                other.rdd = other.rdd if other.is_seen else None
        self._keep(Checkpoint(ids, parent, frame, rdd, ran=ran))

    def add_batches(self, session: str, ids: Ids, frame: KnownFrame) -> None:
        """A stream with a session of its own hands batches with these columns to the program."""
        self._batches[session, ids] = frame

    def frames(self, rdds: dict[Ids, Rdd]) -> dict[Ids, KnownFrame]:
        """What is known of the leaves of one query.

        RDDs are identified twice: the first use of a frame identifies the RDD of its second use.
        """
        for _ in range(2):
            for ids, rdd in rdds.items():
                self._identify(rdd, ids)
        frames = ((ids, self._frame(rdd, ids)) for ids, rdd in rdds.items())
        return {ids: frame for ids, frame in frames if frame is not None}

    def frame_in(self, rdd: Rdd) -> KnownFrame | None:
        """The frame of a known checkpoint, by its RDD alone."""
        frames = [each.frame for each in self._checkpoints if each.rdd == rdd.number]
        return frames[-1] if frames else None

    def _identify(self, rdd: Rdd, ids: Ids) -> None:
        """Assign an RDD to its checkpoint, if there is only one that it can be of."""
        others = self._unseen(rdd, ids)
        for checkpoint in self._with_number(rdd, ids):
            if checkpoint.is_seen or checkpoint.ids in (ids, ()) or not others:
                checkpoint.is_seen = True
                return
            checkpoint.rdd = None  # derived, and taken by another thread's
        if rdd.kind == BATCH:
            frame = self._batches.get((rdd.session, ids))
            if frame is not None:
                self._keep(Checkpoint(ids, None, frame, rdd.number, is_seen=True))
            return
        candidates = self._candidates(rdd, ids)
        if len(candidates) == 1:
            candidates[0].rdd, candidates[0].is_seen = rdd.number, True

    def _frame(self, rdd: Rdd, ids: Ids) -> KnownFrame | None:
        """The frame of an identified RDD, or what it is if it can be of several checkpoints."""
        for checkpoint in self._with_number(rdd, ids):
            if checkpoint.is_seen:
                return checkpoint.frame
        if rdd.kind == BATCH:
            return self._batches.get((rdd.session, ids))
        return one_of([checkpoint.frame for checkpoint in self._candidates(rdd, ids)])

    def _with_number(self, rdd: Rdd, ids: Ids) -> list[Checkpoint]:
        """The checkpoints with the RDD's number and as many columns, the latest first."""
        same = (each for each in reversed(self._checkpoints) if each.rdd == rdd.number)
        return [checkpoint for checkpoint in same if len(checkpoint.ids) in (len(ids), 0)]

    def _unseen(self, rdd: Rdd, ids: Ids) -> list[Checkpoint]:
        """The checkpoints of these columns that were made before, and were not used yet."""
        same = (each for each in self._checkpoints if each.ids == ids and not each.is_seen)
        return [checkpoint for checkpoint in same if (checkpoint.parent or 0) < rdd.number]

    def _candidates(self, rdd: Rdd, ids: Ids) -> list[Checkpoint]:
        """The checkpoints that an RDD without a known number can be of, by the best criterion."""
        not_derived = [
            checkpoint
            for checkpoint in self._checkpoints
            if checkpoint.rdd is None
            and checkpoint.parent is not None
            and checkpoint.parent < rdd.number
        ]
        repeated = [checkpoint for checkpoint in not_derived if checkpoint.ids == ids]
        renewed = [checkpoint for checkpoint in not_derived if len(checkpoint.ids) == len(ids)]
        return repeated or self._unseen(rdd, ids) or renewed

    def _keep(self, checkpoint: Checkpoint) -> None:
        self._checkpoints.append(checkpoint)
        self._parents[checkpoint.parent] += 1
        self._columns += len(checkpoint.ids) or 1
        while self._columns > MOST_COLUMNS:
            oldest = self._checkpoints.popleft()
            self._parents[oldest.parent] -= 1
            if not self._parents[oldest.parent]:
                del self._parents[oldest.parent]
            self._columns -= len(oldest.ids) or 1


def one_of(frames: list[KnownFrame]) -> KnownFrame | None:
    """A frame that may be any of several: it depends on what each of them does, and is opaque."""
    if not frames:
        return None
    first, *others = frames
    for other in others:
        if other != first:
            first = first.beside(other)
    return first
