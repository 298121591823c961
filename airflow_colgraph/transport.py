"""An OpenLineage transport that writes each event to the store.

    AIRFLOW__OPENLINEAGE__TRANSPORT='{"type": "airflow_colgraph.transport.StoreTransport",
                                      "url": "sqlite:////var/lib/colgraph.db"}'

It writes synchronously, in the process that emits, and creates the store if there is none. An event
that the store does not take within `deadline_seconds` is kept in the folder `spool`; a one-line
error, which OpenLineage's client logs, names its file and the command that delivers it.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

from openlineage.client.serde import Serde
from openlineage.client.transport.transport import Config, Transport

from airflow_colgraph.collector.sinks.spool import default_folder
from airflow_colgraph.operators.store_writer import DEADLINE_SECONDS, deliver, limit_of
from airflow_colgraph.queries import with_tables
from airflow_colgraph.spools import task_spool
from airflow_colgraph.store.default_url import airflow_option, default_url
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.store import Store

OPTIONS = ("url", "deadline_seconds", "spool")
OF_THE_CLIENT = {"type", "name", "priority"}


class StoreConfig(Config):  # type: ignore[misc]
    """The transport's settings: `url`, the store's SQLAlchemy URL, `deadline_seconds`, `spool`."""

    def __init__(
        self,
        url: str | None = None,
        deadline_seconds: float | None = None,
        spool: str | None = None,
    ) -> None:
        """Without a URL it is the one of COLGRAPH_STORE, `[colgraph] store` or the default file.

        The others default to the options of `[colgraph]` of the same names.
        """
        self.url = url or _configured() or default_url()
        seconds = deadline_seconds or airflow_option("deadline_seconds") or DEADLINE_SECONDS
        self.deadline_seconds = float(seconds)
        self.spool = spool or airflow_option("spool") or default_folder()

    @classmethod
    def from_dict(cls, params: dict[str, Any]) -> StoreConfig:
        """The settings from OpenLineage's configuration."""
        options = {key: value for key, value in params.items() if key not in OF_THE_CLIENT}
        if unknown := options.keys() - set(OPTIONS):
            raise ValueError(
                f"StoreTransport has no option {', '.join(sorted(map(repr, unknown)))}. "
                f"Expected: {', '.join(map(repr, OPTIONS))}."
            )
        return cls(**options)


def _configured() -> str | None:
    """The store by Airflow's own configuration, which can ask a secrets backend."""
    if "airflow" not in sys.modules:
        return None
    from airflow_colgraph import conf

    return conf.store()


class StoreTransport(Transport):  # type: ignore[misc]
    """Hands each event to the store, before `emit` returns."""

    kind = "colgraph"
    config_class = StoreConfig

    def __init__(self, config: StoreConfig) -> None:
        """Nothing is opened before the first event."""
        super().__init__()
        self._config = config
        self._spool = task_spool(config.spool)
        self._begin()

    def _begin(self) -> None:
        self._store = Store(self._config.url, seconds=limit_of(self._config.deadline_seconds))

    def emit(self, event: Any) -> None:
        """Hand the event to the store; StoreError in one line if it is not acknowledged."""
        stated = json.loads(Serde.to_json(event))
        try:
            deliver(partial(self._add, stated), stated, self._config.deadline_seconds, self._spool)
        except StoreError as error:
            self._begin()  # a thread may still have the store of before
            raise StoreError(f"The event is not in the lineage store: {error}") from None

    def _add(self, event: dict[str, Any]) -> None:
        store = self._store
        store.prepare()
        store.add(with_tables([event]))

    def close(self, timeout: float = -1) -> bool:
        """Give the store's connections back."""
        self._store.close()
        return True
