"""Judges lineage by what other values in a column change: made queries, or the cases' own.

It prints each edge that was lost, each that carries values and is not reported as DIRECT, and each
that is reported as IDENTITY and changes them; with --edges also each DIRECT edge whose field never
changed anything, which is for a look by eye. It ends with 1 where one of the first three was found.
"""

from __future__ import annotations

import argparse
import logging
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyspark

from tests.spark.perturb import lakes, results, stateful
from tests.spark.perturb.carried import Carried, carried
from tests.spark.perturb.commands import TARGET, command
from tests.spark.perturb.judge import Judge, Verdict
from tests.spark.perturb.power import IDLE, MISSED, SEEN, taken
from tests.spark.perturb.programs import Program, text_of
from tests.spark.perturb.results import PROGRAMS, QUERIES, Record, counts_of, of_power
from tests.spark.perturb.session import SETTINGS, session_of
from tests.spark.perturb.states import StateProgram, judge_of
from tests.spark.perturb.tables import TABLES
from tests.spark.perturb.written import named_in, type_of, written
from tests.spark.session import Session

Judged = Iterator[tuple[str, str, Verdict, Carried]]  # its name, its text, and what came out
SEEDS = 5  # of the values that a case is tried with, until it has rows
COUNTS = (10, 60)  # rows of the tables of cases
WIDER = (60,)  # rows of the tables that a made query is judged on after the first ones
EXHAUSTIVE = (10, 25, 40, 60)  # rows, where an edge is looked for that was not seen
POWER = 0.95  # the share of edges taken away that has to be seen
NO_FINDINGS = ("idle", "missing and reported")
EVERY = 10  # queries, after which progress is printed


def made(root: Path, given: argparse.Namespace) -> Judged:
    """The verdicts on so many made queries."""
    session = session_of(root)
    judge = Judge(session, "p", TABLES, given.seed)
    wider = others(judge, given.seed, WIDER)
    for seed in seeds(given, QUERIES):
        text = text_of(seed)
        program = Program(text, session.spark)
        yield str(seed), text, *both(judge, program, seed, given.edges, wider)
    session.stop()


def of_commands(root: Path, given: argparse.Namespace) -> Judged:
    """The verdicts on so many commands."""
    tables = {**TABLES, "target": TARGET}
    for name in given.lakes or lakes.LAKES:
        lake = lakes.LAKES[name]
        session = lakes.session_of(root / name, lake)
        judge = lakes.LakeJudge(session, "p", tables, given.seed)
        for seed in range(given.seed, given.seed + given.queries):
            text = command(seed)
            program = lakes.Command(text, session.spark, lake)
            yield f"{seed} {name}", text, *both(judge, program, seed, False)
        session.stop()


def of_programs(root: Path, given: argparse.Namespace) -> Judged:
    """The verdicts on so many programs that leave something for later statements."""
    judge = judge_of(root, given.seed)
    wider = others(judge, given.seed, WIDER)
    for seed in seeds(given, PROGRAMS):
        text = stateful.program(seed)
        program = StateProgram(text, judge.session)
        yield str(seed), text, *both(judge, program, seed, given.edges, wider)
    judge.session.stop()


def measure(root: Path, given: argparse.Namespace) -> int:
    """Take edges from right answers, and print what share of them is missed."""
    if given.state:
        first: Judge = judge_of(root, given.seed)
    else:
        first = Judge(session_of(root), "p", TABLES, given.seed)
    session = first.session
    judges = [first, *others(first, given.seed, WIDER)]
    more = others(first, given.seed + 1, EXHAUSTIVE)
    seen: Counter[str] = Counter()
    kind = of_power(PROGRAMS if given.state else QUERIES)
    kept = Record(pyspark.__version__, kind, results.POWER)
    for seed in seeds(given, kind):
        text = stateful.program(seed) if given.state else text_of(seed)
        program = StateProgram(text, session) if given.state else Program(text, session.spark)
        verdict = first.judge(program, seed, wider=judges[1:])
        outcomes = taken(judges, more, program, verdict, seed)
        if given.record:
            kept.add(seed, Counter(found.outcome for found in outcomes))
        for found in outcomes:
            seen[found.outcome] += 1
            if found.outcome != SEEN:
                column = "*" if found.column is None else ".".join(found.column)
                table, path = found.source
                print(f"{found.outcome} in {seed}: {column} <- {table}.{'.'.join(path)}\n  {text}")
        if (seed + 1) % EVERY == 0:
            print(dict(seen), flush=True)
    session.stop()
    live = seen[SEEN] + seen[MISSED]
    print(f"{seen[SEEN]} of {live} edges that were taken away are seen; nothing shows {seen[IDLE]}")
    return 0 if seen[SEEN] >= POWER * live else 1


def seeds(given: argparse.Namespace, kind: str) -> list[int]:
    """The seeds that are asked for; with --resume without those that are recorded."""
    kept = Record(pyspark.__version__, kind, ())
    asked = range(given.seed, given.seed + given.queries)
    return [seed for seed in asked if not (given.resume and kept.is_kept(seed))]


def others(judge: Judge, seed: int, counts: Iterable[int]) -> list[Judge]:
    """Judges of the same session with so many rows."""
    session = judge.session
    return [Judge(session, "p", TABLES, seed, count=count, shown=judge.shown) for count in counts]


def best(
    judges: Iterable[Judge], program: Program, seed: int, edges: bool
) -> tuple[Verdict, Carried]:
    """The verdicts of the first judge whose tables let rows through."""
    for judge in judges:
        found = both(judge, program, seed, edges)
        if found[0].why_not != "no rows":
            break
    return found


def both(
    judge: Judge, program: Program, seed: int, edges: bool, wider: Sequence[Judge] = ()
) -> tuple[Verdict, Carried]:
    """What other values and what tokens show of a program."""
    verdict = judge.judge(program, seed, edges, wider)
    found = carried(verdict.by or judge, program, verdict)
    tables = {table for table, _ in judge.reported_missing()}
    silent = tuple(edge for edge in found.indirect if edge[1][0] not in tables)
    return verdict, found._replace(indirect=silent)


def from_cases(root: Path, given: argparse.Namespace) -> Judged:
    """The verdicts on the cases' own queries."""
    session = Session(root, SETTINGS)
    for case in written():
        tables = {}
        for name in {name.lower() for name in re.findall(r"@(\w+)", case.text)}:
            schema = session.spark.table(f"{case.database}.{name}").schema.jsonValue()
            tables[name] = type_of(schema)
        known = named_in(case.text, [name for columns in tables.values() for name in columns])
        program = Program(case.text, session.spark)
        judges = (
            Judge(session, case.database, tables, seed, known, count)
            for count in COUNTS
            for seed in range(given.seed, given.seed + SEEDS)
        )
        yield case.name, case.text, *best(judges, program, given.seed, given.edges)
    session.stop()


def main() -> int:
    """Judge and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.spark.perturb", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first query, and of the values")
    parser.add_argument("--queries", type=int, default=200, help="how many are made")
    parser.add_argument("--cases", action="store_true", help="judge the cases' own queries instead")
    parser.add_argument("--commands", action="store_true", help="judge commands on lakes instead")
    parser.add_argument("--lakes", nargs="*", choices=lakes.LAKES, help="which; else all")
    parser.add_argument("--edges", action="store_true", help="try each DIRECT edge too")
    parser.add_argument("--state", action="store_true", help="judge programs with state instead")
    parser.add_argument(
        "--power", action="store_true", help="say what share of edges is missed when taken away"
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="keep the counts of made queries or programs for docs/coverage.md, by ten seeds",
    )
    parser.add_argument("--resume", action="store_true", help="leave out seeds that are recorded")
    given = parser.parse_args()
    if (given.record or given.resume) and (given.cases or given.commands):
        parser.error("Only made queries and programs are recorded.")
    logging.disable(logging.ERROR)  # a query that Spark refuses is counted, not shown
    root = Path(tempfile.mkdtemp(prefix="colgraph-perturb-"))
    if given.power:
        return measure(root, given)
    totals: Counter[str] = Counter()
    findings: dict[str, Any] = {}
    judge = (
        from_cases
        if given.cases
        else of_commands
        if given.commands
        else of_programs
        if given.state
        else made
    )
    kept = Record(pyspark.__version__, PROGRAMS if given.state else QUERIES, results.JUDGED)
    for name, text, verdict, shown in judge(root, given):
        if given.record:
            kept.add(int(name), counts_of(verdict, shown))
        totals += Counter(queries=1, runs=verdict.runs + shown.runs, edges=verdict.edges)
        totals[f"not judged: {verdict.why_not.split(']')[0]}" if verdict.why_not else "judged"] += 1
        if (given.cases or given.state) and verdict.why_not:
            print(f"not judged: {name}: {verdict.why_not}", flush=True)
        findings = {
            "lost": verdict.lost,
            "missing and reported": verdict.reported,
            "not reported as DIRECT": shown.indirect,
            "reported as IDENTITY": shown.changed,
            "idle": verdict.idle,
        }
        for what, found in findings.items():
            totals[what] += len(found)
            for column, (table, path) in found:
                print(f"{what} in {name}: {'.'.join(column)} <- {table}.{'.'.join(path)}")
            if found:
                print(f"  {text}", flush=True)
        if totals["queries"] % EVERY == 0:
            print(dict(totals), flush=True)
    print(dict(totals))
    return 1 if any(totals[what] for what in findings if what not in NO_FINDINGS) else 0


if __name__ == "__main__":
    raise SystemExit(main())
