"""A sample of `oracles.row_histories`: copies, tags and past answers against the rows of tables.

Earlier tests asked about the latest state of histories without dropped tables, and with tags that
stay; a past answer was compared with nothing.
"""

import pytest

from oracles.row_histories import History, differences
from tests.amount import of_all


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(1, 1 + of_all(300, 12)))
def test_answers_equal_the_rows(seed: int) -> None:
    assert differences(seed) == []


@pytest.mark.parametrize(("seed", "steps"), [(689, 11), (706, 14)])
def test_no_set_of_tags_comes_back_after_another(seed: int, steps: int) -> None:
    assert differences(seed, steps) == []


def test_histories_have_what_is_compared() -> None:
    histories = [History(seed) for seed in range(1, 13)]
    holders, tagged = set(), set()
    for history in histories:
        for minute in range(1, 15):
            history.step(minute)
            holders |= history.holders(("raw", "a"))
            tagged |= history.tagged()
    assert {table for table, _ in holders} == {"raw", "t1", "t2", "t3", "mart"}
    assert {"t1", "t2", "t3", "mart"} <= {table for table, _ in tagged}
    states = {
        each["facets"].get("lifecycleStateChange", {}).get("lifecycleStateChange")
        for history in histories
        for event in history.events
        for each in event["outputs"]
    }
    assert states == {"ALTER", "OVERWRITE", "DROP", "TRUNCATE"}
