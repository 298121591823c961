"""Runs made programs whose inputs are tagged: no value may show where its tag is not.

    python -m oracles.tag_oracle --programs 1000

Each field of the tables has a tag of its own and rare values. A column of a program's output that
shows them must have the tag; else it is a miss. A tag on a column that never shows any is counted
as unseen: aggregates and functions such as `length` are right to have it. The exit code is 1 after
a miss.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections import Counter
from pathlib import Path

from pyspark.sql import DataFrame

from tests.spark.perturb.judge import Judge
from tests.spark.perturb.programs import Program, text_of
from tests.spark.perturb.session import session_of
from tests.spark.perturb.tables import TABLES
from tests.spark.perturb.tagged import tagged

COUNTS = (10, 40)  # rows of the tables: the more where the fewer let none through
EVERY = 50  # programs, after which the counts are printed


def main() -> int:
    """Run the programs and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m oracles.tag_oracle", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    options = parser.parse_args()
    logging.disable(logging.ERROR)  # a program that Spark refuses is counted
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="colgraph-tags-") as root:
        session = session_of(Path(root))
        frames: dict[str, DataFrame] = {}
        judges = [Judge(session, "p", TABLES, options.seed, count=n, shown=frames) for n in COUNTS]
        for seed in range(options.seed, options.seed + options.programs):
            program = Program(text_of(seed), session.spark)
            for judge in judges:
                found = tagged(judge, program)
                if found.why_not != "no rows":
                    break
            counts["programs"] += 1
            counts[f"not judged: {found.why_not}" if found.why_not else "judged"] += 1
            if not found.why_not:
                counts += Counter(
                    tags=len(found.tags), shown=len(found.shown), unseen=len(found.unseen)
                )
            for column, source in found.missed:
                counts["missed"] += 1
                print(f"missed in {seed}: {'.'.join(column)} <- {source}\n  {program.text}")
            if counts["programs"] % EVERY == 0:
                print(dict(counts), flush=True)
        session.stop()
    print(dict(counts))
    return 1 if counts["missed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
