"""An operator that deletes old lineage from the store, and reports the store's size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow_colgraph import conf
from airflow_colgraph.operators.urls import HidesPasswords
from airflow_colgraph.store.admin.retention import prune, prune_reads
from airflow_colgraph.store.admin.size import sizes
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store
from airflow_colgraph.version_compat import BaseOperator, stats


class ColgraphPruneOperator(HidesPasswords, BaseOperator):  # type: ignore[misc]
    """Delete what was reported before a time, as `colgraph db prune` does.

    Args:
        before: The time, e.g. `now-400d`; what the latest lineage needs is kept.
        namespaces: Namespaces of datasets: if there are any, only what was reported about outputs
            in these is deleted.
        reads_before: A time before which audited reads are deleted. Default: all are kept.
        store: The store's URL. Default: `[colgraph] store`.

    Returns:
        How many `runs`, `occurrences`, `lineage_bodies`, `edges` and `reads` were deleted, as the
        task's XCom. They are also counters of Airflow's metrics, `colgraph_pruned.runs` and so on;
        the gauges `colgraph_store_rows` and `colgraph_store_bytes` are what is left.

    Raises:
        QuestionError: A time cannot be read, or is after now.
        NoStore: There is no store at the URL.
        StoreUnavailable: The store does not answer; the next try does the rest.
    """

    template_fields: Sequence[str] = ("before", "namespaces", "reads_before", "store")

    def __init__(
        self,
        *,
        before: str,
        namespaces: Sequence[str] = (),
        reads_before: str | None = None,
        store: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Take the times and the store."""
        super().__init__(**kwargs)
        self.before = before
        self.namespaces = namespaces
        self.reads_before = reads_before
        self.store = store

    def execute(self, context: Any) -> dict[str, int]:
        """Prune, and return how many rows were deleted."""
        before = clock.past("before", self.before)
        reads_before = clock.past("reads_before", self.reads_before) if self.reads_before else None
        by = f"{self.dag_id}.{self.task_id}"  # in the audit log
        with Store.open(self.store or conf.store(), create=False) as store:
            deleted = {
                **prune(store, before, by=by, namespaces=self.namespaces)._asdict(),
                "reads": 0,
            }
            if reads_before is not None:
                deleted["reads"] = prune_reads(store, reads_before, by)
            left = sizes(store, before)
        for name, count in deleted.items():
            stats.incr(f"colgraph_pruned.{name}", count)
        stats.gauge("colgraph_store_rows", sum(table.rows for table in left))
        stats.gauge("colgraph_store_bytes", sum(table.bytes for table in left))
        self.log.info("Deleted %s", ", ".join(f"{n} {name}" for name, n in deleted.items()))
        return deleted
