"""An operator that exports the lineage store: to a file, or to a catalog such as DataHub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airflow_colgraph import conf
from airflow_colgraph.exports.run_export import Target, check, export
from airflow_colgraph.operators.urls import HidesPasswords, base_url
from airflow_colgraph.store.model.shown_url import shown_url
from airflow_colgraph.store.store import Store
from airflow_colgraph.version_compat import BaseHook, BaseOperator


class ColgraphExportOperator(HidesPasswords, BaseOperator):  # type: ignore[misc]
    """Write the lineage store as `format` to the file `path`, or send it to `url`.

    Args:
        format: A format of `colgraph export`, e.g. `datahub`.
        path: The file to write.
        url: The server's URL; with `conn_id` a path on that server.
        conn_id: An Airflow connection with the server's host, port and, as password, the token.
        since: Only what changed since this time, e.g. `now-1d`.
        state: A file that remembers what was exported; only differences are exported then.
        store: The store's URL. Default: `[colgraph] store`.
        options: `mapping` (a file or its content as a dict), `paths`, `aspects`, `facets` and
            `indirect`, as for `colgraph export`.

    Returns:
        The number of events, aspects or edges, as the task's XCom.

    Raises:
        WrongUse: When the DAG is parsed, for an unknown format or option.
        NoStore: There is no store at the URL.
        NothingExported: There is nothing to export, although neither `since` nor `state` is given.
        SendError: The server did not take a document.
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
        """Check the format and the options, so that a wrong one fails the DAG's import."""
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
        """Export, and return the number of units."""
        url, token = self._server()
        target = Target(self.path, url, token, self.state)
        options = {**self.options, "since": self.since}
        with Store.open(self.store or conf.store(), create=False) as store:
            count = export(store, self.format, target, options, self.log.warning)
        self.log.info(
            "Exported %s of %s to %s", count, self.format, shown_url(url) if url else self.path
        )
        return count

    def _server(self) -> tuple[str | None, str]:
        """The address and the token."""
        if not self.conn_id:
            return self.url, ""
        connection = BaseHook.get_connection(self.conn_id)
        return f"{base_url(connection)}{self.url or ''}", connection.password or ""
