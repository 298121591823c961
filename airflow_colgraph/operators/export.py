"""An operator that exports the lineage store: to a file, or to a catalog such as DataHub.

from airflow_colgraph.operators.export import ColgraphExportOperator

ColgraphExportOperator(
    task_id="to_datahub",
    format="datahub",
    conn_id="datahub_gms",
    since="{{ prev_start_date_success or '' }}",
)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airflow_colgraph import conf
from airflow_colgraph.exports.run_export import Target, check, export
from airflow_colgraph.store.store import Store
from airflow_colgraph.version_compat import BaseHook, BaseOperator


class ColgraphExportOperator(BaseOperator):  # type: ignore[misc]
    """Write the lineage store as `format` to the file `path`, or send it to `url`.

    It takes what `colgraph export` takes. `conn_id` names an Airflow connection with the server's
    host, port and, as its password, the token; `url` is then a path on that server, if any.
    `options` are mapping (a file, or a dict of what would be in it), paths, aspects, facets and
    indirect. The store is `[colgraph] store` unless `store` names one. Its result is the number of
    events, aspects or edges.
    """

    template_fields: Sequence[str] = ("path", "url", "since", "state", "store", "options")

    def __init__(
        self,
        *,
        format: str,
        path: str | None = None,
        url: str | None = None,
        conn_id: str | None = None,
        since: str | None = None,
        state: str | None = None,
        store: str | None = None,
        options: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A format or an option that does not exist is an error of the DAG."""
        super().__init__(**kwargs)
        self.format = format
        self.path = path
        self.url = url
        self.conn_id = conn_id
        self.since = since
        self.state = state
        self.store = store
        self.options = dict(options or {})
        check(format, Target(path, url or conn_id, "", state), self.options)

    def execute(self, context: Any) -> int:
        """Export, and return how much."""
        url, token = self._server()
        target = Target(self.path, url, token, self.state)
        given = {**self.options, "since": self.since}
        store = Store.open(self.store or conf.store())
        try:
            count = export(store, self.format, target, given, self.log.warning)
        finally:
            store.close()
        self.log.info("Exported %s of %s to %s", count, self.format, url or self.path)
        return count

    def _server(self) -> tuple[str | None, str]:
        """The address and the token."""
        if not self.conn_id:
            return self.url, ""
        connection = BaseHook.get_connection(self.conn_id)
        host = connection.host or ""
        if "://" not in host:
            host = f"{connection.schema or 'http'}://{host}"
        port = f":{connection.port}" if connection.port else ""
        return f"{host.rstrip('/')}{port}{self.url or ''}", connection.password or ""
