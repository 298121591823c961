"""`exitTimeoutSeconds` is spent once, however many SparkContexts stop and whatever hangs."""

from typing import Any

import pytest

from airflow_colgraph.collector.driver import exit_budget, listener

LIMIT = 5.0


class Clock:
    """Time passes only while an application waits."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Waiting:
    """An application that needs some seconds to write what is pending."""

    def __init__(self, clock: Clock, needs: float) -> None:
        self.settings = {"exitTimeoutSeconds": LIMIT}
        self.clock = clock
        self.needs = needs

    def drain(self, seconds: float) -> bool:
        self.clock.now += min(seconds, self.needs)
        return self.needs <= seconds

    def end(self, kind: str, reason: str, deadline: float, last: float) -> None:
        self.drain(max(0.0, deadline - self.clock.now))
        self.clock.now = max(self.clock.now, min(last, self.clock.now + self.needs))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (listener, exit_budget):
        monkeypatch.setattr(module, "monotonic", clock)
    monkeypatch.setattr(listener, "_budget", exit_budget.ExitBudget())
    return clock


def with_applications(monkeypatch: pytest.MonkeyPatch, *found: Any) -> None:
    monkeypatch.setattr(listener, "_applications", dict(enumerate(found)))


def test_three_contexts_on_a_hanging_sink_wait_once(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_applications(monkeypatch, *(Waiting(clock, 1000.0) for _ in range(3)))
    for _ in range(3):
        listener.drain()  # each stop of a SparkContext
    listener.finish()
    assert clock.now - 100.0 <= LIMIT + exit_budget.GRACE_SECONDS


def test_several_contexts_at_the_exit_share_the_time(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_applications(monkeypatch, *(Waiting(clock, 1000.0) for _ in range(3)))
    listener.finish()
    assert clock.now - 100.0 <= LIMIT + exit_budget.GRACE_SECONDS


def test_a_wait_that_was_worth_it_costs_nothing(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_applications(monkeypatch, Waiting(clock, 2.0))
    for _ in range(10):
        listener.drain()
    assert listener._budget.left(LIMIT) == LIMIT
