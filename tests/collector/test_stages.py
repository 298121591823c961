"""Spark's status store is asked when it has heard of all, without a JVM."""

from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector.driver import audit
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
    has_ended = wait_for_end(SimpleNamespace(statusStore=lambda: store), seconds)
    assert (store.asked, has_ended) == (asked, asked == 3)


@pytest.mark.parametrize("has_ended", [True, False])
def test_the_last_event_says_if_the_store_was_behind(
    has_ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job on a busy machine lost the files of its RDDs, and its last event was clean."""
    monkeypatch.setattr(audit, "wait_for_end", lambda *_: has_ended)
    accounting = SimpleNamespace(failed=0, reported=0, without_datasets=0)
    pipeline = SimpleNamespace(accounting=accounting)
    worker: Any = SimpleNamespace(on=True, dropped=0, pipeline=pipeline)
    unused: Any = None
    audited = audit.Audit(unused, worker, unused, unused, unused, first_stage=0)
    monkeypatch.setattr(audited, "_compare", lambda: None)
    audited.run(is_stopping=True)
    facets = audited.last_facets("", is_complete=True)
    assert ("colgraph_diagnostics" in facets) != has_ended
    assert has_ended or audit.BEHIND in facets["colgraph_diagnostics"]["truncated"]
