"""An operator that drains a spool: what waits there goes to the store or to a server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from airflow_colgraph import conf, delivery
from airflow_colgraph.collector.sinks.spool import DROPPED, REFUSED
from airflow_colgraph.collector.sinks.token import checked
from airflow_colgraph.delivery import Report, Target, Waiting, spool_metrics
from airflow_colgraph.operators.urls import HidesPasswords, base_url
from airflow_colgraph.spools import OpenSpool, open_spool
from airflow_colgraph.store.errors import BadStoreUrl
from airflow_colgraph.store.store import Store
from airflow_colgraph.version_compat import BaseHook, BaseOperator, stats

PATH = "/api/v1/lineage"


class NotDelivered(RuntimeError):
    """Events are left in the spool; the text says how many, where and why."""


class NoSpool(ValueError):
    """The spool is no folder of this machine."""


class ColgraphDeliverOperator(HidesPasswords, BaseOperator):  # type: ignore[misc]
    """Deliver the events of a spool, the oldest first, as `colgraph deliver` does.

    Args:
        spool: A folder of the worker, or any URL of fsspec's. Default: `[colgraph] spool`, which
            need not exist yet.
        conn_id: An Airflow connection with the server's host, port and, as password, the key.
        url: The path on that server. Default: `/api/v1/lineage`.
        store: Without `conn_id`: the store's URL. Default: `[colgraph] store`.
        patience: How many seconds the same event is tried again while nobody takes it.

    Returns:
        How many events were delivered, refused (they are in the spool's folder `refused`) and
        dropped (in all, as the spool was full), as the task's XCom. They are also in Airflow's
        metrics: the counter `colgraph_spool_delivered`, and the gauges of `colgraph metrics`.

    Raises:
        NoSpool: There is no such folder.
        OSError: The spool cannot be reached, or fsspec is missing for it.
        NotDelivered: Events are left, so that Airflow tries the task again.
        InUse: Another process delivers this spool.
        BadStoreUrl: Neither a server nor a store is given or configured.
    """

    template_fields: Sequence[str] = ("spool", "url", "store")

    def __init__(
        self,
        *,
        spool: str | None = None,
        conn_id: str | None = None,
        url: str = PATH,
        store: str | None = None,
        patience: float = delivery.PATIENCE,
        **kwargs: Any,
    ) -> None:
        """Take the spool, and the server or the store that gets its events."""
        super().__init__(**kwargs)
        self.spool = spool
        self.conn_id = conn_id
        self.url = url
        self.store = store
        self.patience = patience

    def execute(self, context: Any) -> dict[str, int]:
        """Deliver what waits, and return the report."""
        folder = self._folder()
        report = self._deliver(folder) if folder.exists() else Report(0, 0, 0)
        waiting = delivery.waiting(folder) if folder.exists() else Waiting(0, 0, 0, 0, 0)
        dropped = waiting.dropped
        self._tell(folder.name, report, dropped)
        stats.incr("colgraph_spool_delivered", report.delivered)
        for name, value in spool_metrics(waiting).items():
            stats.gauge(name, value)
        if report.left:
            raise NotDelivered(
                f"{report.left} files are left in {folder.name}: {report.why}. "
                f"{report.delivered} events were delivered."
            )
        return {"delivered": report.delivered, "refused": report.refused, "dropped": dropped}

    def _folder(self) -> OpenSpool:
        """The spool; one that is configured exists from the first event that waits."""
        folder = open_spool(self.spool or conf.spool())
        if self.spool and not folder.exists():
            raise NoSpool(f"{folder.name} is no folder of this worker.")
        return folder

    def _deliver(self, folder: OpenSpool) -> Report:
        with self._target() as target:
            return delivery.deliver(folder, target, patience=self.patience)

    @contextmanager
    def _target(self) -> Iterator[Target]:
        """What takes the events."""
        if self.conn_id:
            connection = BaseHook.get_connection(self.conn_id)
            token = partial(checked, connection.password or "", f"the connection {self.conn_id}")
            yield delivery.to_server(f"{base_url(connection)}{self.url}", token)
            return
        address = self.store or conf.store()
        if not address:
            raise BadStoreUrl("Nothing takes the events. Set conn_id, store or [colgraph] store.")
        with Store(address, seconds=delivery.STORE_SECONDS) as store:
            yield delivery.into_store(store)

    def _tell(self, folder: str, report: Report, dropped: int) -> None:
        self.log.info("Delivered %s events of %s", report.delivered, folder)
        if report.refused:
            self.log.warning("%s events were refused: see %s/%s", report.refused, folder, REFUSED)
        if dropped:
            self.log.warning(
                "%s events were dropped in all as the spool was full: see %s/%s",
                dropped,
                folder,
                DROPPED,
            )
