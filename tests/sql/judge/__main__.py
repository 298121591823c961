"""Judges the lineage of SQL text by statements that a database runs on changed rows.

It prints each edge that was lost, that carries values and is not DIRECT, that is IDENTITY and
changes them, and each name that no table has; with --shrink each as a minimal statement, once for
each form. It ends with 1 where something was found that the lineage does not report.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import sqlglot
from sqlglot.errors import SqlglotError

from tests.spark.perturb.power import MISSED, SEEN, taken
from tests.spark.perturb.programs import Program
from tests.spark.perturb.results import JUDGED, POWER, Record
from tests.sql.judge.dialects import DATABASES
from tests.sql.judge.engines import Engine, engine
from tests.sql.judge.findings import Block, blocks
from tests.sql.judge.judge import COUNTS, Outcome, TextJudge, judge
from tests.sql.judge.results import RECORDED, STATEMENTS, TAKEN
from tests.sql.judge.shrink import shrunk
from tests.sql.judge.statements import script

MORE = (6, 10, 14, 20)  # rows, where an edge is looked for that was not seen
SHARE = 0.95  # of the edges taken away that has to be seen
ATTEMPTS = 4  # to make a statement that has rows
EVERY = 50  # statements, after which counts are printed


def seeds(given: argparse.Namespace, version: str, kind: str) -> Iterator[int]:
    """The seeds that are asked for; with --resume without those that are recorded."""
    kept = Record(version, kind, (), RECORDED)
    for seed in range(given.seed, given.seed + given.statements):
        if not (given.resume and kept.is_kept(seed)):
            yield seed


def judged(database: Engine, given: argparse.Namespace) -> int:
    """Judge so many statements, and print what was found."""
    judges = [TextJudge(database, given.seed, count) for count in COUNTS]
    record = Record(database.version(), STATEMENTS, JUDGED, RECORDED)
    totals: Counter[str] = Counter()
    forms = {
        form_of(block.database, block.statements, block.findings[0].kind) for block in blocks()
    }
    for seed in seeds(given, database.version(), STATEMENTS):
        statements, outcome = with_rows(judges, seed, given.edges)
        counts = (
            Counter(made=1)
            if outcome.why_not
            else Counter({"made": 1, "judged": 1, outcome.kind: 1})
        )
        totals += counts
        if given.record:
            record.add(seed, counts)
        if outcome.why_not and given.failures:
            print(f"-- {seed} {outcome.why_not}\n{text_of(statements)}\n")
        show(seed, statements, outcome)
        if given.shrink and outcome.kind == "wrong":
            shrink(judges, statements, seed, outcome, forms)
        if sum((totals["made"],)) % EVERY == 0:
            print(dict(totals), flush=True)
    print(dict(totals))
    return 1 if totals["wrong"] else 0


def with_rows(
    judges: Sequence[TextJudge], seed: int, edges: bool = False, tokens: bool = True
) -> tuple[list[str], Outcome]:
    """The statements of a seed and what comes of them; where they have no rows, of other ones."""
    for attempt in range(ATTEMPTS):
        statements = script(judges[0].engine.dialect.name, seed, attempt)
        outcome = judge(judges, statements, seed, edges, tokens)
        if outcome.why_not != "no rows":
            break
    return statements, outcome


def show(seed: int, statements: Sequence[str], outcome: Outcome) -> None:
    """Print what was found in a script."""
    some = [found for found in (*outcome.findings, *outcome.idle) if found.kind != "case"]
    for found in some:
        reported = f" (reported: {', '.join(outcome.reported)})" if outcome.reported else ""
        print(f"-- {seed} {found.kind}: {found.column} <- {found.source}{reported}")
    if some:
        print(f"{text_of(statements)}\n", flush=True)


def text_of(statements: Iterable[str]) -> str:
    """Statements as they are printed."""
    return ";\n".join(statements)


def shrink(
    judges: Sequence[TextJudge],
    statements: Sequence[str],
    seed: int,
    outcome: Outcome,
    forms: set[str],
) -> None:
    """Print a minimal script for each kind of finding, unless one of its form was printed."""
    name, before = judges[0].engine.dialect.name, {found.kind for found in outcome.findings}
    for kind in dict.fromkeys(found.kind for found in outcome.findings):
        if kind == "case" and len(outcome.findings) > 1:
            continue

        def holds(smaller: Sequence[str], kind: str = kind) -> bool:
            again = judge(judges, smaller, seed, tokens=kind in ("carried", "changed"))
            kinds = {found.kind for found in again.findings}
            return again.kind == "wrong" and kind in kinds and kinds <= before

        if not holds(statements):
            continue
        smallest = shrunk(statements, name, holds)
        form = form_of(name, smallest, kind)
        if form not in forms:
            forms.add(form)
            found = judge(judges, smallest, seed).findings
            print(f"{Block(name, form, found, True, smallest).text()}\n", flush=True)


def form_of(database: str, statements: Sequence[str], kind: str) -> str:
    """What a minimal script consists of, for telling defects apart."""
    if kind == "case":
        return f"case {statements[-1].split()[0]}"
    classes: dict[str, None] = {}
    for text in statements:
        try:
            nodes = sqlglot.parse_one(text, dialect=database).bfs()
            classes |= dict.fromkeys(type(node).__name__ for node in nodes)
        except SqlglotError:
            classes["Unparsed"] = None
    plain = {"Identifier", "Literal", "Table", "TableAlias", "From", "Column", "Schema", "Alias"}
    return f"{kind} {' '.join(sorted(set(classes) - plain))}"


def measured(database: Engine, given: argparse.Namespace) -> int:
    """Take edges from right answers, and print what share of them is seen."""
    judges = [TextJudge(database, given.seed, count) for count in COUNTS]
    more = [TextJudge(database, given.seed + 1, count) for count in MORE]
    record = Record(database.version(), TAKEN, POWER, RECORDED)
    totals: Counter[str] = Counter()
    for seed in seeds(given, database.version(), TAKEN):
        _, outcome = with_rows(judges, seed, tokens=False)
        counts: Counter[str] = Counter()
        for text, verdict in outcome.verdicts if outcome.kind == "right" else ():
            for edge in taken(judges, more, cast(Program, text), verdict, seed):
                counts[edge.outcome] += 1
                if edge.outcome == MISSED:
                    print(f"-- {seed} missed: {edge.column} <- {edge.source}\n{text.text}\n")
        totals += counts
        if given.record:
            record.add(seed, counts)
    live = totals[SEEN] + totals[MISSED]
    print(f"{totals[SEEN]} of {live} edges that were taken away are seen", dict(totals))
    return 0 if totals[SEEN] >= SHARE * live else 1


def main() -> int:
    """Judge, or measure how much the judge sees."""
    parser = argparse.ArgumentParser(prog="python -m tests.sql.judge", description=__doc__)
    parser.add_argument("--dialect", choices=DATABASES, required=True, help="which database")
    parser.add_argument("--seed", type=int, default=0, help="of the first statement, and of rows")
    parser.add_argument("--statements", type=int, default=100, help="how many are made")
    parser.add_argument("--edges", action="store_true", help="list DIRECT edges that carry nothing")
    parser.add_argument("--failures", action="store_true", help="print what was not judged")
    parser.add_argument("--shrink", action="store_true", help="print findings as minimal scripts")
    parser.add_argument("--power", action="store_true", help="take edges away from right answers")
    parser.add_argument("--record", action="store_true", help="keep the counts by ten seeds")
    parser.add_argument("--resume", action="store_true", help="leave out seeds that are recorded")
    given = parser.parse_args()
    with engine(given.dialect) as database:
        return (measured if given.power else judged)(database, given)


if __name__ == "__main__":
    raise SystemExit(main())
