"""URLs that operators get as template fields or from an Airflow connection."""

from __future__ import annotations

from typing import Any

from airflow_colgraph import conf


def base_url(connection: Any) -> str:
    """Return the URL of a connection, as Airflow's HTTP connections are written.

    Its host may be a URL itself; else the connection's schema is the URL's.
    """
    host = connection.host or ""
    if "://" not in host:
        host = f"{connection.schema or 'http'}://{host}"
    port = f":{connection.port}" if connection.port else ""
    return f"{host.rstrip('/')}{port}"


class HidesPasswords:
    """For operators with a `url` or a `store`, whose rendered fields Airflow shows to its users."""

    def render_template_fields(self, context: Any, jinja_env: Any = None) -> None:
        """Render the fields, and have Airflow hide the passwords in them."""
        super().render_template_fields(context, jinja_env)  # type: ignore[misc]
        for name in ("url", "store"):
            conf.masked(getattr(self, name, None) or "")
