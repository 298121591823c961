"""Spark's status store is asked when it has heard of all, without a JVM."""

from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector.spark import stages
from airflow_colgraph.collector.spark.stages import wait_for_end


class Store:
    """Hears of the application's end when it is asked the third time."""

    def __init__(self) -> None:
        self.asked = 0

    def applicationInfo(self) -> Any:
        self.asked += 1
        attempt = SimpleNamespace(completed=lambda: self.asked >= 3)
        return SimpleNamespace(attempts=lambda: SimpleNamespace(head=lambda: attempt))


@pytest.mark.parametrize(("seconds", "asked"), [(60, 3), (0, 1)])
def test_the_end_is_waited_for_but_not_too_long(
    seconds: float, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "POLL_SECONDS", 0)
    store = Store()
    wait_for_end(SimpleNamespace(statusStore=lambda: store), seconds)
    assert store.asked == asked
