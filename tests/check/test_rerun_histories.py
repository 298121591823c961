"""A sample of `oracles.rerun_histories`: plans of reruns against the rows of tables.

Earlier tests had a case for each rule; what several of them lose together no case showed.
"""

import pytest

from oracles.rerun_histories import History, difference
from tests.amount import of_all


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(1, 1 + of_all(300, 20)))
def test_no_run_that_used_the_column_is_left_out(seed: int) -> None:
    assert difference(seed).missing == set()


@pytest.mark.parametrize("seed", [191, 792])
def test_a_run_may_have_read_what_was_replaced_before_it_ended(seed: int) -> None:
    assert difference(seed).missing == set()


def test_histories_have_what_is_compared() -> None:
    histories = [History(seed) for seed in range(1, 21)]
    assert sum(len(history.affected) for history in histories) > 20
    events = [event for history in histories for event in history.events]
    assert {event["eventType"] for event in events} == {"START", "COMPLETE", "FAIL"}
    assert {
        output["facets"]["lifecycleStateChange"]["lifecycleStateChange"]
        for event in events
        for output in event["outputs"]
    } == {"OVERWRITE", "APPEND", "DROP", "TRUNCATE", "RENAME"}
