"""The events of a company have the shape that its docstring states."""

import json
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.store.store import Store
from bench.company import Company, Shape, write
from bench.synthetic import NAMESPACE

SHAPE = Shape(columns=9_000, edges=45_000, days=6, jobs=900)


@pytest.fixture(scope="module")
def days() -> list[list[dict[str, Any]]]:
    return [[json.loads(line) for line in lines] for lines in Company(SHAPE).days()]


def test_columns_and_edges_are_those_that_were_asked_for(days: list[list[dict[str, Any]]]) -> None:
    written = [output for event in days[0] for output in event["outputs"]]
    assert len(written) == SHAPE.jobs
    fields = [output["facets"]["columnLineage"]["fields"] for output in written]
    company = Company(SHAPE)
    assert sum(company.columns) == pytest.approx(SHAPE.columns, rel=0.1)
    edges = sum(len(one["inputFields"]) for some in fields for one in some.values())
    assert edges == pytest.approx(SHAPE.edges, rel=0.15)


def test_hubs_renames_retries_and_unchanged_runs(days: list[list[dict[str, Any]]]) -> None:
    events = [event for day in days for event in day]
    failed = [event for event in events if event["eventType"] == "FAIL"]
    assert len(failed) == pytest.approx(0.02 * SHAPE.jobs * SHAPE.days, rel=0.3)
    read = Counter(one["name"] for event in days[0] for one in event["inputs"])
    hubs = sum(count for _, count in read.most_common(SHAPE.jobs // 100))
    assert hubs / read.total() == pytest.approx(1 / 3, rel=0.25)
    reported = defaultdict(list)
    renamed = set()
    for event in events:
        for output in event["outputs"]:
            reported[event["job"]["name"]].append(json.dumps(output["facets"]["columnLineage"]))
            if "symlinks" in output["facets"]:
                renamed.add(output["name"])
    pairs = [pair for some in reported.values() for pair in pairwise(some)]
    assert sum(old != new for old, new in pairs) / len(pairs) == pytest.approx(0.03, rel=0.3)
    assert len(renamed) == SHAPE.jobs // 100


def test_every_event_is_one_that_a_store_takes(tmp_path: Path) -> None:
    shape = Shape(columns=300, edges=900, days=3, jobs=40)
    count = write(shape, tmp_path, seed=2)
    lines = [line for file in sorted(tmp_path.iterdir()) for line in file.read_text().splitlines()]
    assert len(lines) == count >= 3 * 40
    with Store.open("sqlite://") as store:
        assert store.add_valid([json.loads(line) for line in lines]) == ([], [])
        with store.connection() as connection:
            sql = "SELECT count(*) FROM colgraph_dataset WHERE namespace = ?"
            assert connection.exec_driver_sql(sql, (NAMESPACE,)).scalar_one() > 40
