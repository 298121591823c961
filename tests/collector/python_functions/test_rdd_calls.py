"""The calls that made RDDs are remembered as long as the program has the RDDs, and no longer."""

import gc
from typing import Any

from airflow_colgraph.collector.python_functions.rdd_frames import RddCalls


class Rdd:
    """As PySpark's: an object that can be referred to weakly."""


class Frame:
    """As PySpark's: it keeps the RDD that it was used as."""

    def __init__(self) -> None:
        self._jdf: Any = object()
        self.rdd = Rdd()


def test_a_frame_that_was_used_as_an_rdd_can_go() -> None:
    """Each batch of a stream that used its frame so would have stayed for good."""
    calls = RddCalls()
    for _ in range(3):
        frame, mapped = Frame(), Rdd()
        calls.add_frame(frame, frame.rdd)
        calls.add("map", frame.rdd, [lambda row: row], {}, mapped)
    assert len(calls._calls) > 1
    del frame, mapped
    gc.collect()
    assert len(calls._calls) == 0
