"""A thread and a queue: the thread that Spark calls only puts a query there.

Whatever goes wrong with a query is caught in one place, warned of in one line, and harms neither
the job nor the next query.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from airflow_colgraph.collector.driver.warnings import warn
from airflow_colgraph.collector.pipeline import Pipeline
from airflow_colgraph.collector.spark.jvm import give_back
from airflow_colgraph.collector.spark.translate import FinishedQuery
from airflow_colgraph.openlineage.redaction import exception_text

LOOK_SECONDS = 0.2  # how often held writes are looked at

Act = partial[None]


class Worker:
    """Hands the queries of one application to its pipeline, one at a time, on one thread."""

    def __init__(self, pipeline: Pipeline) -> None:
        """Start the thread; at most the setting `maxQueue` queries wait."""
        self.pipeline = pipeline
        self._queue: queue.Queue[FinishedQuery | Act | None] = queue.Queue(
            pipeline.settings["maxQueue"]
        )
        self.on = True  # until the sink refuses
        self._idle = threading.Condition()
        self._pending = 0
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="colgraph", daemon=True)
        self._thread.start()

    def offer(self, item: FinishedQuery) -> None:
        """Queue a query; returns at once. A full queue drops it; the last event counts it."""
        if self.on:
            self._put(item)

    def do(self, act: Callable[..., None], *arguments: Any) -> None:
        """Have something done by the worker's thread, after what is queued."""
        self._put(partial(act, *arguments))

    def _put(self, item: FinishedQuery | Act) -> None:
        try:
            self._queue.put_nowait(item)
        except queue.Full:
            self.dropped += 1
            return
        with self._idle:
            self._pending += 1

    def wait(self, seconds: float) -> bool:
        """Wait until all queued queries are written; False when the time is over."""
        deadline = monotonic() + seconds
        try:
            self._queue.put(None, timeout=seconds)
        except queue.Full:
            return False
        with self._idle:
            self._pending += 1
            while self._pending > 0:
                left = deadline - monotonic()
                if left <= 0 or not self._thread.is_alive():
                    return False
                self._idle.wait(left)
        return True

    def _run(self) -> None:
        buffer = self.pipeline.buffer
        while True:
            try:
                item = self._queue.get(timeout=None if buffer.is_empty else LOOK_SECONDS)
            except queue.Empty:
                self._safely(buffer.release_finished, self._queue.empty)
                continue
            if item is None:  # someone waits: nothing may stay held
                self._safely(buffer.release)
            elif isinstance(item, partial):
                self._safely(item)
            elif self.on:
                self._safely(self.pipeline.process, item)
            if isinstance(item, FinishedQuery):
                self._safely(give_back, item.execution)
                item = None  # nothing is held while there is nothing to do
            with self._idle:
                self._pending -= 1
                self._idle.notify_all()

    def _safely(self, act: Callable[..., None], *arguments: Any) -> None:
        try:
            act(*arguments)
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            warn(f"a query's lineage is missing: {exception_text(error)}")
