"""How many edges the oracle would miss: some are taken from right answers, one at a time.

An edge that is not seen is looked for with many more values and rows. Where these show it, the
oracle has missed it; else nothing can show it: a condition that is never true, for example.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from tests.spark.perturb.carried import related
from tests.spark.perturb.judge import TRIES, VARIANTS, Judge, Verdict
from tests.spark.perturb.oracle import Claims, Path, Source
from tests.spark.perturb.programs import Program

TAKEN = 4  # edges of each program
SEEN, MISSED, IDLE = "seen", "missed", "idle"


class Taken(NamedTuple):
    """An edge that was taken away (of all rows where no column is named), and what came of it."""

    column: Path | None
    source: Source
    outcome: str


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
    judges: Sequence[Judge], more: Sequence[Judge], program: Program, verdict: Verdict, seed: int
) -> list[Taken]:
    """What came of some edges that were taken from the judges' right answer.

    With `more` judges, which have other rows, an edge that these did not see is looked for.
    """
    claims = verdict.claims
    if claims is None or verdict.why_not or verdict.lost or verdict.reported:
        return []
    if judges[0].diagnostics.get("opaque"):
        return []  # it depends on all that there is
    own, other = (
        [(judge, base) for judge in some if (base := judge.run(program, judge.base))]
        for some in (judges, more)
    )
    random, found = Random(f"power {seed}"), []
    for column, source in random.sample(known := list(edges_of(claims)), len(known)):
        left = without(claims, column, source)
        if left is None or len(found) == TAKEN:
            continue
        outcome = IDLE
        if shows(own, program, left, seed, TRIES):
            outcome = SEEN
        elif shows(own + other, program, left, seed, VARIANTS):
            outcome = MISSED
        found.append(Taken(column, source, outcome))
    return found


def shows(
    judges: list[tuple[Judge, list[Any]]], program: Program, claims: Claims, seed: int, tries: int
) -> bool:
    """Whether so many other values of any judge speak against the claims."""
    return any(
        any(judge.moved_against(program, base, claims, seed, tries)) for judge, base in judges
    )
