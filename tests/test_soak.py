"""What `oracles.soak` calls flat; the soak itself is a command."""

import pytest

from oracles.soak import Sample, left

STEPS = range(40)
FLAT = [Sample(100 + number % 3, 200, 6, 17 + number % 2, 2) for number in STEPS]


def test_a_process_whose_caches_fill_first_is_flat() -> None:
    assert left([Sample(50, 200, 5, 12, 1), *FLAT]) == []


@pytest.mark.parametrize(
    ("grown", "why"),
    [
        ([Sample(100 + number, 200, 6, 17, 2) for number in STEPS], "memory grew"),
        (
            [Sample(100, 200, 6 + number // 10, 17, 2) for number in STEPS],
            "threads grew from 7 to 9",
        ),
        (
            [Sample(100, 200, 6, 17 + number // 5, 2) for number in STEPS],
            "files grew from 19 to 23",
        ),
        (
            [Sample(100, 200, 6, 17, number // 5) for number in STEPS],
            "connections grew from 2 to 6",
        ),
    ],
)
def test_what_grows_is_named(grown: list[Sample], why: str) -> None:
    (found,) = left(grown)
    assert found.startswith(why)
