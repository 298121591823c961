"""How many edges the oracle would miss: some are taken from right answers, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from tests.spark.perturb.carried import related
from tests.spark.perturb.judge import Judge, Verdict
from tests.spark.perturb.oracle import Claims, Path, Source
from tests.spark.perturb.programs import Program

TAKEN = 4  # edges of each program
TRIES = 3  # other values for each


class Taken(NamedTuple):
    """An edge that was taken away (of all rows where no column is named), and whether it showed."""

    column: Path | None
    source: Source
    is_seen: bool


def without(claims: Claims, column: Path | None, source: Source) -> Claims | None:
    """The claims without an edge; None where others say the same, so that nobody could miss it."""

    def less(sources: frozenset[Source]) -> frozenset[Source]:
        return frozenset(one for one in sources if not related(one, source))

    if column is None:
        left = Claims(claims.columns, less(claims.rows))
        needs = (known for known in claims.columns.values())
    else:
        left = Claims({**claims.columns, column: less(claims.columns[column])}, claims.rows)
        needs = iter([claims.rows])
    others = all(any(related(one, source) for one in known) for known in needs)
    return None if others else left


def edges_of(claims: Claims) -> Iterator[tuple[Path | None, Source]]:
    """All edges that may be taken away."""
    for source in sorted(claims.rows):
        yield None, source
    for column, sources in claims.columns.items():
        yield from ((column, source) for source in sorted(sources))


def taken(
    judge: Judge, program: Program, verdict: Verdict, seed: int, tries: int = TRIES
) -> list[Taken]:
    """What came of some edges that were taken from a right answer."""
    claims = verdict.claims
    if claims is None or verdict.why_not or verdict.lost or judge.diagnostics.get("opaque"):
        return []  # what is opaque depends on all that there is
    base = judge.run(program, judge.base)
    if not base:
        return []
    random, found = Random(f"power {seed}"), []
    for column, source in random.sample(known := list(edges_of(claims)), len(known)):
        left = without(claims, column, source)
        if left is None or len(found) == TAKEN:
            continue
        shown = any(judge.moved_against(program, base, left, seed, tries))
        found.append(Taken(column, source, shown))
    return found
