"""Writers that wait for their turn are written by the one whose turn it is."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from airflow_colgraph.store.ingest.group_commit import GroupCommit


class Table:
    """Keeps numbers, all that it is given or none; the first write waits until it is let go."""

    def __init__(self) -> None:
        self.writes: list[list[int]] = []
        self.started, self.go_on = threading.Event(), threading.Event()

    def write(self, numbers: list[int]) -> None:
        self.started.set()
        assert self.go_on.wait(60)
        if any(number < 0 for number in numbers):
            raise ValueError(f"{min(numbers)} is negative")
        self.writes.append(numbers)


def batches_and_errors(numbers: list[int], most: int = 1000) -> tuple[list[list[int]], list[str]]:
    """What arrives if the first is being written while the others come; and their errors."""
    table = Table()
    together = GroupCommit(table.write, most)
    with ThreadPoolExecutor(len(numbers)) as pool:
        first = pool.submit(together.write, numbers[:1])
        assert table.started.wait(60)
        others = [pool.submit(together.write, [number]) for number in numbers[1:]]
        while len(together._waiting) < len(others):
            threading.Event().wait(0.001)
        table.go_on.set()
        errors = [str(one.exception()) for one in (first, *others) if one.exception(60)]
    return table.writes, errors


def test_what_waits_is_written_at_once() -> None:
    writes, errors = batches_and_errors([1, 2, 3, 4])
    assert writes[0] == [1]
    assert [sorted(write) for write in writes[1:]] == [[2, 3, 4]]
    assert errors == []


def test_not_more_than_so_many_at_once() -> None:
    writes, errors = batches_and_errors([1, 2, 3, 4, 5, 6], most=2)
    assert [len(write) for write in writes] == [1, 2, 2, 1]
    assert sorted(number for write in writes for number in write) == [1, 2, 3, 4, 5, 6]
    assert errors == []


def test_only_the_writer_of_the_invalid_event_gets_the_error() -> None:
    writes, errors = batches_and_errors([1, 2, -3, 4])
    assert sorted(number for write in writes for number in write) == [1, 2, 4]
    assert errors == ["-3 is negative"]


def test_the_turn_goes_on_after_an_error() -> None:
    table = Table()
    table.go_on.set()
    together = GroupCommit(table.write)
    with pytest.raises(ValueError, match="negative"):
        together.write([-1])
    together.write([2])
    assert table.writes == [[2]]
