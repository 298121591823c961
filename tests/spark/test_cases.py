"""The cases through a real Spark session.

`make versions` runs them on each Spark, `make long` on the oldest and on the newest one
(test_versions.py). What is no case is in `make test`.
"""

from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pyspark
import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from airflow_colgraph.collector.spark.translate import FinishedQuery
from tests.collector.cases.loader import Case, all_cases, can_say, lineage_of, unknown_in
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-cases")]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    found = Session(Path(tmp_path_factory.mktemp("cases")))
    yield found
    found.stop()


@pytest.mark.versions
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_the_lineage_is_exactly_the_cases(session: Session, case: Case) -> None:
    if not can_say(pyspark.__version__, case):
        assert lineage_text(session, case) != case.lineage
        return
    events = session.run(case)
    assert lineage_of(events, str(session.root)) == case.lineage
    for event in events:
        found = event["run"]["facets"]["colgraph_diagnostics"]["unresolved"]
        assert [item["class"] for item in found] == unknown_in(pyspark.__version__, case)


def lineage_text(session: Session, case: Case) -> frozenset[str]:
    """What an older Spark tells of a case: nothing where it does not understand it."""
    try:
        return lineage_of(session.run(case), str(session.root))
    except (PySparkException, AttributeError, ImportError):
        return frozenset()


def test_an_insert_with_several_targets_writes_each(session: Session) -> None:
    session.spark.sql("CREATE TABLE mart.one (x INT) USING parquet")
    session.spark.sql("CREATE TABLE mart.other (x INT, y INT) USING parquet")
    session.events()
    session.spark.sql(
        "FROM raw.t1 INSERT OVERWRITE TABLE mart.one SELECT a WHERE c > 1"
        " INSERT INTO mart.other SELECT b, c"
    )
    first, second = session.events()
    assert lineage_of([first], str(session.root)) == {
        "x <- raw.t1.a DIRECT:IDENTITY",
        "* <- raw.t1.c INDIRECT:FILTER",
    }
    assert lineage_of([second], str(session.root)) == {
        "x <- raw.t1.b DIRECT:IDENTITY",
        "y <- raw.t1.c DIRECT:IDENTITY",
    }


def test_the_jvm_does_not_keep_a_query_that_was_reported(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proxies to its plans and broadcasts must not wait for Python to collect circles."""
    executions: list[Any] = []
    offer = session.worker.offer

    def remember(item: FinishedQuery) -> None:
        executions.append(item.execution)
        offer(item)

    monkeypatch.setattr(session.worker, "offer", remember)
    session.spark.table("raw.t1").collect()
    assert len(session.events()) == 1
    deadline = monotonic() + 60  # py4j gives back on a thread of its own
    while is_in_jvm(executions[0]):
        assert monotonic() < deadline


def is_in_jvm(found: Any) -> bool:
    """Whether the JVM still knows what a proxy stands for."""
    try:
        found.getClass()
    except Py4JError as error:
        return "does not exist" not in str(error)
    return True
