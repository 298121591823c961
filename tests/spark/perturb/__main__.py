"""Judges lineage by what other values in a column change: made queries, or the cases' own.

It prints each edge that was lost, and with --edges each DIRECT edge whose field never changed
anything, which is for a look by eye. It ends with 1 where an edge was lost.
"""

from __future__ import annotations

import argparse
import logging
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.spark.perturb.judge import Judge, Verdict
from tests.spark.perturb.programs import Program, text_of
from tests.spark.perturb.session import SETTINGS, session_of
from tests.spark.perturb.tables import TABLES
from tests.spark.perturb.written import named_in, type_of, written
from tests.spark.session import Session

Judged = Iterator[tuple[str, str, Verdict]]  # what it is called, its text, and what came out
SEEDS = 5  # of the values that a case is tried with, until it has rows
EVERY = 50  # queries, after which is said how far it is


def made(root: Path, given: argparse.Namespace) -> Judged:
    """The verdicts on so many made queries."""
    session = session_of(root)
    judge = Judge(session, "p", TABLES, given.seed)
    for seed in range(given.seed, given.seed + given.queries):
        text = text_of(seed)
        yield str(seed), text, judge.judge(Program(text, session.spark), seed, given.edges)
    session.stop()


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
        for seed in range(given.seed, given.seed + SEEDS):
            judge = Judge(session, case.database, tables, seed, known)
            verdict = judge.judge(program, seed, given.edges)
            if verdict.why_not != "no rows":
                break
        yield case.name, case.text, verdict
    session.stop()


def main() -> int:
    """Judge and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.spark.perturb", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first query, and of the values")
    parser.add_argument("--queries", type=int, default=200, help="how many are made")
    parser.add_argument("--cases", action="store_true", help="judge the cases' own queries instead")
    parser.add_argument("--edges", action="store_true", help="try each DIRECT edge too")
    given = parser.parse_args()
    logging.disable(logging.ERROR)  # a query that Spark refuses is counted, not told
    root = Path(tempfile.mkdtemp(prefix="colgraph-perturb-"))
    told: Counter[str] = Counter()
    for name, text, verdict in (from_cases if given.cases else made)(root, given):
        told += Counter(queries=1, runs=verdict.runs, edges=verdict.edges)
        told[f"not judged: {verdict.why_not.split(']')[0]}" if verdict.why_not else "judged"] += 1
        for what, found in (("lost", verdict.lost), ("idle", verdict.idle)):
            told[what] += len(found)
            for column, (table, path) in found:
                print(f"{what} in {name}: {'.'.join(column)} <- {table}.{'.'.join(path)}")
            if found:
                print(f"  {text}", flush=True)
        if told["queries"] % EVERY == 0:
            print(dict(told), flush=True)
    print(dict(told))
    return 1 if told["lost"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
