"""What made queries and programs have shown, kept by ten seeds, and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.spark import recorded_counts
from tests.spark.perturb.carried import Carried
from tests.spark.perturb.judge import Verdict
from tests.spark.perturb.power import IDLE, MISSED, SEEN

RECORDED = Path(__file__).parent / "results.json"
TEN = 10  # seeds that are kept together
QUERIES, PROGRAMS = "made queries", "made programs with state"
JUDGED = ("made", "judged", "right", "reported", "wrong")
POWER = (SEEN, MISSED, IDLE)

Counts = Mapping[str, Mapping[str, Mapping[str, int]]]  # by kind, by ten seeds


def counts_of(verdict: Verdict, shown: Carried) -> Counter[str]:
    """One program as counts: right, or its event says what is missing, or wrong in silence."""
    if verdict.why_not:
        return Counter(made=1)
    is_wrong = verdict.lost or shown.indirect or shown.changed
    outcome = "wrong" if is_wrong else "reported" if verdict.reported else "right"
    return Counter({"made": 1, "judged": 1, outcome: 1})


class Record:
    """The counts of one run, kept whenever ten seeds are through."""

    def __init__(self, version: str, kind: str, columns: Iterable[str], path: Path = RECORDED):
        """For a version of Spark; what is kept of other seeds, kinds and versions stays."""
        self._version, self._kind, self._columns, self._path = version, kind, columns, path
        self._before = recorded(path).get(version, {}).get(kind, {})
        self._counts: Counter[str] = Counter()
        self._seeds = 0

    def is_kept(self, seed: int) -> bool:
        """Whether a seed was counted in an earlier run."""
        return str(seed // TEN) in self._before

    def add(self, seed: int, counts: Mapping[str, int]) -> None:
        """Count a seed; after the last of ten, of which all were added, keep them."""
        if seed % TEN == 0:
            self._counts, self._seeds = Counter(), 0
        self._counts.update(counts)
        self._seeds += 1
        if seed % TEN == TEN - 1 and self._seeds == TEN:
            kept = recorded(self._path)
            of_kind = kept.setdefault(self._version, {}).setdefault(self._kind, {})
            of_kind[str(seed // TEN)] = {name: self._counts[name] for name in self._columns}
            recorded_counts.write(self._path, kept)


def recorded(path: Path = RECORDED) -> recorded_counts.Kept:
    """What is kept, by version of Spark."""
    return recorded_counts.read(path)


def tables(counts: Counts) -> Iterator[str]:
    """The lines of two tables: what was judged, and the edges that were taken away."""
    yield f"| kind | {' | '.join(JUDGED)} |"
    yield "| --- |" + " ---: |" * len(JUDGED)
    for kind in (QUERIES, PROGRAMS):
        yield _row(kind, counts.get(kind, {}), JUDGED)
    yield ""
    yield f"| edges taken away from | {' | '.join(POWER)} | of those that can be seen |"
    yield "| --- |" + " ---: |" * (len(POWER) + 1)
    for kind in (QUERIES, PROGRAMS):
        tens = counts.get(of_power(kind), {})
        seen, missed = (sum(ten[name] for ten in tens.values()) for name in (SEEN, MISSED))
        share = f"{100 * seen / (seen + missed):.0f} %" if seen + missed else ""
        yield f"{_row(kind, tens, POWER)} {share} |"


def of_power(kind: str) -> str:
    """The kind under which the power of the oracle is kept."""
    return f"power on {kind}"


def _row(kind: str, tens: Mapping[str, Mapping[str, int]], columns: Iterable[str]) -> str:
    sums = (str(sum(ten[name] for ten in tens.values())) for name in columns)
    return f"| {kind} | {' | '.join(sums)} |"
