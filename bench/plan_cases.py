"""The cases of tests/collector/cases as one application, for `bench.plan`: ROOT OUT [NAME...].

It writes a line for each case to OUT: its name, and the lines of lineage that are missing or more.
"""

import json
import sys
from pathlib import Path

import pyspark

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.collector.cases.loader import all_cases, can_say, lineage_of
from tests.spark.session import Session

root, out, *names = sys.argv[1:]
session = Session(Path(root))
with open(out, "w", encoding="utf-8") as answers:
    for case in all_cases():
        if not can_say(pyspark.__version__, case) or (names and case.name not in names):
            continue
        problem = ""
        try:
            found = lineage_of(session.run(case), root)
        except Exception as error:  # noqa: BLE001 - it is the answer
            found, problem = frozenset(), f"{type(error).__name__}: {str(error)[:300]}"
        answer = {
            "case": case.name,
            "missing": sorted(case.lineage - found),
            "more": sorted(found - case.lineage),
            "problem": problem,
        }
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
