"""The impact of every dataset is what the store's own traversal finds of each."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from pyspark.sql import SparkSession

from airflow_colgraph.store.model import clock, field_path
from airflow_colgraph.store.model.question import DOWN
from airflow_colgraph.warehouse import graph_tasks
from airflow_colgraph.warehouse import impact as module
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.impact import impact
from airflow_colgraph.warehouse.question import Question
from tests.store.samples import at
from tests.warehouse.random_events import NESTED, random_events
from tests.warehouse.store_answers import Both, both_of

pytestmark = [pytest.mark.spark, pytest.mark.warehouse, pytest.mark.xdist_group("warehouse")]

EVENTS = [event for seed in range(30) for event in random_events(seed, 30)]
EVENTS += [event for seed in range(30, 35) for event in random_events(seed, 90, NESTED)]
AT = clock.parse_iso(at(12))


class Killed(BaseException):
    """As if the process had been killed."""


@pytest.fixture(scope="module")
def both(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    with (
        mock.patch.object(field_path, "MOST_PARTS", 4),  # some structs are copied into themselves
        both_of(spark, EVENTS, tmp_path_factory.mktemp("impact")) as both,
    ):
        yield both


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tasks of 64 datasets in a job of Spark's, so that there are several of both."""
    monkeypatch.setattr(graph_tasks, "BYTES_OF_SETS", 0)
    monkeypatch.setattr(module, "TASKS_OF_CORE", 1)


def different(spark: SparkSession, both: Both, answer: str, question: Question) -> dict[str, Any]:
    """The datasets of which the counts are not the store's."""
    found = {row["name"]: row.asDict() for row in spark.read.parquet(answer).collect()}
    assert len(found) > 128
    wanted = {name: both.answers.impact(name, question) for name in found}
    assert max(row["columns"] for row in wanted.values()) > 3
    return {
        name: (row, wanted[name])
        for name, row in found.items()
        if row != {"namespace": "n", "name": name, **wanted[name]}
    }


@pytest.mark.parametrize(("at", "indirect"), [(None, False), (None, True), (AT, True)])
def test_the_counts_of_every_dataset_are_the_stores(
    spark: SparkSession, both: Both, at: int | None, indirect: bool
) -> None:
    counted: list[tuple[int, int]] = []
    answer = impact(spark, both.warehouse, at, indirect, lambda *some: counted.append(some))
    assert different(spark, both, answer, Question(DOWN, at, indirect)) == {}
    total = spark.read.parquet(answer).count()
    assert counted == [(128, total), (total, total)]
    work = Folder(spark, both.warehouse).names(f"impact/{Path(answer).parent.name}")
    assert work == ["answer"]  # nothing else is left


def test_an_impact_that_was_killed_goes_on(spark: SparkSession, both: Both) -> None:
    def kill(counted: int, total: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        impact(spark, both.warehouse, AT, progress=kill)
    (first,) = Path(both.warehouse, "impact").glob("*/counts/128/first=0")
    before = {file.name for file in first.iterdir()}
    during: list[set[str]] = []

    def look(counted: int, total: int) -> None:
        during.append({file.name for file in first.iterdir()})

    answer = impact(spark, both.warehouse, AT, progress=look)
    assert during == [before, before]  # the names of Spark's files are new ones of each write
    assert different(spark, both, answer, Question(DOWN, AT)) == {}
