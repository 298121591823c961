"""Records the plans of all cases from the installed Spark: `python -m tests.collector.record`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pyspark

from airflow_colgraph.collector import worker
from airflow_colgraph.collector.query import Query, read
from tests.collector.cases.loader import recorded_cases
from tests.collector.recorded import PLANS, as_json
from tests.spark.session import Session


def main() -> None:
    """Run every case and write what the collector was told."""
    told: list[Query] = []

    def remember(*arguments: Any) -> Query | None:
        query = read(*arguments)
        if query is not None:
            told.append(query)
        return query

    worker.read = remember  # type: ignore[attr-defined]
    root = Path(tempfile.mkdtemp(prefix="colgraph-record-"))
    session = Session(root)
    lines = []
    for case in recorded_cases():
        told.clear()
        session.run(case)
        queries = [as_json(query, str(root)) for query in told]
        lines.append(json.dumps({"case": case.name, "queries": queries}, ensure_ascii=False))
    session.stop()
    version = ".".join(pyspark.__version__.split(".")[:2])
    (PLANS / f"{version}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
