"""Records the plans of cases from the installed Spark: `python -m tests.collector.record NAME...`.

Without names, of all cases; with any, of those that have none yet and of those named. For another
Spark: `dev/spark_version.sh VERSION -m tests.collector.record`; for all: `make record`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark

from airflow_colgraph.collector import pipeline
from airflow_colgraph.collector.model import Query
from airflow_colgraph.collector.spark.translate import translate
from tests.collector.cases.loader import Case, can_say, recorded_cases
from tests.collector.recorded import PLANS, as_json
from tests.spark.session import Session


def main(names: list[str]) -> None:
    """Run the cases and write what the collector heard."""
    version = ".".join(pyspark.__version__.split(".")[:2])
    file = PLANS / f"{version}.jsonl"
    kept = dict(lines_of(file)) if names and file.exists() else {}
    possible = [case for case in recorded_cases() if can_say(version, case)]
    wanted = {case.name for case in possible if case.name in names or case.name not in kept}
    found = {**kept, **recorded([case for case in possible if case.name in wanted])}
    lines = [found[case.name] for case in possible]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def lines_of(file: Path) -> Iterator[tuple[str, str]]:
    """The recorded cases by name."""
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["case"], line


def recorded(cases: list[Case]) -> dict[str, str]:
    """What the collector hears when the cases run, a line each."""
    heard: list[Query] = []

    def remember(*arguments: Any) -> Iterator[Query]:
        for query in translate(*arguments):
            heard.append(query)
            yield query

    pipeline.translate = remember  # type: ignore[attr-defined]
    root = Path(tempfile.mkdtemp(prefix="colgraph-record-"))
    session = Session(root)
    lines = {}
    for case in cases:
        heard.clear()
        session.run(case)
        queries = [as_json(query, str(root)) for query in heard]
        lines[case.name] = json.dumps({"case": case.name, "queries": queries}, ensure_ascii=False)
    session.stop()
    return lines


if __name__ == "__main__":
    main(sys.argv[1:])
