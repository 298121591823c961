"""Passwords in the URLs that an operator gets as template fields."""

from __future__ import annotations

from typing import Any

from airflow_colgraph import conf


class HidesPasswords:
    """For operators with a `url` or a `store`, whose rendered fields Airflow shows to its users."""

    def render_template_fields(self, context: Any, jinja_env: Any = None) -> None:
        """Render the fields, and have Airflow hide the passwords in them."""
        super().render_template_fields(context, jinja_env)  # type: ignore[misc]
        for name in ("url", "store"):
            conf.masked(getattr(self, name, None) or "")
