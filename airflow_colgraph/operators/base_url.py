"""The URL of the server that an Airflow connection names. Pure."""

from __future__ import annotations

from typing import Any


def base_url(connection: Any) -> str:
    """Return the URL of a connection, as Airflow's HTTP connections are written.

    Its host may be a URL itself; else the connection's schema is the URL's.
    """
    host = connection.host or ""
    if "://" not in host:
        host = f"{connection.schema or 'http'}://{host}"
    port = f":{connection.port}" if connection.port else ""
    return f"{host.rstrip('/')}{port}"
