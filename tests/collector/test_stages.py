"""Spark's status store is asked when it has heard of all, without a JVM."""

from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector.spark import stages
from airflow_colgraph.collector.spark.stages import wait_for_last_job


class Store:
    """Hears of a job's begin when it is asked the second time, of its end the third time."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def job(self, number: int) -> Any:
        self.asked.append(number)
        if len(self.asked) == 1:
            raise KeyError(number)  # as java.util.NoSuchElementException
        status = "RUNNING" if len(self.asked) == 2 else "SUCCEEDED"
        return SimpleNamespace(status=lambda: status)


def context(store: Store, jobs: int) -> Any:
    return SimpleNamespace(
        statusStore=lambda: store,
        dagScheduler=lambda: SimpleNamespace(numTotalJobs=lambda: jobs),
    )


@pytest.fixture(autouse=True)
def _without_a_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "POLL_SECONDS", 0)
    monkeypatch.setattr(stages, "thrown", lambda: (KeyError,))


def test_the_end_of_the_last_job_is_waited_for() -> None:
    store = Store()
    wait_for_last_job(context(store, jobs=5), 60)
    assert store.asked == [4, 4, 4]


@pytest.mark.parametrize(("jobs", "seconds", "asked"), [(0, 60, []), (5, 0, [4])])
def test_no_longer_than_there_is_something_to_wait_for(
    jobs: int, seconds: float, asked: list[int]
) -> None:
    store = Store()
    wait_for_last_job(context(store, jobs), seconds)
    assert store.asked == asked
