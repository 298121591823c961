"""An OpenLineage transport that writes each event to the store.

    AIRFLOW__OPENLINEAGE__TRANSPORT='{"type": "airflow_colgraph.transport.StoreTransport",
                                      "url": "sqlite:////var/lib/colgraph.db"}'

It writes synchronously, in the process that emits, and creates the store if there is none. A store
that fails raises a one-line error, which OpenLineage's client logs: the task goes on.
"""

from __future__ import annotations

import json
from typing import Any

from openlineage.client.serde import Serde
from openlineage.client.transport.transport import Config, Transport

from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.db.default_url import default_url
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.store import Store


class StoreConfig(Config):  # type: ignore[misc]
    """The transport's settings: `url`, the store's SQLAlchemy URL."""

    def __init__(self, url: str | None = None) -> None:
        """Without a URL it is the one of COLGRAPH_STORE, `[colgraph] store` or the default file."""
        self.url = url or default_url()

    @classmethod
    def from_dict(cls, params: dict[str, Any]) -> StoreConfig:
        """The settings from OpenLineage's configuration."""
        unknown = params.keys() - {"type", "url", "name", "priority"}
        if unknown:
            raise ValueError(
                f"StoreTransport has no option {', '.join(sorted(map(repr, unknown)))}. "
                "Expected: 'url'."
            )
        return cls(params.get("url"))


class StoreTransport(Transport):  # type: ignore[misc]
    """Hands each event to the store, before `emit` returns."""

    kind = "colgraph"
    config_class = StoreConfig

    def __init__(self, config: StoreConfig) -> None:
        """Nothing is opened before the first event."""
        super().__init__()
        self._store = Store(config.url)
        self._migrated = False

    def emit(self, event: Any) -> None:
        """Keep the event; StoreError in one line if the store cannot."""
        try:
            if not self._migrated:
                self._store.migrate()
                self._migrated = True
            self._store.add(with_tables([json.loads(Serde.to_json(event))]))
        except StoreError as error:
            raise StoreError(f"The event is not in the lineage store: {error}") from None

    def close(self, timeout: float = -1) -> bool:
        """Give the store's connections back."""
        self._store.close()
        return True
