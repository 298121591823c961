"""A sample of `oracles.check_orders`: the order of a file's events makes no difference."""

import pytest

from oracles.check_orders import checked, differences, drawn, ends_something
from tests.amount import of_all


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(1, 1 + of_all(200, 8)))
def test_each_order_of_the_events_has_the_same_findings(seed: int) -> None:
    assert differences(seed) == []


def test_histories_have_what_is_compared() -> None:
    histories = [drawn(seed) for seed in range(1, 31)]
    events = [event for history in histories for event in history]
    assert {event["eventType"] for event in events} > {"COMPLETE", "FAIL", "START"}
    assert any(map(ends_something, events))
    assert {checked(history).exit_code for history in histories[:8]} >= {0, 1}
